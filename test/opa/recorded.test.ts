/** What OPA is recorded to have answered is what the installed one answers: a new release shows here what it changed. */

import { describe, expect, it } from "vitest";
import { builtin } from "../../compiler/rego/syntax/builtins.ts";
import { askOpa, hasOpa } from "../rego/plan/opa.ts";
import { families, type RecordedCall, recordedCalls, title } from "../runtime/builtins/recorded.ts";

/** Its type checker knows nothing of what comes out of it. Numbers that are equal are one argument, so each call has its own. */
const HIDDEN = "hidden(x, _) := y if some y in [x]";

/** OPA's process ends with it. */
const CRASH = "interface conversion:";

/** OPA walks maps of Go, in no order: which of several errors of a schema it tells varies, and in which order findings come. */
const SAME: Readonly<Record<string, (recorded: string) => string>> = {
  "json.verify_schema": (recorded) => `x[0] == ${recorded}[0]`,
  "json.match_schema": (recorded) =>
    `[x[0], {f | some f in x[1]}] == [[r[0], {f | some f in r[1]}] | r := ${recorded}][0]`,
};

/** OPA signs either of two headers whose names differ in case alone: the one that Go's map gives last. */
const VARIES = /"X-A":.*"x-a":/;

/** Whether each answer is the recorded one; without a recorded one, whether there is no answer. */
function ruleOf({ name, args, result }: RecordedCall, i: number): string {
  const operands = builtin(name)?.parameters.map((_, at) => `a${i}[${at}]`) ?? [];
  const call = `${name}(${operands.join(", ")})`;
  const same =
    result === undefined ? "false" : (SAME[name]?.(`hidden(${result}, ${i})`) ?? `x == hidden(${result}, ${i})`);
  return `a${i} := hidden(${args}, ${i})\nanswers[${i}] := [same | x := ${call}; same := ${same}]`;
}

describe.skipIf(!hasOpa)("calls with recorded answers", () => {
  it.each(families)("of %s are answered alike by the installed OPA", (family) => {
    const calls = recordedCalls(family).filter(
      ({ error, args }) => error?.startsWith(CRASH) !== true && !VARIES.test(args),
    );
    const answer = askOpa("[data.recorded.answers[i] | some i in numbers.range(0, data.recorded.last)]", {
      modules: [["package recorded", HIDDEN, `last := ${calls.length - 1}`, ...calls.map(ruleOf)].join("\n")],
    });
    if ("errors" in answer) throw new Error(JSON.stringify(answer.errors.slice(0, 3)));
    const answers = answer.json as readonly (readonly boolean[])[];
    const otherwise = calls.filter(({ result }, i) => answers[i]?.join() !== (result === undefined ? "" : "true"));
    expect(otherwise.map(title)).toEqual([]);
    expect(answers).toHaveLength(calls.length);
  });
});
