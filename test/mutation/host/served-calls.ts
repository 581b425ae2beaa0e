/** Calls that a server decides: what it finds out of them, and what becomes of what they have reserved. */
import type { FactHost, HistoryRequest, HistoryStore, Reservation } from "@portcullis/runtime";
import { aside, Calls } from "../../../compiler/enforcement/serving/call-history.ts";
import { type Check, same } from "./check.ts";
import { answering } from "./served-policy.ts";
import { denied } from "./verdicts.ts";

export function callChecks(): readonly Check[] {
  return [
    { what: "calls that a server counts", run: counted },
    { what: "what becomes of an answer", run: outcomes },
    { what: "sessions that a client says", run: sessions },
    { what: "calls that may need an approval", run: approved },
    { what: "approvals that are not known", run: unknownApprovals },
    { what: "calls that are only thought of", run: thought },
  ];
}

const LIMITS = { L: { per: ["role"], max_calls: 2 } };
const CALL = "portcullis/call/decision";
const ALLOW = { allowed: true, gate: "ALLOW", reason: "call_allowed" };

/** Notes what becomes of what it reserves. */
function noting(): { readonly history: HistoryStore; readonly said: string[] } {
  const said: string[] = [];
  const facts = { now: 7, history: { L: { calls: 1, sum: 0, last_ms: {} } } };
  const reservation: Reservation = {
    ...{ facts, isReserved: true },
    commit: () => void said.push("commit"),
    release: () => void said.push("release"),
  };
  return { history: { reserve: () => reservation }, said };
}

