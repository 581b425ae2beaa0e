/** `portcullis handoff validate --replay`: what was refused has to come again, and be accepted. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const root = join(folder, "repo");
const records = join(folder, "records");
const report = join(folder, "report.json");

const good = (handoff_id: unknown): Record<string, unknown> => ({
  handoff_id,
  task_id: "T1",
  from_agent: "SUB",
  to_agent: "MASTER",
  input_scope: "docs",
  actions_taken: ["wrote the report"],
  artifacts: [{ path: "docs/report.md", kind: "report" }],
  result: "PASS",
  next_action: { owner: "MASTER", action: "read it", input: "docs/report.md" },
  rulebook_update: { applied: false },
});

const bad = (handoff_id: unknown): Record<string, unknown> => ({
  ...good(handoff_id),
  result: "DONE",
});

interface Report {
  readonly ok: boolean;
  readonly records: readonly {
    readonly file: string;
    readonly handoff_id: string | null;
    readonly reason: string;
  }[];
}

/** Validates the folder of records, and keeps the report. */
async function validate(...argv: string[]): Promise<{ code: number; report: Report }> {
  const { code, out } = await portcullis("handoff", "validate", records, "--root", root, "--json", ...argv);
  write(report, out);
  return { code, report: JSON.parse(out) as Report };
}

const put = (name: string, record: unknown): string => write(join(records, name), record);

beforeEach(() => {
  rmSync(records, { recursive: true, force: true });
  write(join(root, "docs/report.md"), "a report\n");
  put("other.json", good("H-0"));
});

afterAll(() => removeFolder(folder));

describe("a refused record", () => {
  it("is replayed when it is delivered again under its id, wherever it lies", async () => {
    const first = put("first.json", bad("H-1"));
    expect(await validate()).toMatchObject({
      code: 1,
      report: { ok: false, records: [{ handoff_id: "H-1" }, {}] },
    });
    rmSync(first);
    put("later/moved.json", good("H-1"));
    expect(await validate("--replay", report)).toMatchObject({
      code: 0,
      report: { ok: true },
    });
    // Nothing was refused in the last run, so nothing has to come again.
    rmSync(join(records, "later"), { recursive: true });
    expect(await validate("--replay", report)).toMatchObject({
      code: 0,
      report: { ok: true },
    });
  });

  it("is missed when it is left out, or another stands in its file, until it comes", async () => {
    const file = put("first.json", bad("H-1"));
    await validate();
    for (const change of [
      () => rmSync(file),
      () => put("first.json", good("H-2")),
      () => put("first.json", good("h-1")),
    ]) {
      change();
      const { code, report: seen } = await validate("--replay", report);
      expect(code).toBe(1);
      expect(seen.ok).toBe(false);
      expect(seen.records.at(-1)).toMatchObject({
        file,
        handoff_id: "H-1",
        allowed: false,
        gate: "REPLAY",
        reason: "refused_before_and_not_replayed",
        violations: [],
        failure: "REPLAY refused_before_and_not_replayed",
      });
    }
    put("first.json", bad("H-1"));
    expect((await validate("--replay", report)).report.records.map((one) => one.reason)).toEqual([
      "result_invalid",
      "handoff_accepted",
    ]);
    put("first.json", good("H-1"));
    expect((await validate("--replay", report)).code).toBe(0);
  });

  it("is known by its file where another record of the run has its id", async () => {
    for (const other of [good("H-1"), bad("H-1")]) {
      const file = put("first.json", bad("H-1"));
      const second = put("second.json", other);
      await validate();
      rmSync(file);
      put("second.json", good("H-1"));
      const { code, report: seen } = await validate("--replay", report);
      expect(code).toBe(1);
      expect(seen.records.at(-1)).toMatchObject({ file, reason: "refused_before_and_not_replayed" });
      put("first.json", good("H-1"));
      expect((await validate("--replay", report)).code).toBe(0);
      rmSync(second);
    }
  });

  it("is known by its file where it has no id", async () => {
    for (const id of [7, null, " ", undefined]) {
      const file = put("first.json", bad(id));
      await validate();
      rmSync(file);
      expect((await validate("--replay", report)).report.records.at(-1)).toMatchObject({ file, handoff_id: null });
      put("first.json", good("H-1"));
      expect((await validate("--replay", report)).code, String(id)).toBe(0);
    }
    write(join(records, "first.json"), "no json");
    expect((await validate()).report.records[0]).toMatchObject({
      handoff_id: null,
    });
    rmSync(join(records, "first.json"));
    expect((await validate("--replay", report)).code).toBe(1);
  });

  it("is named for people", async () => {
    const file = put("first.json", bad("H-1"));
    await validate();
    rmSync(file);
    const { code, out } = await portcullis("handoff", "validate", records, "--root", root, "--replay", report);
    expect(code).toBe(1);
    expect(out).toContain(`refused ${file}\n        REPLAY refused_before_and_not_replayed\n1 accepted, 1 not\n`);
  });
});

describe("a report", () => {
  it("must be one: anything else is wrong usage, and nothing is accepted by it", async () => {
    const entry = { file: "a.json", handoff_id: "H-1", allowed: false };
    const broken = [
      "",
      "[]",
      "{}",
      '{"records":{}}',
      '{"records":[7]}',
      '{"records":[],"records":[]}',
      ...[{ file: 7 }, { handoff_id: 7 }, { handoff_id: undefined }, { allowed: "false" }, { allowed: undefined }].map(
        (change) => JSON.stringify({ records: [{ ...entry, ...change }] }),
      ),
    ];
    for (const text of broken) {
      write(report, text);
      const { code, out } = await portcullis("handoff", "validate", records, "--root", root, "--replay", report);
      expect([code, out], text).toEqual([2, ""]);
    }
    rmSync(report);
    expect((await portcullis("handoff", "validate", records, "--root", root, "--replay", report)).code).toBe(2);
  });

  it("is of records that were delivered, not of samples", async () => {
    write(report, { ok: true, records: [] });
    const { code, err } = await portcullis("handoff", "validate", "--self-test", "--policy", root, "--replay", report);
    expect(code).toBe(2);
    expect(err).toContain("--self-test");
    expect(readFileSync(report, "utf8")).toContain("records");
  });
});
