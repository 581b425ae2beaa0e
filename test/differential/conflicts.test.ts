/** Contradictions that an index of OPA's passes over are told from those that it would have to meet. */

import { describe, expect, it } from "vitest";
import { hasOpa } from "../rego/plan/opa.ts";
import { askTogether, askUngrouped, meetsConflict } from "./opa.ts";

const program = (package_: string, text: string) => ({
  package: package_,
  modules: [`package ${package_}\n\n${text}`],
  input: { kind: "y" },
  data: { base: {} },
});

const TWO = "two := 1 if input\n\ntwo := 2 if input.kind";
const ROWS = 'rows := [{"k": 1, "t": "x", "v": 1}, {"k": 1, "t": "x", "v": 0}]';

const passedOver = [
  program("indexed.a.p", 'q if {\n\tdata.other.two\n\tinput.kind == "x"\n}'),
  program(
    "indexed.b.p",
    `${ROWS}\n\nfound := [f | some r in rows; k := r.k; f := {q.t: q.v | some q in rows; q.k == k}]`,
  ),
].map((p) => ({ ...p, modules: [...p.modules, `package other\n\n${TWO}`] }));

describe.skipIf(!hasOpa)("a contradiction", () => {
  it.each(passedOver)("in $package is met without indices alone", (asked) => {
    expect(askTogether([asked]).get(asked.package)).toMatchObject({ kind: "value" });
    expect(meetsConflict(asked)).toBe(true);
  });

  it("in a group that nothing asks for is met by the index of comprehensions alone", () => {
    const asked = program(
      "unasked",
      `${ROWS}\n\nf(_) := 1\n\nf(0) := 2\n\nfound := [g | some k in [2]; g := {q.v | some q in rows; q.k == k; f(q.v)}]`,
    );
    expect(askTogether([asked]).get("unasked")).toMatchObject({ kind: "error", code: "eval_conflict_error" });
    expect(askUngrouped(asked)).toMatchObject({ kind: "value", value: { found: [[]] } });
  });

  it("that is not there is not met", () => {
    expect(meetsConflict(program("consistent", 'q := 1 if input.kind == "y"'))).toBe(false);
  });

  it("that no index passes over is an error at once", () => {
    const opinion = askTogether([program("contradicts", TWO)]).get("contradicts");
    expect(opinion).toMatchObject({ kind: "error", code: "eval_conflict_error" });
  });
});
