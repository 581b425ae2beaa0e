/** `portcullis handoff validate` on real files: what counts as evidence, and what the exit code says. */

import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectEvidence } from "../../compiler/execution/handoff/evidence.ts";
import { compile } from "../../compiler/index.ts";
import { nodeHost } from "../../compiler/node.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const root = join(folder, "repo");
const bundle = join(folder, "bundle.tar.gz");
let number = 0;

const good = (path = "docs/report.md"): Record<string, unknown> => ({
  handoff_id: "H1",
  task_id: "T1",
  from_agent: "SUB",
  to_agent: "MASTER",
  input_scope: "docs",
  actions_taken: ["wrote the report"],
  artifacts: [{ path, kind: "report" }],
  result: "PASS",
  next_action: { owner: "MASTER", action: "read it", input: "docs/report.md" },
  rulebook_update: { applied: false },
});

/** A record in a file of its own. */
const recordFile = (record: unknown): string => write(join(folder, "records", `${number++}.json`), record);

interface Report {
  readonly ok: boolean;
  readonly records: readonly {
    readonly file: string;
    readonly allowed: boolean;
    readonly reason: string;
    readonly violations: readonly { readonly gate: string; readonly reason: string; readonly path: string }[];
  }[];
}

async function validate(...argv: string[]): Promise<{ code: number; report: Report }> {
  const { code, out } = await portcullis("handoff", "validate", ...argv, "--root", root, "--policy", bundle, "--json");
  return { code, report: JSON.parse(out) as Report };
}

/** Reasons for which a record with this artifact path is refused. */
async function reasonsFor(path: string): Promise<string[]> {
  const { report } = await validate(recordFile(good(path)));
  return (report.records[0] as Report["records"][number]).violations.map((v) => v.reason);
}

beforeAll(async () => {
  write(join(folder, "sources/handoff.yaml"), "required_fields: []\n");
  const { compiled } = await compile({ host: nodeHost, dirs: [join(folder, "sources")] });
  write(bundle, compiled?.bundle as Uint8Array);
  write(join(root, "docs/report.md"), "a report\n");
  write(join(folder, "outside.md"), "not ours\n");
  write(join(folder, "repo-other/near.md"), "a neighbour\n");
});

afterAll(() => removeFolder(folder));

