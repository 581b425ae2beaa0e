/**
 * What the benchmark measures against decides as the gates do: on every test case of the example policies, and on near misses
 * of what they allow.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DECISION_KINDS, type DecisionKind, entrypointOf, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import type { Bundle } from "../../bench/bundles.ts";
import { handWritten } from "../../bench/peers/hand-written/index.ts";
import { jsonText } from "../../compiler/rego/value/index.ts";
import { exampleTests } from "../governance/model/example-tests.ts";

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const policy = await load(readFileSync(path("generated/bundle.tar.gz")));
const data = JSON.parse(readFileSync(path("generated/data.json"), "utf8")) as Bundle["data"];
const made = await handWritten({ data } as Bundle);
if ("absent" in made) throw new Error(made.absent);
const peer = made;

const tests = exampleTests();
/** The inputs that are objects: hand-written code has a type of request. */
const inputsOf = (kind: DecisionKind): unknown[] =>
  tests
    .filter((test) => test.decision === kind)
    .map((test) => JSON.parse(jsonText(test.input)) as unknown)
    .filter((input) => typeof input === "object" && input !== null);

const gateOf = (kind: DecisionKind, request: unknown): string =>
  (policy.evaluate(entrypointOf(kind), request) as { readonly gate: string }).gate;

function expectSame(kind: DecisionKind, request: unknown): void {
  // The gates of the example's own rule, of arguments and of limits, which are not written by hand.
  if (["PAYOUT_LIMIT", "ARGUMENTS", "LIMITS"].includes(gateOf(kind, request))) return;
  const decide = peer.decides(kind);
  if (typeof decide !== "function") throw new Error(`not written by hand: ${kind}`);
  expect(decide(request as never), JSON.stringify(request)).toEqual(policy.evaluate(entrypointOf(kind), request));
}

/** Values that a member may have instead of its own; `undefined` takes it away. */
const ODD = [
  undefined,
  null,
  true,
  false,
  0,
  7,
  -1,
  "",
  "  ",
  "\u0085",
  "x",
  "a|b",
  "TBD: x",
  "/",
  "/etc/x.py",
  "..",
  "a/../b",
];
const ODD_PARTS = [[], [""], ["x"], [null], {}, { x: 1 }];

/** Every request that differs from this one in one value, at any depth. */
function* nearMissesOf(value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    for (const other of [...ODD, ...ODD_PARTS, ...nearMissesOf(member)]) {
      const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
      if (other !== undefined || Array.isArray(value)) copy[key] = other ?? null;
      else delete copy[key];
      yield copy;
    }
  }
}

describe("code written by hand decides as the policy does", () => {
  it.each(DECISION_KINDS)("%s, on all test cases", (kind) => {
    const inputs = inputsOf(kind);
    expect(inputs.length).toBeGreaterThan(0);
    for (const input of inputs) expectSame(kind, input);
  });

  it.each(["lineage", "handoff", "exec", "close", "call"] as const)(
    "%s, on near misses of every request that is allowed",
    (kind) => {
      const allowed = inputsOf(kind).filter((input) => gateOf(kind, input) === "ALLOW");
      const gates = new Set<string>();
      for (const input of allowed.slice(0, 12)) {
        for (const request of nearMissesOf(input)) {
          gates.add(gateOf(kind, request));
          expectSame(kind, request);
        }
      }
      expect(gates.size).toBeGreaterThan(3);
    },
  );
});
