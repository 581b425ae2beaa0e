import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { sortedDefinitions } from "../../../compiler/rego/plan/order.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";

/** Bodies of one function, as texts, in the order in which they are planned. */
function planned(bodies: readonly string[]): string[] {
  const file = new SourceFile("t.rego", `package t\n\n${bodies.map((body) => `f(x, y) if { ${body} }\n`).join("\n")}`);
  const { module } = parseModule(file);
  const { policy } = analyze(module === undefined ? [] : [module]);
  const group = policy?.groups.find(({ path }) => path.join(".") === "t.f");
  return sortedDefinitions(group?.definitions ?? []).map(({ rule: { span } }) =>
    file.text.slice(span.start, span.end).replace(/^f\(x, y\) if \{ (.*) \}$/, "$1"),
  );
}

/** From the least to do to the most. */
const BODIES = [
  "not x.a",
  "x.a; y > 3",
  "startswith(x, y)",
  'trim(x, "abc") == ""; not contains(x, " =")',
  "some z in x; z == y; startswith(z, y)",
  "regex.match(x, y)",
];

describe("definitions that say the same", () => {
  it("are planned from the least to do to the most", () => {
    expect(planned(BODIES)).toEqual(BODIES);
  });

  it("are so in whatever order they are written", () => {
    for (let turn = 1; turn < BODIES.length; turn++)
      expect(planned([...BODIES.slice(turn), ...BODIES.slice(0, turn)])).toEqual(BODIES);
    expect(planned([...BODIES].reverse())).toEqual(BODIES);
  });

  it("with as much to do stand in the order of their texts", () => {
    const alike = ["x.a", "x.b", "y.a"];
    expect(planned([...alike].reverse())).toEqual(planned(alike));
  });
});
