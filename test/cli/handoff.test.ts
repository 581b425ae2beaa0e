/** `portcullis handoff validate` on real files: what counts as evidence, and what the exit code says. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { Contents, collectEvidence } from "../../compiler/enforcement/execution/handoff/evidence.ts";
import { compile } from "../../compiler/index.ts";
import { acceptedRecord as good } from "./handoff-record.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const root = join(folder, "repo");
const bundle = join(folder, "bundle.tar.gz");
let number = 0;

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

  it("is not a folder or anything else that is not a regular file", async () => {
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

  it("reads a file once, however often and in whatever spelling records name it", () => {
    const read: string[] = [];
    const contents = new Contents((path) => {
      read.push(path);
      return { file: true, sha256: String(read.length), size: 1 };
    });
    const spellings = Array.from({ length: 60 }, (_, i) => `docs/${"./".repeat(i)}report.md`);
    const record = { artifacts: spellings.map((path) => ({ path })) };
    const found = Object.values(collectEvidence(root, record, contents));
    expect(found).toEqual(Array(60).fill({ ...found[0], sha256: "1" }));
    expect(collectEvidence(root, record, contents)).toMatchObject({ "docs/report.md": { sha256: "1" } });
    expect(read).toEqual([join(root, "docs/report.md")]);
    write(join(root, "docs/report.md"), "# Another report\n");
    expect(collectEvidence(root, record, contents)).toMatchObject({ "docs/report.md": { sha256: "2" } });
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

  it("is 1 for a text that is not JSON, not UTF-8, or says one thing twice", async () => {
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

it("prints help with examples", async () => {
  const { code, out } = await portcullis("handoff", "validate", "--help");
  expect(code).toBe(0);
  expect(out).toContain("Examples:");
});