describe("evidence", () => {
  it("is a regular file inside the root", async () => {
    expect(await reasonsFor("docs/report.md")).toEqual([]);
    expect(await reasonsFor("./docs//report.md")).toEqual([]);
  });

  it.each([
    ["absolute", () => join(root, "docs/report.md")],
    ["a way up", () => "../outside.md"],
    ["a way up that comes back", () => "docs/../docs/report.md"],
    ["a way up into a folder whose name begins like the root's", () => "../repo-other/near.md"],
    ["a drive", () => "C:/docs/report.md"],
    ["back slashes that lead up", () => "docs\\..\\..\\outside.md"],
  ])("is not what escapes by its name: %s", async (_, path) => {
    // A drive letter is a plain name to the policy; the host knows better.
    expect(await reasonsFor(path())).toEqual(["artifact_path_escapes"]);
  });

  it("is not what a link leads out to, be it the file or a folder on the way", async () => {
    symlinkSync(join(folder, "outside.md"), join(root, "docs/link.md"));
    symlinkSync(folder, join(root, "out"));
    expect(await reasonsFor("docs/link.md")).toEqual(["artifact_path_escapes"]);
    expect(await reasonsFor("out/outside.md")).toEqual(["artifact_path_escapes"]);
    expect(await reasonsFor("out/no-such.md")).toEqual(["artifact_path_escapes"]);
  });

  it("may be reached by a link that stays inside", async () => {
    symlinkSync("report.md", join(root, "docs/alias.md"));
    symlinkSync("docs", join(root, "papers"));
    expect(await reasonsFor("docs/alias.md")).toEqual([]);
    expect(await reasonsFor("papers/report.md")).toEqual([]);
  });

  it("is not what does not exist: no file, a link to nothing, links in a circle, another case, a NUL", async () => {
    symlinkSync("nothing.md", join(root, "docs/dangling.md"));
    symlinkSync("circle.md", join(root, "docs/circle.md"));
    for (const path of ["docs/none.md", "docs/dangling.md", "docs/circle.md", "docs/report.md/x", "docs/a\0b"]) {
      expect([path, await reasonsFor(path)]).toEqual([path, ["artifact_path_not_found"]]);
    }
    if (process.platform === "linux") expect(await reasonsFor("docs/REPORT.md")).toEqual(["artifact_path_not_found"]);
  });

  it("is not a folder or anything else that is no regular file", async () => {
    expect(await reasonsFor("docs")).toEqual(["artifact_path_not_a_file"]);
    expect(await reasonsFor(".")).toEqual(["artifact_path_not_a_file"]);
    if (process.platform !== "win32") {
      symlinkSync("/dev/null", join(root, "docs/device"));
      expect(await reasonsFor("docs/device")).toEqual(["artifact_path_escapes"]);
    }
  });

  it("is collected for string paths only, and never from what a path is called", () => {
    expect(collectEvidence(root, null)).toEqual({});
    expect(collectEvidence(root, { artifacts: "docs/report.md" })).toEqual({});
    expect(collectEvidence(root, { artifacts: [null, 1, { path: 7 }, { path: ["docs"] }] })).toEqual({});
    const odd = collectEvidence(root, { artifacts: [{ path: "__proto__" }] });
    expect(Object.keys(odd)).toEqual(["__proto__"]);
    expect(collectEvidence(undefined, { artifacts: [{ path: "docs/report.md" }] })).toEqual({
      "docs/report.md": { exists: false, file: false, contained: true },
    });
  });

  it("follows a root that is a link itself", async () => {
    symlinkSync(root, join(folder, "linked-root"));
    const { code } = await portcullis(
      ...["handoff", "validate", recordFile(good()), "--root", join(folder, "linked-root"), "--policy", bundle],
    );
    expect(code).toBe(0);
  });
});

describe("the exit code", () => {
  it("is 0 only if every record is accepted", async () => {
    const fine = recordFile(good());
    const bad = recordFile({ ...good(), result: "DONE" });
    expect((await validate(fine)).code).toBe(0);
    expect((await validate(fine, bad)).code).toBe(1);
    const { report } = await validate(fine, bad);
    expect(report.ok).toBe(false);
    expect(report.records.map((r) => [r.file, r.allowed, r.reason])).toEqual([
      [fine, true, "handoff_accepted"],
      [bad, false, "result_invalid"],
    ]);
  });

  it("is 1 when no record was found", async () => {
    mkdirSync(join(folder, "empty"), { recursive: true });
    const { code, report } = await validate(join(folder, "empty"));
    expect([code, report.ok, report.records]).toEqual([1, false, []]);
  });

  it("is 1 for what is no JSON, not UTF-8, or says one thing twice", async () => {
    for (const text of ["{", "", '{"result":"PASS","result":"FAIL"}', Uint8Array.of(0x22, 0xff, 0x22), "[1]", "null"]) {
      const { code, report } = await validate(recordFile(text));
      expect([code, report.records[0]?.reason]).toEqual([1, "invalid_record"]);
    }
  });

  it("is 2 for wrong usage and for files that cannot be read", async () => {
    const record = recordFile(good());
    for (const argv of [
      ["handoff", "validate"],
      ["handoff", "validate", record],
      ["handoff", "validate", record, "--root", join(folder, "no-such-root")],
      ["handoff", "validate", record, "--root", record],
      ["handoff", "validate", join(folder, "no-such.json"), "--root", root],
      ["handoff", "validate", record, "--root", root, "--json", "--junit"],
      ["handoff", "validate", record, "--root", root, "--policy", join(folder, "no-such")],
      ["handoff", "validate", "--self-test"],
      ["handoff", "validate", "--self-test", "--policy", bundle],
      ["handoff", "validate", record, "--self-test", "--policy", join(folder, "sources")],
    ]) {
      expect([argv, (await portcullis(...argv)).code]).toEqual([argv, 2]);
    }
  });
});

