/** What a guard of a turn delegates, and what it says. */
import { ALLOW, type Answer, clockOf, fails, type Guards, noting } from "./guard-fakes.ts";

const DELEGATED = { ...ALLOW, allowlistedSubagents: ["A", "B"], delegatedSubagents: ["A"] };
export function turns(guardTurn: Guards["guardTurn"]): Answer[] {
  const found: Answer[] = [];
  const through = (answer: unknown, turn: unknown, options: object = {}): readonly [unknown, unknown[]] => {
    const seen: unknown[] = [];
    const result = guardTurn({ subagent: (given: unknown) => noting(seen, given, answer) }, turn, options);
    return [result["delegatedSubagents"], seen];
  };
  const env = { CHIRALITY_ENABLE_SUBAGENTS: "true", OTHER: 1 };
  const turn = { persona: "P", governance: { a: 1 }, env };
  const asked = { persona: "P", governance: { a: 1 }, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" } };
  found.push(["delegated", through(DELEGATED, turn), [["A"], [asked]]]);
  found.push(["frozen", Object.isFrozen(through(DELEGATED, turn)[0]), true]);
  for (const answer of [
    ...[
      { ...DELEGATED, allowed: false },
      { ...DELEGATED, allowed: 1 },
      { ...DELEGATED, delegatedSubagents: "A" },
    ],
    ...[{ ...DELEGATED, allowlistedSubagents: 1 }, { ...DELEGATED, allowed: undefined }, null, 1],
  ])
    found.push(["not delegated", through(answer, turn)[0], []]);
  for (const one of [null, 7, {}, { persona: "P", env: null }, { persona: "P", env: 1 }, Object.create(turn)])
    found.push(["no turn", through(DELEGATED, one), [[], []]]);
  for (const [limit, slow] of [
    [1, true],
    ["1", true],
    [2, false],
    [3, false],
    ["", false],
    [" ", false],
    [0, false],
    ["0", false],
    [-1, false],
    ["x", false],
    [true, false],
  ] as const) {
    const [warned, logged]: string[][] = [[], []];
    const timed = { ...turn, env: { ...env, CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS: limit } };
    through(DELEGATED, timed, {
      warn: (l: string) => warned?.push(l),
      log: (l: string) => logged?.push(l),
      now: clockOf(3, 5),
    });
    const line = `subagent-governance WARN slow evaluation: 2.000 ms is over ${limit} ms`;
    found.push([`warned over ${limit}`, [warned, logged?.length], [slow ? [line] : [], 1]]);
  }
  const slow = { ...turn, env: { ...env, CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS: 1 } };
  const [lines, warnings]: string[][] = [[], []];
  through(DELEGATED, slow, { log: (l: string) => lines?.push(l), now: clockOf(3, 5) });
  const isWarning = (l: string): boolean => l.startsWith("subagent-governance WARN");
  found.push(["a warning where the lines go", lines?.map(isWarning), [false, true]]);
  through(DELEGATED, slow, { log: false, warn: (l: string) => warnings?.push(l), now: clockOf(3, 5) });
  found.push(["a warning without lines", warnings?.map(isWarning), [true]]);
  found.push(["no lines at all", through(DELEGATED, slow, { log: false, now: clockOf(3, 5) })[0], ["A"]]);
  const recorded = (persona: unknown, answer: unknown, ...readings: number[]): unknown => {
    const { record: one, decision } = guardTurn(
      { subagent: () => answer },
      { ...turn, persona },
      { now: clockOf(...readings) },
    );
    const { persona: said, evaluation_ms: took } = one as { persona: unknown; evaluation_ms: unknown };
    return [said, took, (decision as typeof ALLOW).gate];
  };
  found.push(["recorded", recorded("P", DELEGATED, 5, 5), ["P", 0, "ALLOW"]]);
  found.push(["a clock that goes back", recorded(7, DELEGATED, 5, 4), ["", 0, "ALLOW"]]);
  found.push(["no answer", recorded("P", { ...DELEGATED, allowed: undefined }, 5, 5), ["P", 0, "INTERNAL_ERROR"]]);
  const broken = guardTurn({ subagent: () => DELEGATED }, turn, { log: fails, record: fails, now: fails });
  found.push(["broken sinks", broken["delegatedSubagents"], ["A"]]);
  return found;
}
