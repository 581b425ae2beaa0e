/** What a server is told to have succeeded. */
import type { HistoryRequest, HistoryStore, PolicyLimit, PolicyLimits } from "@portcullis/runtime";
import { serve } from "../../../compiler/enforcement/serving/server.ts";
import { answerSuccess } from "../../../compiler/enforcement/serving/successes.ts";
import { countSuccess } from "../../../compiler/enforcement/state/index.ts";
import { type Check, same } from "./check.ts";
import { answering } from "./served-policy.ts";

export function successChecks(): readonly Check[] {
  return [
    { what: "successes that are counted", run: countedSuccesses },
    { what: "successes that a server is told", run: told },
    { what: "what says no success", run: refused },
    { what: "who may say a success", run: sayers },
  ];
}

const CALL = "portcullis/call/decision";
const DATA = `v1/data/${CALL}`;
const AUTHZEN = "access/v1/evaluation";
const ORDER: PolicyLimit = {
  per: ["role"],
  calls: { tools: { b: true } },
  only_after: { tools: { a: true }, within_ms: 1000 },
};
const LIMITS: PolicyLimits = {
  ORDER,
  SESSIONS: { ...ORDER, per: ["session"] },
  // A success is no call of these.
  CALLS: { per: ["role"], max_calls: 1 },
  NEVER: { per: ["role"], calls: { tools: { b: true } }, never_after: { tools: { a: true } } },
};

/** Notes what is reserved, and what becomes of it. */
function noting(isReserved = true): { history: HistoryStore; asked: HistoryRequest[]; said: string[] } {
  const asked: HistoryRequest[] = [];
  const said: string[] = [];
  const history: HistoryStore = {
    reserve(request) {
      asked.push(request);
      const found = request.limits.map(({ id }) => [id, { calls: 0, sum: 0, last_ms: {} }]);
      return {
        ...{ facts: { now: 7, history: Object.fromEntries(found) }, isReserved },
        commit: () => void said.push("commit"),
        release: () => void said.push("release"),
      };
    },
  };
  return { history, asked, said };
}

const idsOf = (asked: readonly HistoryRequest[]): string[] => asked.flatMap(({ limits }) => limits.map(({ id }) => id));

async function countedSuccesses(): Promise<void> {
  const policy = { limits: LIMITS, historyName: "desk" };
  const { history, asked, said } = noting();
  await countSuccess(policy, { role: "R", tool: "a" }, { history, session: "s" });
  same("of what is waited for", [idsOf(asked), said], [["ORDER", "SESSIONS"], ["commit"]]);
  await countSuccess(policy, { role: "R", tool: "b" }, { history, session: "s" });
  await countSuccess({}, { role: "R", tool: "a" }, { history });
  same("of anything else", [asked.length, said.length], [1, 1]);
  const none = noting(false);
  const problem = await countSuccess(policy, { role: "R", tool: "a" }, { history: none.history, session: "s" }).catch(
    (error: Error) => error.message,
  );
  same("a store that reserves nothing", [problem, none.said], ["the store has reserved nothing for it", []]);
}

const asking = { [CALL]: () => true, [`${AUTHZEN}/x`]: () => true };

