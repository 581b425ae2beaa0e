/** One pass over IR written as text: what it makes of it, valid and with the same answers for every input given. */

import { expect } from "vitest";
import { PASSES } from "../../../compiler/rego/optimize/index.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import type { Value } from "../../../compiler/rego/value/index.ts";
import { interpret } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print, toJson } from "../../interpreter/value.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { verifyPolicy } from "../plan/verify.ts";

interface Given {
  readonly constants?: readonly Value[];
  /** The bundle's own data, and the host's where the answers are compared. */
  readonly data?: Value;
  readonly dataText?: string;
  /** JSON texts; each is asked of plan `p` before and after. */
  readonly inputs: readonly string[];
}

/** The text after the pass. */
export function textAfter(
  pass: string,
  text: string,
  { constants = [], data, dataText = "{}", inputs }: Given,
): string {
  const [, run] = PASSES.find(([name]) => name === pass) ?? [];
  if (run === undefined) throw new Error(`no pass ${pass}`);
  const before = parsePolicyText(text, [...constants]);
  const changed = run(before, { data: data ?? { kind: "object", entries: [] } });
  expect(verifyPolicy(changed)).toEqual([]);
  for (const input of inputs) {
    const ask = (policy: typeof before): string =>
      print(toJson(interpret(policy, "p", { input: parseJson(input), data: parseJson(dataText) })));
    expect(ask(changed), input).toBe(ask(before));
  }
  return policyToText(changed);
}