describe("records", () => {
  it("are every *.json below a folder, links to files included, once", async () => {
    const dir = join(folder, "delivered");
    const a = write(join(dir, "a.json"), good());
    const b = write(join(dir, "sub/b.json"), good());
    write(join(dir, "notes.txt"), "no record");
    const { code, report } = await validate(dir, a);
    expect([code, report.records.map((r) => r.file)]).toEqual([0, [a, b]]);
  });

  it("are held to the built-in contract without a policy", async () => {
    const run = (record: unknown) => portcullis("handoff", "validate", recordFile(record), "--root", root, "--json");
    expect((await run(good())).code).toBe(0);
    const { code, out } = await run({ ...good(), attempted_mutations: ["Gates.x"] });
    expect([code, (JSON.parse(out) as Report).records[0]?.reason]).toEqual([1, "forbidden_mutation"]);
  });

  it("are reported as JUnit and for people", async () => {
    const bad = recordFile({ ...good(), result: "DONE" });
    const argv = ["handoff", "validate", bad, "--root", root, "--policy", bundle];
    const junit = await portcullis(...argv, "--junit");
    expect(junit.code).toBe(1);
    expect(junit.out).toContain('tests="1" failures="1"');
    expect(junit.out).toContain("RESULT result_invalid /result");
    const human = await portcullis(...argv);
    expect(human.out).toContain("RESULT result_invalid /result");
    expect((await portcullis(...argv, "--format", "json")).out).toContain('"ok": false');
  });
});

describe("paths that are forbidden to subs", () => {
  const sources = join(folder, "roles");
  const policy = join(folder, "roles.tar.gz");
  const asked = async (path: string, change: object = {}): Promise<readonly string[]> => {
    const file = recordFile({ ...good(path), ...change });
    const argv = ["handoff", "validate", file, "--root", root, "--policy", policy, "--json"];
    const { records } = JSON.parse((await portcullis(...argv)).out) as Report;
    return records.flatMap(({ violations }) => violations.map((v) => `${v.reason} ${v.path}`));
  };

  beforeAll(async () => {
    write(
      join(sources, "handoff.yaml"),
      "agents: { master: [MASTER], sub: [SUB] }\nforbidden_paths: [rules, docs/plan.md]\n",
    );
    const { compiled } = await compile({ host: nodeHost, dirs: [sources] });
    write(policy, compiled?.bundle as Uint8Array);
    write(join(root, "rules/top.md"), "hands off\n");
    write(join(root, "docs/plan.md"), "hands off\n");
    symlinkSync(join(root, "rules"), join(root, "docs/harmless"));
    symlinkSync("plan.md", join(root, "docs/notes.md"));
  });

  it.each(["rules/top.md", "./rules//top.md", "docs/plan.md", "docs/harmless/top.md", "docs/notes.md"])(
    "hold %s, whatever leads there",
    async (path) => {
      expect(await asked(path)).toEqual(["forbidden_mutation /artifacts/0/path"]);
      expect(await asked(path, { from_agent: "MASTER", to_agent: "SUB" })).toEqual([]);
    },
  );

  it("hold nothing else", async () => {
    expect(await asked("docs/report.md")).toEqual([]);
  });
});

describe("portcullis test", () => {
  it("runs the samples of a policy set, each at its place", { timeout: 60_000 }, async () => {
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
    const none = join(folder, "sources");
    const { code, err } = await portcullis("handoff", "validate", "--self-test", "--policy", none);
    expect([code, err]).toEqual([1, expect.stringContaining("no positive samples")]);
  });
});

it("prints help with examples", async () => {
  const { code, out } = await portcullis("handoff", "validate", "--help");
  expect(code).toBe(0);
  expect(out).toContain("Examples:");
});
