/** `portcullis exec close --commit`: the commit is what was judged, whatever the git folder says or becomes. */

import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commitJudged } from "../../compiler/enforcement/execution/index.ts";
import {
  baseline,
  bundle,
  contractFile,
  expectReconciled,
  facts,
  folder,
  repository,
  uniqueName,
  useRepositories,
} from "../enforcement/execution/closing.ts";
import { openTestRepository } from "../enforcement/execution/repository.ts";
import { inSession, signedContractFile } from "./signed-contract.ts";
import { portcullis, type Ran, write } from "./terminal.ts";

useRepositories();

const saved = { ...process.env };
const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "C",
  GIT_COMMITTER_EMAIL: "c@x",
};

beforeEach(() => {
  Object.assign(process.env, person, { GIT_CONFIG_GLOBAL: write(join(folder, "gitconfig"), "") });
});

afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
  Object.assign(process.env, saved);
});

const commit = (contract: string, ...flags: string[]): Promise<Ran> =>
  portcullis("exec", "close", "--contract", contract, "--policy", bundle, "--unsigned", "--commit", ...flags);
const stage = (path = "docs/allowed.txt"): void => {
  repository.write(path, "two\n");
  repository.git("add", path);
};
const files = (name: string): string[] => repository.git("diff", "--name-only", baseline, name).split("\n");

describe("a commit of what was judged", () => {
  it("is the index, on the commit that was checked out, in the person's name", async () => {
    stage();
    stage("docs/deep/er/new.txt");
    repository.write("docs/unstaged.txt", "x");
    const { code, out } = await commit(contractFile(), "Spring menu\n\nWith soup.");
    const head = repository.git("rev-parse", "HEAD");
    expect([code, out]).toEqual([0, `reconciled CT-GATE-S-004 ALLOW reconciled\ncommitted ${head}\n`]);
    expect(files(head)).toEqual(["docs/allowed.txt", "docs/deep/er/new.txt"]);
    const form = "%P|%an %ae|%cn %ce|%B";
    expect(repository.git("log", "-1", `--format=${form}`)).toBe(
      `${baseline}|A a@example.org|C c@x|Spring menu\n\nWith soup.`,
    );
    expect(repository.git("status", "--porcelain")).toBe("?? docs/unstaged.txt");
    expect(repository.git("fsck", "--strict")).toBe("");
    await expectReconciled();
  });

  it("takes deletions and modes as they are staged, down to nothing at all", async () => {
    repository.git("rm", "-q", "docs/old.txt");
    repository.git("update-index", "--chmod=+x", "index.json");
    expect((await commit(contractFile(), "one")).code).toBe(0);
    expect(files("HEAD")).toEqual(["docs/old.txt", "index.json"]);
    repository.git("rm", "-q", "-r", "-f", ".");
    const all = { declared_targets: ["docs", "src", "index.json", ".gitignore"] };
    expect(await commit(contractFile(all), "nothing left")).toMatchObject({ code: 0 });
    expect(repository.git("ls-tree", "-r", "HEAD")).toBe("");
  });

  it("is told as JSON, and read back under the signature", async () => {
    stage();
    const file = await signedContractFile();
    const argv = ["exec", "close", "--contract", file, "--commit", "m", "--format", "json"];
    const ran = await inSession(() => portcullis(...argv));
    expect(JSON.parse(ran.out)).toMatchObject({ reason: "reconciled", commit: repository.git("rev-parse", "HEAD") });
  });

  it("is made where the branch is packed, under a name with letters of any kind", async () => {
    repository.git("switch", "-q", "-c", "größe/ä");
    stage();
    repository.git("pack-refs", "--all");
    expect((await commit(contractFile(), "m")).code).toBe(0);
    expect(files("größe/ä")).toEqual(["docs/allowed.txt"]);
    expect(repository.git("rev-parse", "main")).toBe(baseline);
  });
});

describe("a repository with SHA-256", () => {
  it("is committed to as well", () => {
    const top = join(folder, uniqueName("sha256"));
    const other = openTestRepository(mkdirSync(top, { recursive: true }) ?? top);
    other.git("init", "-q", "-b", "main", "--object-format=sha256");
    other.write("docs/a.txt", "one\n");
    const first = other.commit();
    other.write("docs/deep/b.txt", "two\n");
    other.git("add", "-A");
    const { judged } = facts({ contract_root: top, baseline_sha: first });
    const made = commitJudged(judged!, { message: "m", isSigned: false });
    expect([made, other.git("log", "-1", "--format=%H %P %s")]).toEqual([expect.any(String), `${made} ${first} m`]);
    expect(other.git("diff", "--name-only", first, made)).toBe("docs/deep/b.txt");
  });
});

