/** What a solver is to this room: something that answers a text of SMT-LIB. */

export type SolverAnswer =
  | { readonly verdict: "unsat" | "unknown" }
  | { readonly verdict: "sat"; readonly values: ReadonlyMap<string, string> };

/** Gives what a solver writes for one text. */
export type Solver = (text: string) => Promise<string>;

/** Whatever is not plainly an answer is "unknown". */
export function readAnswer(output: string): SolverAnswer {
  const [verdict = "", ...rest] = output.trimStart().split("\n");
  if (verdict.trim() === "unsat") return { verdict: "unsat" };
  if (verdict.trim() !== "sat") return { verdict: "unknown" };
  return { verdict: "sat", values: new Map(pairsIn(rest.join("\n"))) };
}

/** `((a 1) (b (- 2.0)) (c "x"))` */
function pairsIn(text: string): [string, string][] {
  const tokens = text.match(/"(?:[^"]|"")*"|[()]|[^\s()"]+/g) ?? [];
  const pairs: [string, string][] = [];
  let depth = 0;
  let current: string[] = [];
  for (const token of tokens) {
    if (token === ")") depth--;
    if (depth >= 2) current.push(token);
    else if (current.length > 0) {
      const [name = "", ...value] = current;
      pairs.push([name, value.join(" ")]);
      current = [];
    }
    if (token === "(") depth++;
  }
  return pairs;
}
