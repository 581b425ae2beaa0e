/** `portcullis exec close` as a command: what it prints, and the exit code that blocks the commit. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  baseline,
  bundle,
  contractFile,
  folder,
  repository,
  useRepositories,
} from "../enforcement/execution/closing.ts";
import { portcullis, write } from "./terminal.ts";

useRepositories();

describe("the command", () => {
  it("decides without a policy as well", async () => {
    repository.write("src/new.txt", "x");
    const file = write(join(folder, "plain.json"), {
      contract_root: repository.top,
      declared_targets: ["docs"],
      baseline_sha: baseline,
    });
    const { code, out } = await portcullis("exec", "close", "--contract", file, "--unsigned");
    expect([code, out]).toEqual([1, 'commit blocked CT-GATE-I-004 CONTAINMENT undeclared_changes\n  "src/new.txt"\n']);
  });

  it("exits with 0 where all is reconciled, and with 1 where the commit is blocked", async () => {
    const argv = (fields: object, ...more: string[]) =>
      portcullis("exec", "close", "--unsigned", "--policy", bundle, "--contract", contractFile(fields), ...more);
    rmSync(join(repository.top, "docs/old.txt"));
    expect(await argv({})).toMatchObject({ code: 0, out: "reconciled CT-GATE-S-004 ALLOW reconciled\n" });
    const { code, out } = await argv({ declared_operations: ["CREATE"] });
    expect([code, out]).toEqual([
      1,
      'commit blocked CT-GATE-I-004 OPERATIONS undeclared_operation\n  DELETE "docs/old.txt"\n',
    ]);
    const json = await argv({ declared_targets: ["src"] }, "--format", "json");
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      1,
      { undeclared: ["docs/old.txt"], commit_blocked: true },
    ]);
    const unknown = await argv({ contract_root: "/no/such/folder" });
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringContaining("no absolute path of a folder that exists"),
    });
  });

  it("exits other than 0 for a contract that cannot be read", async () => {
    for (const text of ["{", "[]", '{"declared_targets":[],"declared_targets":["."]}']) {
      const file = write(join(folder, "broken.json"), text);
      expect((await portcullis("exec", "close", "--contract", file)).code).toBe(1);
    }
    expect((await portcullis("exec", "close", "--contract", join(folder, "none.json"))).code).toBe(2);
    expect((await portcullis("exec", "close")).code).toBe(2);
  });

  it("prints help with examples", async () => {
    const { code, out } = await portcullis("exec", "close", "--help");
    expect([code, out]).toEqual([0, expect.stringContaining("Examples:")]);
  });
});
