/** One of many blocks by its number: a table of branches, in two levels where the blocks would nest too deep. */

import type { Block, StmtOf } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { int } from "./inline-builtins.ts";
import { type Expr, i32 } from "./module/code.ts";

/** Blocks of one table: they nest, and engines and tools recurse over them. */
const WIDTH = 64;
const WIDTH_BITS = 6;

export function emitSwitch(
  e: FunctionEmitter,
  stmt: StmtOf<"SwitchStmt">,
  emitBlock: (block: Block) => Expr[],
): Expr[] {
  const { m } = e;
  const number = e.temporary();
  const read = (): Expr => m.local.get(number, i32);
  const bodies = stmt.blocks.map((b) => (): Expr => e.inBlock(e.label("b"), undefined, () => emitBlock(b)));
  const chunks: (() => Expr)[] = [];
  for (let at = 0; at < bodies.length; at += WIDTH) {
    const chunk = bodies.slice(at, at + WIDTH);
    chunks.push(() => table(e, m.i32.and(read(), m.i32.const(WIDTH - 1)), chunk));
  }
  const whole =
    bodies.length <= WIDTH ? table(e, read(), bodies) : table(e, m.i32.shr_u(read(), m.i32.const(WIDTH_BITS)), chunks);
  return [...e.failIfUndefined(stmt.index), m.local.set(number, m.i32.wrap(int(e, stmt.index))), whole];
}

/** Runs the body with this number, if there is one. */
function table(e: FunctionEmitter, number: Expr, bodies: readonly (() => Expr)[]): Expr {
  const { m } = e;
  const end = e.label("end");
  const cases = bodies.map(() => e.label("case"));
  let expr = m.switch(cases, end, number);
  for (const [i, body] of bodies.entries()) {
    const behind = m.block(cases[i] as string, [expr]);
    expr = m.block(null, [behind, body(), m.br(end)]);
  }
  return m.block(end, [expr]);
}