describe("nothing is committed", () => {
  const head = (): string => repository.git("rev-parse", "HEAD");

  it("unless all is reconciled, something is staged, and there is a message", async () => {
    expect(await commit(contractFile(), "m")).toMatchObject({
      code: 1,
      err: expect.stringContaining("nothing is staged"),
    });
    stage();
    repository.write("src/new.ts", "x");
    expect(await commit(contractFile(), "m")).toMatchObject({ code: 1, out: expect.not.stringContaining("committed") });
    rmSync(join(repository.top, "src/new.ts"));
    expect((await commit(contractFile(), " ")).code).toBe(2);
    expect((await commit(contractFile())).code).toBe(2);
    expect((await portcullis("exec", "close", "--contract", contractFile(), "--unsigned", "--sign")).code).toBe(2);
    expect(head()).toBe(baseline);
  });

  it("after the contract has expired, though the last commit was in time", async () => {
    stage();
    const file = await signedContractFile({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    const early = { ...facts().request };
    expect(early.changed_files).not.toBeNull();
    const later = Date.now;
    Date.now = () => later() + 120_000;
    try {
      const plain = await inSession(() => portcullis("exec", "close", "--contract", file));
      expect(plain.code).toBe(0);
      const ran = await inSession(() => portcullis("exec", "close", "--contract", file, "--commit", "m"));
      expect([ran.code, ran.out]).toEqual([1, expect.stringContaining("contract_expired")]);
    } finally {
      Date.now = later;
    }
    expect(head()).toBe(baseline);
  });

  it("where the branch has moved since it was judged", () => {
    stage();
    const { judged } = facts();
    const moved = repository.git("commit-tree", "-m", "other", "-p", baseline, `${baseline}^{tree}`);
    repository.git("update-ref", "refs/heads/main", moved);
    expect(() => commitJudged(judged!, { message: "m", isSigned: false })).toThrow(/expected|lock/);
    expect(head()).toBe(moved);
  });

  it("without a name for its author", async () => {
    if (process.platform !== "linux") return;
    stage();
    for (const name of Object.keys(person)) delete process.env[name];
    write(join(folder, "gitconfig"), "[user]\n\tuseConfigOnly = true\n");
    expect(await commit(contractFile(), "m")).toMatchObject({ code: 1, err: expect.stringContaining("not committed") });
    expect(head()).toBe(baseline);
  });
});

describe("the git folder has no say", () => {
  it("no hook runs, no setting counts, no environment leads elsewhere", async () => {
    if (process.platform === "win32") return;
    const trace = join(folder, uniqueName("ran"));
    const program = `#!/bin/sh\necho "$0" >> ${trace}\nexit 1\n`;
    const hooks = [
      "pre-commit",
      "commit-msg",
      "prepare-commit-msg",
      "post-commit",
      "reference-transaction",
      "post-index-change",
    ];
    const elsewhere = join(folder, uniqueName("hooks"));
    stage();
    for (const name of hooks)
      for (const dir of [join(repository.top, ".git/hooks"), elsewhere]) {
        write(join(dir, name), program);
        chmodSync(join(dir, name), 0o755);
      }
    const signer = write(join(folder, uniqueName("signer")), program);
    chmodSync(signer, 0o755);
    const settings = {
      "commit.gpgsign": "true",
      "gpg.program": signer,
      "core.fsmonitor": signer,
      "core.editor": signer,
    };
    for (const [key, value] of Object.entries(settings)) repository.git("config", key, value);
    repository.git("config", "i18n.commitEncoding", "latin1");
    repository.git("config", "core.worktree", folder);
    repository.git("config", "filter.x.clean", signer);
    repository.write(".git/info/attributes", "* filter=x\n");
    rmSync(trace, { force: true });
    Object.assign(process.env, { GIT_DIR: folder, GIT_INDEX_FILE: join(folder, "none"), GIT_OBJECT_DIRECTORY: folder });
    const misled = await commit(contractFile(), "größe");
    for (const name of ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"]) delete process.env[name];
    expect([misled.code, misled.out.includes("committed")]).toEqual([1, false]);
    const another = await commit(contractFile(), "größe");
    expect([another.code, another.err]).toEqual([1, expect.stringContaining("`core.worktree`")]);
    repository.git("config", "--unset", "core.worktree");
    const { code } = await commit(contractFile(), "größe");
    expect([code, existsSync(trace)]).toEqual([0, false]);
    expect(repository.git("cat-file", "commit", "HEAD")).toMatch(/\n\ngröße$/);
  });

  it("replaced objects, grafts and a shallow boundary change neither tree nor parent", async () => {
    stage();
    const other = repository.git("commit-tree", "-m", "o", `${baseline}^{tree}`);
    repository.git("replace", baseline, other);
    repository.write(".git/info/grafts", `${baseline} ${other}\n`);
    repository.write(".git/shallow", `${baseline}\n`);
    expect((await commit(contractFile(), "m")).code).toBe(0);
    expect(repository.git("cat-file", "commit", "HEAD")).toContain(`\nparent ${baseline}\n`);
    expect(repository.git("--no-replace-objects", "diff", "--name-only", baseline, "HEAD")).toBe("docs/allowed.txt");
  });

  it("what is staged between the judgement and the commit is not in it", () => {
    stage();
    const { judged } = facts();
    repository.write("src/code.ts", "evil\n");
    repository.git("add", "-A");
    const made = commitJudged(judged!, { message: "m", isSigned: false });
    expect([repository.git("rev-parse", "HEAD"), files(made)]).toEqual([made, ["docs/allowed.txt"]]);
    expect(repository.git("status", "--porcelain")).toBe("M  src/code.ts");
  });

  it("signs only when it is told to, with the person's own program", async () => {
    if (process.platform === "win32") return;
    stage();
    const status =
      'for one; do case $one in --status-fd=*) fd=${one#*=};; esac; done\necho "[GNUPG:] SIG_CREATED x" >&2\n';
    const signer = write(
      join(folder, uniqueName("gpg")),
      `#!/bin/sh\ncat > /dev/null\n${status}echo "-----BEGIN PGP SIGNATURE-----"\necho x\necho "-----END PGP SIGNATURE-----"\n`,
    );
    chmodSync(signer, 0o755);
    write(
      join(folder, "gitconfig"),
      `[gpg]\n\tprogram = ${signer}\n[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = k\n`,
    );
    expect((await commit(contractFile(), "plain")).code).toBe(0);
    expect(repository.git("cat-file", "commit", "HEAD")).not.toContain("gpgsig");
    stage("docs/more.txt");
    expect(await commit(contractFile(), "signed", "--sign")).toMatchObject({ code: 0 });
    expect(repository.git("cat-file", "commit", "HEAD")).toContain("gpgsig -----BEGIN PGP SIGNATURE-----");
  });
});