async function told(): Promise<void> {
  const policy = answering(asking, { limits: LIMITS });
  const { history, asked, said } = noting();
  const by = { policy, authzen: "portcullis/authzen/evaluation", trustFacts: false, host: { history } };
  const call = { role: "R", tool: "a" };
  const done = { status: 200, body: "{}\n" };
  same("a success", await answerSuccess(by, DATA, JSON.stringify({ input: call })), done);
  same("is counted", [idsOf(asked), said], [["ORDER"], ["commit"]]);
  const ofSession = JSON.stringify({ input: { ...call, facts: { session: "s" } } });
  same("of a trusted client", await answerSuccess({ ...by, trustFacts: true }, DATA, ofSession), done);
  same("in its session", idsOf(asked.slice(1)), ["ORDER", "SESSIONS"]);
  const sessionless = JSON.stringify({ input: { ...call, facts: { session: 5 } } });
  same("of no session", (await answerSuccess({ ...by, trustFacts: true }, DATA, sessionless)).status, 200);
  same("in none", idsOf(asked.slice(2)), ["ORDER"]);
  const mapping = answering({ ...asking, "portcullis/authzen/asked": () => call }, { limits: LIMITS });
  same("an evaluation", await answerSuccess({ ...by, policy: mapping }, AUTHZEN, '{"subject":1}'), done);
  same("as the policy reads it", [mapping.asked.map(({ input }) => input), said.length], [[{ subject: 1 }], 4]);
}

async function refused(): Promise<void> {
  const policy = answering(asking, { limits: LIMITS });
  const { history, asked } = noting();
  const by = { policy, authzen: "portcullis/authzen/evaluation", trustFacts: false, host: { history } };
  const status = async (path: string, body: string, more: object = {}): Promise<number> =>
    (await answerSuccess({ ...by, ...more }, path, body)).status;
  const body = '{"input":{"role":"R","tool":"a"}}';
  const forged = '{"input":{"role":"R","tool":"a","facts":{"session":"s"}}}';
  same("another path", [await status("", body), await status(`${DATA}/allowed`, body)], [404, 404]);
  same("no history", await status(DATA, body, { host: {} }), 404);
  same("facts", await status(DATA, forged), 400);
  const mapping = answering({ ...asking, "portcullis/authzen/asked": () => ({ tool: "a" }) }, { limits: LIMITS });
  same("facts of AuthZEN", await status(AUTHZEN, '{"facts":1}', { policy: mapping, trustFacts: true }), 400);
  for (const odd of ["", "{", "{}", "[]", '{"input":null}', '{"input":[]}', '{"input":{"tool":1}}'])
    same(`no call: ${odd}`, await status(DATA, odd), 400);
  for (const odd of ["", "{", "{}", "[]"]) same(`no evaluation: ${odd}`, await status(AUTHZEN, odd), 400);
  const { body: said } = await answerSuccess(by, DATA, "{");
  same("no JSON", said.includes("the body is not JSON"), true);
  same("nothing is counted", asked, []);
  const broken = { history: { reserve: () => Promise.reject(new Error("gone")) } };
  same("a store that fails", await status(DATA, body, { host: broken }), 503);
}

async function sayers(): Promise<void> {
  const policy = answering(asking, { limits: LIMITS });
  const { history, said } = noting();
  const token = "0123456789abcdef0123";
  const statuses = async (own: string | undefined): Promise<readonly number[]> => {
    const server = await serve({
      ...{ served: () => ({ policy }), metrics: () => "", facts: { history }, token: own, anonymous: true },
      ...{ host: "127.0.0.1", port: 0, authzen: "portcullis/authzen/evaluation", version: "0" },
      ...{ maxBodyBytes: 1000, maxConnections: 50, requestMs: 5000, graceMs: 100 },
    });
    const ask = async (method: string, bearer: string, path = DATA): Promise<number> => {
      const body = method === "GET" ? {} : { body: '{"input":{"role":"R","tool":"a"}}' };
      const headers = { Authorization: `Bearer ${bearer}`, Connection: "close" };
      return (await fetch(`${server.url}/succeeded/${path}`, { method, headers, ...body })).status;
    };
    try {
      const asked = [
        ask("POST", token),
        ask("POST", "f".repeat(20)),
        ask("GET", token),
        ask("POST", token, `x/${DATA}`),
      ];
      return await Promise.all(asked);
    } finally {
      await server.close();
    }
  };
  same("the token", await statuses(token), [200, 401, 405, 404]);
  same("no token", [await statuses(undefined), said], [[403, 403, 403, 403], ["commit"]]);
}
