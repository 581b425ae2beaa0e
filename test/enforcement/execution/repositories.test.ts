/**
 * The fuzzer of repositories: what `exec close` finds changed in random ones is what a naive comparison of every byte finds.
 * A share of 2,000 in `make test`, all of them in `make test-all`; PORTCULLIS_REPOSITORIES overrides.
 */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { changedFiles } from "../../../compiler/enforcement/execution/changed-files.ts";
import { GitError } from "../../../compiler/enforcement/execution/repository/index.ts";
import { between, SEED } from "../../campaign.ts";
import { hasGit } from "../../git.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { naiveChanges } from "./fuzz/naive.ts";
import { randomRepository } from "./fuzz/random-repository.ts";
import { writeRepository } from "./fuzz/write-repository.ts";

const COUNT = Number(process.env["PORTCULLIS_REPOSITORIES"] ?? between(25, 2_000));

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-fuzz-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === "win32" || !hasGit)("random repositories", () => {
  it(`are seen as they are: ${COUNT} from seed ${SEED}`, { timeout: 3_600_000 }, () => {
    let changed = 0;
    for (let i = 0; i < COUNT; i++) {
      const repository = randomRepository(new Random(SEED + i));
      const top = join(folder, "repository");
      const baseline = writeRepository(top, repository);
      if (repository.detached || repository.flags.length > 0) {
        expect(() => changedFiles(top, baseline), `repository ${SEED + i}`).toThrow(GitError);
        continue;
      }
      const found = changedFiles(top, baseline).files.map(({ path, operation }) => `${operation} ${path}`);
      const expected = naiveChanges(repository.baseline, { ...repository, top }).map((one) =>
        Buffer.from(one, "latin1").toString("utf8"),
      );
      expect([...new Set(found)].sort(), `repository ${SEED + i}`).toEqual([...new Set(expected)].sort());
      if (expected.length > 0) changed++;
    }
    // A comparison of nothing proves nothing.
    expect(changed).toBeGreaterThan(COUNT / 2);
  });
});
