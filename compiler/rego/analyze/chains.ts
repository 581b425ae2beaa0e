/**
 * Chains of `and` and of `or`. The parser nests one operand of a chain in the next: what goes through a thousand of them
 * would go a thousand deep. INVARIANT: the same operands in the same order, as deep as a search tree is. Each is a scope of its
 * own, and both operators give the same result however their operands are put in brackets.
 */

import { assert, joinSpans, type Span } from "../diagnostics/index.ts";
import type { Body, Expr, Logical } from "../syntax/index.ts";

/** Shorter chains stay as they are. */
const LONG = 16;

/** The statement of the same meaning; the statement itself where it is no long chain. */
export function balancedChain(expr: Expr): Expr {
  const { body } = expr;
  if (body.kind !== "Logical") return expr;
  const operands = operandsOf(body);
  return operands.length < LONG ? expr : { ...expr, body: tree(body, operands) };
}

interface Operand {
  readonly body: Body;
  readonly braces: Span | undefined;
}

/** From the first to the last; a chain in braces is one operand. */
function operandsOf(chain: Logical): readonly Operand[] {
  const found = [{ body: chain.right, braces: chain.rightBraces }];
  let left: Operand = { body: chain.left, braces: chain.leftBraces };
  for (let inner = innerOf(left, chain); inner !== undefined; inner = innerOf(left, chain)) {
    found.push({ body: inner.right, braces: inner.rightBraces });
    left = { body: inner.left, braces: inner.leftBraces };
  }
  return [...found, left].reverse();
}

/** The chain of the same operator that an operand is. */
function innerOf({ body: [only], braces }: Operand, { operator }: Logical): Logical | undefined {
  if (braces !== undefined || only === undefined || only.negated || only.with.length > 0) return undefined;
  return only.body.kind === "Logical" && only.body.operator === operator ? only.body : undefined;
}

function tree(chain: Logical, operands: readonly Operand[]): Logical {
  const half = operands.length >> 1;
  const left = side(chain, operands.slice(0, half));
  const right = side(chain, operands.slice(half));
  return { ...chain, left: left.body, right: right.body, leftBraces: left.braces, rightBraces: right.braces };
}

function side(chain: Logical, operands: readonly Operand[]): Operand {
  const [first, last] = [operands[0], operands.at(-1)];
  assert(first !== undefined && last !== undefined, "both sides of an operator have an operand");
  if (operands.length === 1) return first;
  const span = joinSpans(first.body[0]?.span ?? chain.span, last.body.at(-1)?.span ?? chain.span);
  return {
    body: [{ kind: "Expr", span, negated: false, with: [], body: tree({ ...chain, span }, operands) }],
    braces: undefined,
  };
}
