/** Samples of handoffs: run by `test`, held against the contract by `check`, and what a validator tests itself with. */

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptedRecord as good } from "./handoff-record.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

describe("portcullis test", () => {
  it("runs the samples of a policy set, each at its place", async () => {
    const dir = join(folder, "tested");
    write(join(dir, "handoff.yaml"), "required_fields: [severity]\n");
    const record = { ...good(), severity: "low" };
    write(join(dir, "handoff-samples/root/docs/report.md"), "the report");
    write(join(dir, "handoff-samples/positive/good.json"), record);
    write(join(dir, "handoff-samples/positive/wrong.json"), good());
    write(join(dir, "handoff-samples/negative/missing_required_field.json"), good());
    write(join(dir, "handoff-samples/negative/missing_required_field-not.json"), record);
    write(join(dir, "handoff-samples/negative/artifacts_empty.json"), good());
    const { code, out } = await portcullis("test", dir, "--format", "json", "--coverage");
    expect(code).toBe(1);
    const { results, gates, coverage } = JSON.parse(out);
    expect(gates.handoff.sort()).toEqual(["ALLOW", "REQUIRED_FIELDS"]);
    expect(coverage.coverage).toBeGreaterThan(0);
    const told = results.map((r: Record<string, string>) => [r["name"], r["outcome"], r["location"], r["failure"]]);
    const at = (path: string): unknown[] =>
      told.find(([name]: [string]) => name === `handoff: handoff-samples/${path}.json`);
    expect(told.length).toBe(5);
    expect(at("positive/good")?.[1]).toBe("pass");
    expect(at("negative/missing_required_field")?.[1]).toBe("pass");
    expect(at("positive/wrong")).toEqual([
      expect.any(String),
      "fail",
      `${join(dir, "handoff-samples/positive/wrong.json")}:1`,
      "a positive sample was refused: missing_required_field",
    ]);
    expect(at("negative/missing_required_field-not")?.[3]).toBe("a negative sample was accepted");
    expect(at("negative/artifacts_empty")?.[3]).toBe(
      "refused, but for missing_required_field, not for what its name says",
    );
    const chosen = await portcullis("test", dir, "--run", "positive/good");
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining("\n1 passed, 0 failed\n") });
  });
});

describe("portcullis check", () => {
  const dir = join(folder, "checked");
  const found = async (): Promise<unknown[]> => {
    const { code, out } = await portcullis("check", dir, "--format", "json");
    const { diagnostics } = JSON.parse(out) as { diagnostics: Record<string, unknown>[] };
    const samples = diagnostics.filter((d) => d["code"] === "pipeline/handoff-sample");
    return [code, ...samples.map((d) => [d["severity"], d["file"], d["line"], d["column"], d["message"]])];
  };

  it("holds the samples against the contract, each finding at its violation", async () => {
    write(join(dir, "handoff.yaml"), "required_fields: []\n");
    write(join(dir, "handoff-samples/root/docs/report.md"), "the report");
    write(join(dir, "handoff-samples/positive/good.json"), good());
    write(join(dir, "handoff-samples/negative/result_invalid.json"), { ...good(), result: "DONE" });
    expect(await found()).toEqual([0]);
    const wrong = join(dir, "handoff-samples/positive/wrong.json");
    write(wrong, `{\n  "result": "DONE",\n  ${JSON.stringify({ ...good(), result: undefined }).slice(1)}\n`);
    const accepted = write(join(dir, "handoff-samples/negative/artifacts_empty.json"), good());
    const other = write(join(dir, "handoff-samples/negative/artifacts_empty-2.json"), good("docs/gone.md"));
    const at = JSON.stringify(good("docs/gone.md")).indexOf('"docs/gone.md"') + 1;
    expect(await found()).toEqual([
      1,
      ["error", other, 1, at, "refused, but for artifact_path_not_found, not for what its name says"],
      ["error", accepted, 1, 1, "a negative sample was accepted"],
      ["error", wrong, 2, 13, "a positive sample was refused: result_invalid"],
    ]);
  });

  it("leaves samples to the tests where only a host can decide", async () => {
    write(
      join(dir, "extension.rego"),
      'package portcullis.ext.handoff\n\ndeny contains {"gate": "CLOCK", "reason": "late"} if time.now_ns() < 0\n',
    );
    write(join(dir, "portcullis.yaml"), "rego: { allow_builtins: [time.now_ns] }\n");
    // What is refused before any extension is asked is known all the same.
    expect(await found()).toEqual([
      1,
      expect.arrayContaining([expect.stringContaining("artifacts_empty-2.json")]),
      expect.arrayContaining([expect.stringContaining("wrong.json")]),
    ]);
  });

  it("says what else is wrong first", async () => {
    write(join(dir, "roles.yaml"), "roles: [{ role_id: 7 }]\n");
    expect(await found()).toEqual([1]);
  });
});

describe("the self-test", () => {
  const policies = fileURLToPath(new URL("../../policies", import.meta.url));
  const samples = join(folder, "samples");
  const run = async (): Promise<{ code: number; failures: (string | undefined)[] }> => {
    const { code, out } = await portcullis("handoff", "validate", "--self-test", "--policy", samples, "--json");
    const { records } = JSON.parse(out) as { records: { failure?: string }[] };
    return { code, failures: records.map((r) => r.failure) };
  };

  beforeAll(() => {
    write(join(samples, "handoff.yaml"), "required_fields: []\n");
    write(join(samples, "handoff-samples/root/docs/report.md"), "a report\n");
    write(join(samples, "handoff-samples/positive/fine.json"), good());
    write(join(samples, "handoff-samples/negative/result_invalid.json"), { ...good(), result: "DONE" });
    write(join(samples, "handoff-samples/negative/artifact_path_not_found-gone.json"), good("docs/gone.md"));
  });

  it("passes for the example organisation", async () => {
    const { code, out } = await portcullis("handoff", "validate", "--self-test", "--policy", policies, "--json");
    expect(JSON.parse(out)).toMatchObject({ ok: true });
    expect(code).toBe(0);
  });

  it("passes when every sample is what its place says", async () => {
    expect(await run()).toEqual({ code: 0, failures: [undefined, undefined, undefined] });
  });

  it("fails when a positive sample is refused", async () => {
    const file = write(join(samples, "handoff-samples/positive/bad.json"), { ...good(), result: "DONE" });
    const { code, failures } = await run();
    rmSync(file);
    expect(code).toBe(1);
    expect(failures).toContain("a positive sample was refused: result_invalid");
  });

  it("fails when a negative sample is accepted, or refused for something else", async () => {
    const file = join(samples, "handoff-samples/negative/artifacts_empty.json");
    write(file, good());
    expect((await run()).failures).toContain("a negative sample was accepted");
    copyFileSync(join(samples, "handoff-samples/negative/result_invalid.json"), file);
    const { code, failures } = await run();
    rmSync(file);
    expect(code).toBe(1);
    expect(failures).toContain("refused, but for result_invalid, not for what its name says");
  });

  it("fails without samples of both kinds", async () => {
    const none = join(folder, "none");
    write(join(none, "handoff.yaml"), "required_fields: []\n");
    const { code, err } = await portcullis("handoff", "validate", "--self-test", "--policy", none);
    expect([code, err]).toEqual([1, expect.stringContaining("no positive samples")]);
  });
});
