/**
 * Records whose only unknown value is an index: `{"gate": "AGENT_ID", "index": i}`. There is a constant for each of the
 * first indexes, which no decision has to make, and which hosts have read before.
 */

import { SCALAR_SIZE, SMALL_INTS } from "@portcullis/runtime/abi";
import { constantOf, foldableLocals } from "../optimize/index.ts";
import { assignedBy, type Block, eachStmt, type Local, ownedBy, type StmtOf } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import type { Expr } from "./module/code.ts";

/** As many as lists of requests have rows of static memory. */
const NUMBERED = 16;

type Insert = StmtOf<"ObjectInsertStmt">;

/** The locals of a function by which such records are told. */
export class NumberedRecords {
  /** Locals that are indexes as far as one can see. A hint: the others are only not tried. */
  private readonly indexes: ReadonlySet<Local>;
  /** Objects that are changed nowhere but in the block that makes them, and how often: a constant must never be. */
  private readonly changes = new Map<Local, number>();

  constructor(blocks: readonly Block[]) {
    this.indexes = indexesIn(blocks);
    if (this.indexes.size === 0) return;
    const foldable = foldableLocals(blocks);
    eachStmt(blocks, (stmt) => {
      const owned = ownedBy(stmt);
      if (owned !== undefined && foldable.has(owned)) this.changes.set(owned, (this.changes.get(owned) ?? 0) + 1);
    });
  }

  /** Whether the inserts, of which this local is the only value that is not constant, make such a record. */
  has(target: Local, index: Local, inserts: readonly Insert[]): boolean {
    return this.indexes.has(index) && this.changes.get(target) === inserts.length;
  }
}

/** Puts the constant for the index into the target, or leaves it to `otherwise` to make the record. */
export function emitNumbered(
  e: FunctionEmitter,
  target: Local,
  index: Local,
  inserts: readonly Insert[],
  otherwise: readonly Expr[],
): Expr {
  const { m, layout } = e;
  const constants = Array.from({ length: NUMBERED }, (_, i): number => {
    const number: Value = { kind: "number", text: String(i) };
    const entries = inserts.map(({ key, value }) =>
      [key, value].map((o) => constantOf(o, layout.policy) ?? number),
    ) as [Value, Value][];
    return layout.data.value({ kind: "object", entries });
  });
  const offset = (): Expr => m.i32.sub(e.read(index), m.i32.const(SMALL_INTS));
  const constant = m.i32.load(layout.data.words(constants), 4, m.i32.shr_u(offset(), m.i32.const(2)));
  return m.if(
    m.i32.lt_u(offset(), m.i32.const(NUMBERED * SCALAR_SIZE)),
    e.write(target, constant),
    m.block(null, otherwise),
  );
}

/** Keys of loops, lengths, sums and copies of those, and nothing else. */
function indexesIn(blocks: readonly Block[]): ReadonlySet<Local> {
  const found = new Set<Local>();
  const others = new Set<Local>();
  const copies: StmtOf<"AssignVarStmt">[] = [];
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "ScanStmt") found.add(stmt.key);
    else if (stmt.kind === "CallStmt" && COUNTING.test(stmt.func)) found.add(stmt.result);
    else if (stmt.kind === "AssignVarStmt" && stmt.source.kind === "Local") copies.push(stmt);
    else if (stmt.kind !== "ResetLocalStmt") for (const l of assignedBy(stmt)) others.add(l);
  });
  for (let changed = true; changed; ) {
    changed = false;
    for (const { source, target } of copies) {
      const from = source.kind === "Local" && found.has(source.local);
      if (!from || found.has(target)) continue;
      found.add(target);
      changed = true;
    }
  }
  return new Set([...found].filter((l) => !others.has(l)));
}

const COUNTING = /^(count|plus|minus)$/;