async function counted(): Promise<void> {
  const outcome = async (value: unknown, fault?: { readonly code: string }): Promise<readonly unknown[]> => {
    const { history, said } = noting();
    const policy = answering({ [CALL]: () => value }, { limits: LIMITS, fault });
    const calls = new Calls({ history });
    const found = await calls.decide(policy, CALL, '{"role":"R","tool":"t"}');
    calls.given();
    return [(found.value as { readonly allowed?: unknown })?.allowed, said];
  };
  same("an allow", await outcome(ALLOW), [true, []]);
  same("of AuthZEN's form", (await outcome({ decision: true }))[1], []);
  same("a denial", await outcome({ ...ALLOW, allowed: false }), [false, ["release"]]);
  same("an allow after a fault", await outcome(ALLOW, { code: "x" }), [true, ["release"]]);
  for (const odd of [undefined, null, true, { allowed: 1 }, { decision: "true" }])
    same(`no answer: ${JSON.stringify(odd)}`, (await outcome(odd))[1], ["release"]);
  const { history, said } = noting();
  const policy = answering({ [CALL]: () => ALLOW, other: () => ALLOW }, { limits: LIMITS });
  const calls = new Calls({ history });
  await calls.decide(policy, "other", '{"role":"R","tool":"t"}');
  for (const none of ["{}", "[]", "null", '{"tool":1}', '{"role":"R"}']) await calls.decide(policy, CALL, none);
  calls.given();
  same("no calls", said, []);
  const theirs = { history: { L: { calls: 0 } }, now: 1, session: "s", own: 1, call_sha256: "x", approval: {} };
  await calls.decide(policy, CALL, JSON.stringify({ role: "R", tool: "t", facts: theirs }));
  const { facts } = (policy.asked.at(-1) as { readonly input: unknown }).input as {
    readonly facts: Readonly<Record<string, unknown>>;
  };
  const { history: found, now, own, approval, call_sha256 } = facts;
  same(
    "facts that a client says",
    [(found as { readonly L: { readonly calls: number } }).L.calls, now, own],
    [1, 7, 1],
  );
  same("of an approval", [approval, call_sha256], [undefined, undefined]);
  await calls.undone();
  same("an answer that is not given", said, ["release"]);
  same("what the call is", policy.asked.at(-1)?.input, { role: "R", tool: "t", facts });
  const unkept = async (value: unknown): Promise<unknown> => {
    const without = answering({ [CALL]: () => value }, { limits: LIMITS });
    return (await new Calls({}).decide(without, CALL, '{"role":"R","tool":"t"}')).value;
  };
  const problem = "the history of the call is not known: the host keeps none";
  same("no store", await unkept(ALLOW), { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input", problem });
  same("no store, and a denial", await unkept(denied("SCOPE")), denied("SCOPE"));
  for (const odd of [null, undefined, true]) same("no store, and no answer", await unkept(odd), odd);
  const mapped = answering(
    { other: () => ALLOW, "portcullis/authzen/asked": () => ({ role: "R", tool: "t" }) },
    { limits: LIMITS },
  );
  same("an entrypoint that decides no call", (await new Calls({}).decide(mapped, "other", "{}")).value, ALLOW);
  const authzen = answering({ "portcullis/authzen/evaluation": () => ({ decision: true }) }, { limits: LIMITS });
  Object.assign(authzen, {
    evaluateJson: (name: string) => (name.endsWith("asked") ? { role: "R", tool: "t" } : { decision: true }),
  });
  const evaluated = await new Calls({}).decide(authzen, "portcullis/authzen/evaluation", "{}");
  same("no store, of AuthZEN's form", (evaluated.value as { readonly decision: unknown }).decision, false);
}

async function thought(): Promise<void> {
  const policy = answering({ [CALL]: () => ALLOW });
  let quiet = 0;
  const events = {
    lastDecisionId: () => "id",
    aside(work: () => unknown): unknown {
      quiet++;
      return work();
    },
  };
  Object.assign(policy, { events });
  const heard = new Calls({});
  same("heard", [(await heard.decide(policy, CALL, "{}")).decisionId, quiet, [...heard.ids]], ["id", 0, ["id"]]);
  // Limits count calls, and this decides none.
  const limited = Object.assign(answering({}, { limits: LIMITS }), { evaluate: () => "without an input" });
  const unheard = new Calls({});
  const { value } = await unheard.decide(limited, CALL, undefined);
  same("without an input", [value, unheard.ids.size], ["without an input", 0]);
  await new Calls({}, { aside: true }).decide(policy, CALL, "{}");
  same("unheard", quiet, 1);
  same(
    "without a listener",
    aside(answering({}), () => 3),
    3,
  );
}

/** An answer that fails has used up nothing, whatever is said of it afterwards. */
async function outcomes(): Promise<void> {
  const { history, said } = noting();
  const broken = answering(
    {
      [CALL]: () => {
        throw new Error("broken");
      },
    },
    { limits: LIMITS },
  );
  const calls = new Calls({ history });
  const failed = await calls.decide(broken, CALL, '{"role":"R","tool":"t"}').catch((error: Error) => error.message);
  calls.given();
  same("fails", [failed, said], ["broken", ["release"]]);
}

async function sessions(): Promise<void> {
  const asked: HistoryRequest[] = [];
  const { history } = noting();
  const reserve = (request: HistoryRequest): ReturnType<HistoryStore["reserve"]> => {
    asked.push(request);
    return history.reserve(request);
  };
  const policy = answering({ [CALL]: () => ALLOW }, { limits: { L: { per: ["session"], max_calls: 2 } } });
  const found: unknown[] = [];
  for (const session of ["s", "t", "s", 5, undefined]) {
    const facts = JSON.stringify({ session });
    const { value } = await new Calls({ history: { reserve } }).decide(policy, CALL, `{"tool":"t","facts":${facts}}`);
    found.push((value as { readonly allowed: unknown }).allowed);
  }
  const keys = asked.map(({ limits }) => limits[0]?.key);
  same("keys", [keys.length, keys[0] === keys[1], keys[0] === keys[2]], [3, false, true]);
  same("decided", found, [true, true, true, true, true]);
}

const APPROVALS = { revision: "r", approvers: {}, tools: ["t"] };

async function approved(): Promise<void> {
  const policy = answering({ [CALL]: () => ALLOW }, { approvals: APPROVALS });
  const digest = async (text: string): Promise<unknown> => {
    await new Calls({}).decide(policy, CALL, text);
    const { facts, tool } = (policy.asked.at(-1) as { readonly input: unknown }).input as {
      readonly facts: { readonly call_sha256?: unknown };
      tool: unknown;
    };
    same("the call", tool, "t");
    return facts.call_sha256;
  };
  const plain = await digest('{"role":"R","tool":"t"}');
  same("a digest", /^[0-9a-f]{64}$/.test(String(plain)), true);
  same("of the same call", await digest('{"tool":"t","role":"R","facts":{"paths":null}}'), plain);
  same("of other paths", (await digest('{"role":"R","tool":"t","facts":{"paths":{"a":{"x":1}}}}')) === plain, false);
  for (const odd of ['{"role":"R","role":"R","tool":"t"}', '{"role":"R","tool":"t","args":{"a":9007199254740993}}'])
    same(`no digest: ${odd}`, await digest(odd), undefined);
  const neither = answering({ [CALL]: () => ALLOW });
  const text = '{"role":"R","tool":"t","facts":{"now":1.50}}';
  await new Calls({}).decide(neither, CALL, text);
  same("a policy that asks for no facts", neither.asked[0]?.text, text);
  const both = answering({ [CALL]: () => ALLOW }, { limits: LIMITS });
  const twice = '{"role":"R","tool":"t","a":1,"a":2}';
  same("counted all the same", (await new Calls(noting()).decide(both, CALL, twice)).value, ALLOW);
}

async function unknownApprovals(): Promise<void> {
  const find = (): never => {
    throw new Error("away");
  };
  const host: FactHost = { approvals: { find } };
  const answer = async (value: unknown, by: FactHost = host): Promise<unknown> =>
    (await new Calls(by).decide(answering({ [CALL]: () => value }, { approvals: APPROVALS }), CALL, '{"tool":"t"}'))
      .value;
  const problem = "the approvals of the call are not known: away";
  const fault = { gate: "INTERNAL_ERROR", reason: "invalid input", problem };
  same("a denial for it", await answer(denied("APPROVAL")), { allowed: false, ...fault });
  const context = { gate: "APPROVAL", reason: "r" };
  same("of AuthZEN's form", await answer({ decision: false, context }), { decision: false, context: fault });
  for (const other of [
    denied("SCOPE"),
    { decision: false, context: { gate: "SCOPE" } },
    { decision: false, context: 1 },
  ])
    same("another denial", await answer(other), other);
  same("known approvals", await answer(denied("APPROVAL"), {}), denied("APPROVAL"));
  for (const odd of [null, undefined, "APPROVAL"]) same("no answer", await answer(odd), odd);
}
