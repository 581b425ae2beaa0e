/** `portcullis exec open`, and what it and `exec sign` refuse: contracts that nothing could ever meet. */

import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  baseline,
  bundle,
  contractFile,
  folder,
  repository,
  uniqueName,
  useRepositories,
} from "../enforcement/execution/closing.ts";
import { closeFile, inSession } from "./signed-contract.ts";
import { portcullis, type Ran, write } from "./terminal.ts";

useRepositories();

const place = (): string => join(folder, "opened", `${uniqueName("c")}.json`);
const open = (file: string, ...changed: string[]): Promise<Ran> => {
  const flags = ["--mode", "work", "--target", "docs", "index.json", "--operation", "WRITE", "--expires", "8h"];
  return portcullis("exec", "open", file, ...flags, "--root", repository.top, "--policy", bundle, ...changed);
};
const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;

describe("opening", () => {
  it("writes a contract on the repository as it is, which can be signed, met and closed", async () => {
    const file = place();
    const before = Date.now();
    expect(await open(file, "--id", "c-7")).toMatchObject({ code: 0, out: expect.stringContaining("sign it") });
    const { created_at, expires_at, ...rest } = read(file) as { created_at: string; expires_at: string };
    expect(rest).toEqual({
      contract_id: "c-7",
      status: "open",
      mode: "work",
      declared_targets: ["docs", "index.json"],
      declared_operations: ["WRITE"],
      baseline_sha: baseline,
      contract_root: repository.top,
    });
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(8 * 3_600_000);
    expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(60_000);
    const signed = await inSession(() => portcullis("exec", "sign", "--contract", file, "--policy", bundle));
    expect([signed.code, signed.err]).toEqual([0, ""]);
    repository.write("docs/allowed.txt", "two\n");
    expect(await inSession(() => closeFile(file))).toMatchObject({ reason: "reconciled", exit: 0 });
  });

  it("warns of members that nothing reads, and of patterns", async () => {
    const file = place();
    const opened = await open(file, "--target", "docs/*", "src");
    expect([opened.code, opened.err]).toEqual([
      0,
      expect.stringMatching(/^warning: target "docs\/\*" is one name, and no pattern: .*\n$/),
    ]);
    write(file, JSON.stringify({ ...read(file), declared_targets: ["src"], forbidden_targets: ["src/keys"] }));
    const signed = await inSession(() => portcullis("exec", "sign", "--contract", file, "--policy", bundle));
    expect([signed.code, signed.err]).toEqual([
      0,
      expect.stringMatching(/^warning: "forbidden_targets" is no field of a contract: nothing reads it, .*\n$/),
    ]);
    const again = await inSession(() => portcullis("exec", "sign", "--contract", file, "--policy", bundle));
    expect([again.code, again.err]).toEqual([0, signed.err]);
  });

  it("takes its id from the file's name, and a time with its zone", async () => {
    const file = join(folder, "contracts", "c-104.json");
    expect((await open(file, "--expires", "2999-01-01T02:00:00+02:00")).code).toBe(0);
    expect(read(file)).toMatchObject({ contract_id: "c-104", expires_at: "2999-01-01T00:00:00Z" });
    expect(await open(file)).toMatchObject({ code: 2, err: expect.stringContaining("there already") });
    const link = join(folder, "contracts", "c-105.json");
    symlinkSync("gone", link);
    expect(await open(link)).toMatchObject({ code: 2, err: expect.stringContaining("there already") });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it.each([
    [["--mode", "nonsense"], "`nonsense` is no mode of the policy"],
    [["--expires", "2020-01-01T00:00:00Z"], "it expires before it is created"],
    [["--expires", "soon"], "`expires_at` is no time"],
    [["--expires", "0h"], "`expires_at` is no time"],
    [["--id", ".."], "`contract_id` may hold"],
    [["--id", "a/b"], "`contract_id` may hold"],
    [["--target", "./docs"], "is no target"],
    [["--target", "."], "is no target"],
    [["--target", "/etc"], "is no target"],
    [["--root", "/nonexistent/x"], "there is no folder"],
    [["--root", folder], "is not in a git repository"],
  ])("refuses %j", async (flags, says) => {
    const file = place();
    expect(await open(file, ...flags)).toMatchObject({ code: 1, err: expect.stringContaining(says) });
    expect(existsSync(file)).toBe(false);
  });

  it("refuses a file in the repository, a repository that could not be closed, and an unknown operation", async () => {
    const inside = join(repository.top, "docs/c.json");
    expect(await open(inside)).toMatchObject({ code: 1, err: expect.stringContaining("lies in the repository") });
    expect((await open(place(), "--operation", "CREAT")).code).toBe(2);
    repository.git("checkout", "-q", "--detach");
    expect(await open(place())).toMatchObject({ code: 1, err: expect.stringContaining("HEAD is on no branch") });
  });
});

describe("signing", () => {
  const refusal = async (fields: object, ...flags: string[]): Promise<string> => {
    const file = contractFile(fields);
    const before = readFileSync(file, "utf8");
    const { code, err } = await inSession(() =>
      portcullis("exec", "sign", "--contract", file, ...flags, "--policy", bundle),
    );
    expect([fields, code, readFileSync(file, "utf8")]).toEqual([fields, 1, before]);
    return err;
  };

  it.each([[[]], [["--payload", "v1"]]])("refuses what can never be met: %j", async (flags) => {
    expect(await refusal({ baseline_sha: "deadbeef".repeat(5) }, ...flags)).toContain("is no commit of the repository");
    expect(await refusal({ contract_root: "/nonexistent/x" }, ...flags)).toContain("of a folder that exists");
    expect(await refusal({ expires_at: "2026-03-03T00:00:00Z" }, ...flags)).toContain("it has expired");
    expect(await refusal({ created_at: "2999-01-01T00:00:01Z" }, ...flags)).toContain("expires before it is created");
    for (const status of ["closed", "OPEN", undefined])
      expect(await refusal({ status }, ...flags)).toContain("`status`");
    expect(await refusal({ declared_operations: [] }, ...flags)).toContain("names nothing");
    expect(await refusal({ declared_targets: [] }, ...flags)).toContain("names nothing");
    expect(await refusal({ declared_targets: ["./a"] }, ...flags)).toContain("is no target");
    expect(await refusal({ contract_id: "a b" }, ...flags)).toContain("`contract_id`");
    expect(await refusal({ mode: "nonsense" }, ...flags)).toContain("is no mode of the policy");
    const link = join(folder, uniqueName("link"));
    symlinkSync(repository.top, link);
    expect(await refusal({ contract_root: link }, ...flags)).toContain("`contract_root`");
  });

  it("asks for the policy, which alone knows the modes", async () => {
    const { code, err } = await inSession(() => portcullis("exec", "sign", "--contract", contractFile({})));
    expect([code, err]).toEqual([2, expect.stringContaining("--policy")]);
  });

  it("of a script asks the same of its contract", async () => {
    const file = contractFile({ expires_at: "2026-03-03T00:00:00Z" });
    const script = write(join(folder, "queue/c-1/run.py"), "x\n");
    const { code, err } = await inSession(() =>
      portcullis("exec", "sign", script, "--contract", file, "--policy", bundle),
    );
    expect([code, err]).toEqual([1, expect.stringContaining("it has expired")]);
  });
});
