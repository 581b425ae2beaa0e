/** Records and their decisions, and what was refused and has to come again. */
import type { Policy } from "@portcullis/runtime";
import { type CheckedRecord, checkRecord } from "../../../compiler/enforcement/execution/handoff/check.ts";
import { notReplayed, refusedIn } from "../../../compiler/enforcement/execution/handoff/replay.ts";
import { type Check, same } from "./check.ts";

export function replayChecks(): readonly Check[] {
  return [
    { what: "ids of records", run: ids },
    { what: "reports", run: reports },
    { what: "what was not replayed", run: missing },
  ];
}

const accepting = {
  handoff: () => ({ allowed: true, gate: "ALLOW", reason: "handoff_accepted" }),
} as unknown as Policy;

function ids(): void {
  for (const [record, expected] of [
    [{ handoff_id: "H-1" }, "H-1"],
    [{ handoff_id: "" }, ""],
    [{ handoff_id: 7 }, null],
    [{}, null],
    [null, null],
    ["H-1", null],
    [["H-1"], null],
  ] as const) {
    const { handoffId, violations } = checkRecord(accepting, undefined, { file: "f", record, problem: undefined });
    same(JSON.stringify(record), [handoffId, violations], [expected, []]);
  }
}

const entry = (file: unknown, handoff_id: unknown, allowed: unknown): object => ({ file, handoff_id, allowed });

function reports(): void {
  const read = (report: unknown) => refusedIn("report.json", Buffer.from(JSON.stringify(report)));
  const records = [
    ...[entry("a", "H-1", false), entry("b", "H-2", true), entry("c", null, false)],
    ...[entry("d", "", false), entry("e", " ", false)],
  ];
  same("a report", read({ ok: false, records }), {
    ok: true,
    value: [
      { file: "a", handoffId: "H-1" },
      { file: "c", handoffId: null },
      { file: "d", handoffId: null },
      { file: "e", handoffId: null },
    ],
  });
  same("a report of nothing", read({ records: [] }), { ok: true, value: [] });
  const odd: readonly unknown[] = [
    ...[null, 7, [], {}, { records: {} }, { records: "x" }, { records: [null] }, { records: ["x"] }],
    ...[entry(7, "H", false), entry("a", 7, false), entry("a", "H", "false"), entry(7, 7, 7)].map((one) => ({
      records: [entry("z", "Z", true), one],
    })),
    ...[
      { file: "a", allowed: false },
      { file: "a", handoff_id: "H" },
      { handoff_id: "H", allowed: true },
    ].map((one) => ({
      records: [one],
    })),
  ];
  for (const one of odd) {
    const result = read(one);
    same(JSON.stringify(one), !result.ok && result.problem.message, "`report.json` is no report of records");
  }
  for (const broken of ["{", '{"records":[],"records":[]}', ""]) {
    const result = refusedIn("report.json", Buffer.from(broken));
    same(broken, !result.ok && result.problem.message.startsWith("`report.json` is not valid JSON: "), true);
  }
}

function missing(): void {
  const record = (file: string, handoffId: string | null): CheckedRecord => ({
    ...{ file, handoffId, allowed: true, gate: "ALLOW", reason: "handoff_accepted" },
    ...{ violations: [], problem: undefined, milliseconds: 1 },
  });
  const refused = [
    { file: "a", handoffId: "H-1" },
    { file: "b", handoffId: "H-2" },
    { file: "c", handoffId: null },
    { file: "d", handoffId: null },
  ];
  const none = (file: string, handoffId: string | null): object => ({
    ...{ file, handoffId, allowed: false, gate: "REPLAY", reason: "refused_before_and_not_replayed" },
    ...{ violations: [], problem: undefined, milliseconds: 0 },
  });
  // By its id, wherever it lies; by its file, whatever its id is by now.
  const delivered = [record("other", "H-1"), record("b", "H-9"), record("c", "H-8")];
  same("missing", notReplayed(refused, delivered), [none("b", "H-2"), none("d", null)]);
  same("nothing delivered", notReplayed(refused, []), [
    ...[none("a", "H-1"), none("b", "H-2"), none("c", null), none("d", null)],
  ]);
  same("nothing refused", notReplayed([], delivered), []);
}
