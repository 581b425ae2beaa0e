/** Histories and approvals that a guard of a tool asks for. */
import { ALLOW, type Answer, DENY, fails, type Guards, noting } from "./guard-fakes.ts";

/** A store that reserves one call, and takes down what becomes of it. */
function keeping(said: unknown[], reserve?: () => unknown): object {
  const reservation = {
    facts: { now: 5, history: { X: { calls: 0, sum: 0, last_ms: {} } } },
    isReserved: true,
    commit: async () => void said.push("commit"),
    release: async () => void said.push("release"),
  };
  return { reserve: async () => reserve?.() ?? reservation };
}

export async function histories(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const found: Answer[] = [];
  const limits = { X: { calls: { tools: { t: true } }, per: [], max_calls: 1 } };
  const seen: unknown[] = [];
  const policyOf = (answer: unknown): object => ({
    ...{ limits, historyName: "h", revision: "r" },
    call: (request: unknown) => noting(seen, request, answer),
  });
  const facts = { now: 5, history: { X: { calls: 0, sum: 0, last_ms: {} } } };
  const good: readonly (readonly [succeeded: unknown, said: readonly string[]])[] = [
    [undefined, ["commit"]],
    [() => true, ["commit"]],
    [() => 1, []],
    [() => false, []],
    [fails, []],
  ];
  for (const [succeeded, expected] of good) {
    const said: unknown[] = [];
    const options = { history: keeping(said), ...(succeeded === undefined ? {} : { succeeded }) };
    const { allowed, value } = await guardTool(policyOf(ALLOW), {}, "t", () => "done", options)(undefined);
    found.push([
      "with a history",
      [allowed, value, seen.splice(0), said],
      [true, "done", [{ tool: "t", facts }], expected],
    ]);
  }
  const said: unknown[] = [];
  const denied = await guardTool(policyOf(DENY), {}, "t", fails, { history: keeping(said) })(undefined);
  found.push(["a denial is given back", [denied["decision"], said], [DENY, ["release"]]]);
  const problem = "the history of the call is not known: no";
  const fault = { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input", problem };
  for (const [answer, decision] of [
    [ALLOW, fault],
    [DENY, { ...DENY, problem }],
  ] as const) {
    const outcome = await guardTool(policyOf(answer), {}, "t", fails, { history: keeping([], fails) })(undefined);
    found.push(["without an answer of the store", outcome["decision"], decision]);
  }
  const full = { facts, isReserved: false, commit: async () => {}, release: async () => {} };
  const unreserved = { ...fault, problem: "the store has reserved nothing for it" };
  for (const [answer, decision] of [[ALLOW, unreserved] as const, [DENY, DENY] as const]) {
    const outcome = await guardTool(policyOf(answer), {}, "t", fails, { history: keeping([], () => full) })(undefined);
    found.push(["where nothing was reserved", outcome["decision"], decision]);
  }
  const broken = { call: () => ALLOW, limits: { X: 7 } };
  found.push(["limits of another form", (await guardTool(broken, {}, "t", fails)({}))["allowed"], false]);
  const { record: written } = await guardTool(policyOf(ALLOW), fails, "t", fails)(undefined);
  found.push(["a context that throws names the policy", (written as { revision?: unknown }).revision, "r"]);
  return found;
}

export async function approvals(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const found: Answer[] = [];
  const bound = { tools: ["t"], approvers: {}, revision: "r" };
  for (const [approval, times] of [["bound", 1] as const, ["required", 0] as const, [undefined, 0] as const]) {
    const calls: unknown[] = [];
    const source = {
      find: () => [],
      ask: (digest: unknown, call: unknown) => noting(calls, [digest, call], undefined),
    };
    const answer = { allowed: false, gate: "G", reason: "r", ...(approval === undefined ? {} : { approval }) };
    const policy = { call: () => answer, approvals: bound };
    const outcome = await guardTool(policy, {}, "t", fails, { approvals: source })(undefined);
    found.push(["asks people", [outcome["allowed"], calls.length], [false, times]]);
  }
  // Whose approvals cannot be read: a denial for lack of one says that, and no other does.
  for (const [gate, expected] of [
    ["APPROVAL", "INTERNAL_ERROR"],
    ["SCOPE", "SCOPE"],
  ] as const) {
    const policy = { call: () => ({ allowed: false, gate, reason: "r" }), approvals: bound };
    const outcome = await guardTool(policy, {}, "t", fails, { approvals: { find: fails } })(undefined);
    const decision = outcome["decision"] as { readonly gate: string; readonly problem?: string };
    found.push([`approvals that are not known, ${gate}`, decision.gate, expected]);
    const isSaid = decision.problem?.startsWith("the approvals of the call are not known") === true;
    found.push([`their problem, ${gate}`, isSaid, gate === "APPROVAL"]);
  }
  return found;
}

/** What a host answers in the place of the policy, and lets listeners of it hear. */
export function overrulings(overruled: Guards["overruled"]): Answer[] {
  const found: Answer[] = [];
  const why = { gate: "INTERNAL_ERROR", reason: "invalid input" };
  const cases: readonly (readonly [facts: object, answer: object, expected: object | undefined])[] = [
    [{ fault: "f" }, ALLOW, { allowed: false, ...why, problem: "f" }],
    [{ fault: "f" }, DENY, undefined],
    [{ fault: "f" }, { decision: true }, { decision: false, context: { ...why, problem: "f" } }],
    [{ fault: "f" }, { decision: false, context: DENY }, undefined],
    [
      { unapproved: "u" },
      { decision: false, context: { gate: "APPROVAL" } },
      { decision: false, context: { ...why, problem: "u" } },
    ],
    [{ unapproved: "u" }, { decision: true, context: {} }, undefined],
    [{ refused: "r" }, ALLOW, { allowed: false, ...why, problem: "r" }],
    [{ refused: "r", fault: "f" }, { decision: true }, { decision: false, context: { ...why, problem: "r" } }],
    [{ refused: "r" }, { allowed: false, gate: "APPROVAL" }, undefined],
    [{}, ALLOW, undefined],
  ];
  for (const [facts, answer, expected] of cases) {
    const host: { overrule?: ((answer: unknown) => unknown) | undefined } = {};
    let told: unknown;
    const question = (): unknown => {
      told = host.overrule?.(answer);
      return answer;
    };
    const message = Object.values(facts)[0] as string;
    const name = JSON.stringify([facts, answer]);
    found.push([`is answered of ${name}`, overruled({ evaluator: { host } }, facts, question), expected ?? answer]);
    found.push([`is told of ${name}`, told, expected && [expected, { code: "internal", message }]]);
    found.push([`is over with the question of ${name}`, host.overrule, undefined]);
  }
  const counts: (() => void)[] = [];
  for (const facts of [undefined, {}, { fault: "f" }]) {
    const host: { counts?: unknown } = {};
    let during: unknown;
    const question = (): unknown => {
      during = host.counts;
      return ALLOW;
    };
    const answer = overruled({ evaluator: { host } }, facts, question, counts) as { readonly allowed: unknown };
    const name = JSON.stringify(facts);
    found.push([`is counted later with ${name}`, [during === counts, host.counts], [true, undefined]]);
    found.push([`is answered and counted with ${name}`, answer.allowed, !("fault" in Object(facts))]);
  }
  const host: { overrule?: unknown } = {};
  try {
    overruled({ evaluator: { host } }, { fault: "f" }, fails);
  } catch {
    found.push(["is over where the question throws", host.overrule, undefined]);
  }
  for (const other of [undefined, {}, { evaluator: Object.freeze({}) }])
    found.push([
      "without listeners",
      overruled(other, { fault: "f" }, () => ALLOW),
      { allowed: false, ...why, problem: "f" },
    ]);
  return found;
}
