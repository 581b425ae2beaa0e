/** Deciding never throws, whatever it is handed and however little room there is: the answer is a denial. */

import { readFileSync } from "node:fs";
import { DECISION_KINDS, load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";

let policy: Policy;
beforeAll(async () => {
  policy = await load(readFileSync("generated/bundle.tar.gz"));
});

const hostile = (): never => {
  throw new Error("no");
};
/** Throws whatever is done with it. */
const explosive = new Proxy(
  {},
  { get: hostile, has: hostile, ownKeys: hostile, getPrototypeOf: hostile, getOwnPropertyDescriptor: hostile },
);
const revoked = (target: object): object => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const THINGS: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  symbol: Symbol("x"),
  function: () => true,
  number: Number.NaN,
  bigint: 10n ** 400n,
  text: "x",
  list: [],
  "list that throws": new Proxy([], { get: hostile }),
  explosive,
  "revoked object": revoked({}),
  "revoked list": revoked([]),
  cycle,
  "text that throws": { toString: hostile, valueOf: hostile, [Symbol.toPrimitive]: hostile },
  "own lying length": Object.assign([], { length: 3 }),
};

describe.each(Object.keys(THINGS))("%s", (name) => {
  const thing = THINGS[name] as never;

  it("as a request of any kind is denied, or is an answer", () => {
    for (const kind of DECISION_KINDS) {
      const decision = policy[kind](thing) as { allowed: boolean };
      // No chain at all is the one request here that a policy may allow.
      if (kind !== "lineage") expect(decision).toMatchObject({ allowed: false });
      expect(typeof decision.allowed).toBe("boolean");
    }
  });

  it("as an entrypoint, an input or JSON text is no allow", () => {
    expect(policy.evaluate(thing, {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
    expect(policy.evaluate("portcullis/tool/decision", thing)).toMatchObject({ allowed: false });
    expect(policy.evaluateJson(thing, "{}")).toBeUndefined();
    expect(policy.evaluateJson("portcullis/tool/decision", thing)).toMatchObject({ allowed: false });
  });

  it("in a batch, as its list or as its kind, is denied", () => {
    expect(policy.batch("tool", [thing, thing])).toMatchObject([{ allowed: false }, { allowed: false }]);
    expect(policy.batch(thing, [{}] as never)).toMatchObject([{ allowed: false }]);
    for (const decision of policy.batch("tool", thing)) expect(decision).toMatchObject({ allowed: false });
  });
});

it("a batch goes on behind what cannot be read", () => {
  const request = { role: "NEWSDESK", lane: "newsroom", tool: "wire.read" };
  const list = [request, request, request];
  Object.defineProperty(list, 1, { get: hostile });
  const wanted = policy.tool(request);
  const [first, second, third] = policy.batch("tool", list);
  expect(first).toEqual(wanted);
  expect(second).toMatchObject({ allowed: false });
  expect(third).toEqual(wanted);
});

it("a full stack is a denial where there is room for one, and an exception of the engine's without room", () => {
  // Refused by its last gate, so that an evaluation cut short shows.
  const request = { persona: "NEWS_DESK", governance: { contextSealed: false }, env: {} };
  const wanted = policy.subagent(request);
  expect(wanted).toMatchObject({ allowed: false });
  let decided = 0;
  let thrown = 0;
  const descend = (): void => {
    try {
      const decision = policy.subagent(request);
      expectDenied(decision);
      decided++;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      thrown++;
      return;
    }
    descend();
  };
  /** Without the frames that an assertion of the test library needs. */
  const expectDenied = (decision: { allowed: boolean }): void => {
    if (decision.allowed !== false) throw new Error("allowed");
  };
  for (let run = 0; run < 20; run++) {
    try {
      descend();
    } catch (error) {
      // The stack may also end where the test calls itself.
      if (!(error instanceof RangeError)) throw error;
      thrown++;
    }
  }
  expect(decided).toBeGreaterThan(100);
  expect(thrown).toBe(20);
  expect(policy.subagent(request)).toEqual(wanted);
  expect(policy.lastFault).toBeUndefined();
});
