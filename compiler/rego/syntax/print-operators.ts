/** With which signs calls are written, and where they need parentheses to mean the same when they are read again. */

import { type Expr, type ExprBody, isTerm, type Ref, type Term } from "./ast.ts";
import { builtin } from "./builtins.ts";

const levels: Readonly<Record<string, number>> = {
  ...{
    in: 1,
    "==": 2,
    "!=": 2,
    "<": 2,
    ">": 2,
    "<=": 2,
    ">=": 2,
    "|": 3,
    "&": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
  },
};

/** The sign with which a call is written: that of the builtin, however the call was written. */
export function infixOf(term: Term): string | undefined {
  if (term.kind !== "Call") return undefined;
  const { operator, args } = term;
  const name =
    operator.kind === "Var" ? operator.name : isMember(operator) ? `internal.member_${args.length}` : undefined;
  const known = name === undefined ? undefined : builtin(name);
  return known && known.parameters.length === args.length ? known.infix : undefined;
}

function isMember({ head, args }: Ref): boolean {
  const [name, ...more] = args;
  return (
    head.kind === "Var" &&
    head.name === "internal" &&
    more.length === 0 &&
    name?.kind === "String" &&
    name.value.startsWith("member_")
  );
}

/** The negative number that a statement begins with. */
export function leadingMinus({ negated, body }: Expr): Term | undefined {
  let first: ExprBody = body;
  while (first.kind === "Call" && infixOf(first) !== undefined) first = first.args[0] as Term;
  return !negated && first.kind === "Number" && first.text.startsWith("-") ? first : undefined;
}

/** The union that a statement begins with. */
export function leadingUnion({ negated, body }: Expr): Term | undefined {
  if (body.kind === "Logical") return body.leftBraces ? undefined : leadingUnion(body.left[0] as Expr);
  let first: ExprBody = body;
  while (!negated && first.kind === "Call" && infixOf(first) !== undefined) {
    if (isUnion(first)) return first;
    first = first.args[0] as Term;
  }
  return undefined;
}

/** Whether the text of a statement begins with a brace, which in the place of an operand begins a body. */
export function beginsWithBrace({ negated, body }: Expr): boolean {
  if (body.kind === "Logical") return body.leftBraces !== undefined || beginsWithBrace(body.left[0] as Expr);
  if (negated || !isTerm(body)) return false;
  let first: Term = body;
  while (first.kind === "Ref" || (first.kind === "Call" && infixOf(first) !== undefined)) {
    first = first.kind === "Ref" ? first.head : (first.args[0] as Term);
  }
  if (first.kind === "Set") return first.items.length > 0;
  return first.kind === "Object" || first.kind === "SetComprehension" || first.kind === "ObjectComprehension";
}

export function isUnion(term: Term): boolean {
  return infixOf(term) === "|";
}

/** Whether the text of an operation begins with a parenthesis; of unions OPA takes that for parentheses around the whole. */
export function startsWithUnion(term: Term): boolean {
  return isUnion(term) && beginsWithParenthesis(term);
}

function beginsWithParenthesis(term: Term): boolean {
  if (term.kind !== "Call") return false;
  return term.parenthesized || (infixOf(term) !== undefined && beginsWithParenthesis(term.args[0] as Term));
}

/** Whether an operand of a statement's operator must have parentheses to stay its operand. */
export function needsParentheses(term: Term, sign: string, side: "left" | "right"): boolean {
  const inner = levels[infixOf(term) ?? ""];
  const outer = levels[sign];
  if (inner === undefined || outer === undefined) return false;
  return side === "left" ? inner < outer : inner <= outer;
}
