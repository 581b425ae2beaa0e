/** Statements of the IR as wasm. A statement that fails leaves the block that it is in (FunctionEmitter.fail). */

import {
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  HOME_SHIFT,
  NULL_VALUE,
  TABLE_INDEX,
  TABLE_MASK,
  TAG_ARRAY,
  TAG_OBJECT,
  TAG_SET,
  VALUE_HASH,
  VALUE_TAG,
} from "@portcullis/runtime/abi";
import { assert, unreachable } from "../diagnostics/index.ts";
import { type Block, local, type Operand, type Stmt, type StmtOf } from "../plan/index.ts";
import { roomFor } from "./collection-room.ts";
import { emitCall, emitCallDynamic } from "./emit-call.ts";
import { compare } from "./emit-compare.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { emitList, listOf } from "./emit-list.ts";
import { emitRecord, recordOf } from "./emit-record.ts";
import { emitScan } from "./emit-scan.ts";
import { emitSwitch } from "./emit-switch.ts";
import { isLikeHome } from "./homes.ts";
import { inlineCondition, int, isInt, knownInt } from "./inline-builtins.ts";
import { MEMO_FRAME } from "./link.ts";
import { type Expr, i32 } from "./module/code.ts";
import { prefixTree } from "./prefix-tree.ts";
import { comparedSet } from "./set-comparison.ts";
import { isTag } from "./type-tests.ts";

export function emitBlock(e: FunctionEmitter, block: Block): Expr[] {
  return e.within(block, () => {
    const { stmts } = block;
    const emitted: Expr[] = [];
    for (let i = 0; i < stmts.length; i++) {
      const parts = emitStmt(e, stmts, i);
      for (let j = 0; j < parts.length; j++) emitted.push(parts[j] as Expr);
      const stmt = stmts[i] as Stmt;
      if (stmt.kind !== "ScanStmt") emitted.push(...e.keepAfter(stmt));
    }
    return emitted;
  });
}

/** One of the statements of a block. */
function emitStmt(e: FunctionEmitter, stmts: readonly Stmt[], at: number): Expr[] {
  const { m } = e;
  const stmt = stmts[at] as Stmt;
  switch (stmt.kind) {
    case "ArrayAppendStmt":
      if (e.isDone(stmt)) return [];
      return [...e.failIfUndefined(stmt.value), e.run("arrayPush", e.read(stmt.array), e.operand(stmt.value))];
    case "AssignIntStmt":
    case "MakeNumberIntStmt":
      return [e.write(stmt.target, m.i32.const(e.layout.data.number(String(stmt.value))))];
    case "AssignVarOnceStmt":
      return assignOnce(e, stmt);
    case "AssignVarStmt":
      return [e.write(stmt.target, e.operand(stmt.source))];
    case "BlockStmt":
      return stmt.blocks.map((b) => e.inBlock(e.label("b"), undefined, () => emitBlock(e, b)));
    case "BreakStmt":
      return e.leave(stmt.index);
    case "CallDynamicStmt":
      return emitCallDynamic(e, stmt);
    case "CallStmt":
      return emitTest(e, stmt, stmts[at + 1]) ?? emitCall(e, stmt);
    case "DotStmt":
      return emitDot(e, stmt);
    case "EqualStmt":
    case "NotEqualStmt": {
      if (e.isDone(stmt)) return [];
      const wanted = stmt.kind === "EqualStmt";
      const sets = e.comparedSets.get(stmt);
      if (sets === undefined) return [...e.failIfUndefined(stmt.a, stmt.b), ...compare(e, stmt.a, stmt.b, wanted)];
      const same = e.call("sameElements", e.read(sets.list), e.operand(sets.other));
      return [...e.failIfUndefined(sets.other), wanted ? e.failUnless(same) : e.failIf(same)];
    }
    case "IsArrayStmt":
      return [hasTag(e, stmt.source, TAG_ARRAY)];
    case "IsObjectStmt":
      return [hasTag(e, stmt.source, TAG_OBJECT)];
    case "IsSetStmt":
      return [hasTag(e, stmt.source, TAG_SET)];
    case "IsDefinedStmt":
      return [e.failUnless(e.read(stmt.source))];
    case "IsUndefinedStmt":
      return [e.failIf(e.read(stmt.source))];
    case "LenStmt":
      return [e.writeOrFail(stmt.target, e.call("lengthValue", e.operand(stmt.source)))];
    case "MakeArrayStmt": {
      const rest = stmts.slice(at + 1);
      const list = listOf(stmt, rest);
      if (list !== undefined) return emitList(e, stmt, list);
      return [e.write(stmt.target, e.call("newArray", roomFor(e, stmt.target, stmt.capacity, rest)))];
    }
    case "MakeNullStmt":
      return [e.write(stmt.target, m.i32.const(NULL_VALUE))];
    case "MakeNumberRefStmt":
      return [e.write(stmt.target, m.i32.const(e.layout.data.number(e.layout.text(stmt.index))))];
    case "MakeObjectStmt": {
      const rest = stmts.slice(at + 1);
      const record = recordOf(e, stmt, rest);
      if (record !== undefined) return emitRecord(e, stmt, record);
      const inserts = rest.filter((s) => s.kind === "ObjectInsertStmt" && s.object === stmt.target).length;
      return [e.write(stmt.target, e.call("newObject", m.i32.const(inserts)))];
    }
    case "MakeSetStmt": {
      const compared = comparedSet(stmt, stmts, at, e.mentions);
      // One of two sets has to be made.
      if (compared !== undefined && !e.comparedSets.has(compared.comparison)) {
        const set = { list: stmt.target, other: compared.other };
        e.comparedSets.set(compared.scan, set).set(compared.comparison, set);
        return [e.write(stmt.target, m.i32.const(0))];
      }
      const rest = stmts.slice(at + 1);
      const adds = rest.filter((s) => s.kind === "SetAddStmt" && s.set === stmt.target).length;
      return [e.write(stmt.target, e.call("newSet", roomFor(e, stmt.target, adds, rest)))];
    }
    case "NopStmt":
      return [];
    case "NotStmt": {
      // Reaching the end of the inner block fails the outer one; failing inside goes on behind it.
      const label = e.label("not");
      const failOuter = e.fail();
      return [e.inBlock(label, undefined, () => [...emitBlock(e, stmt.block), failOuter])];
    }
    case "ObjectInsertOnceStmt":
      return insertOnce(e, stmt);
    case "ObjectInsertStmt":
      if (e.isDone(stmt)) return [];
      return [
        ...e.failIfUndefined(stmt.key, stmt.value),
        e.run("objectPut", e.read(stmt.object), e.operand(stmt.key), e.operand(stmt.value)),
      ];
    case "ObjectMergeStmt":
      return [
        ...e.failIfUndefined(local(stmt.a), local(stmt.b)),
        e.write(stmt.target, e.call("mergeObjects", e.read(stmt.a), e.read(stmt.b))),
      ];
    case "PrefixStmt":
      return emitPrefix(e, stmt);
    case "ResetLocalStmt":
      return [e.write(stmt.target, m.i32.const(0))];
    case "ResultSetAddStmt": {
      assert(e.resultSet !== undefined, "ResultSetAddStmt outside a plan");
      return [
        ...e.failIfUndefined(local(stmt.value)),
        e.run("setAdd", m.local.get(e.resultSet, i32), e.read(stmt.value)),
      ];
    }
    case "ReturnLocalStmt":
      return e.returnValue(e.read(stmt.source));
    case "ScanStmt": {
      const set = e.comparedSets.get(stmt);
      if (set !== undefined) return [e.write(set.list, e.read(stmt.source))];
      return emitScan(e, stmt, (block) => emitBlock(e, block));
    }
    case "SetAddStmt":
      return [...e.failIfUndefined(stmt.value), e.run("setAdd", e.read(stmt.set), e.operand(stmt.value))];
    case "SwitchStmt":
      return emitSwitch(e, stmt, (block) => emitBlock(e, block));
    case "WithStmt":
      return emitWith(e, stmt);
    default:
      return unreachable(stmt);
  }
}

/** A builtin whose answer the next statement wants to be `true`, and nothing else asks for. */
function emitTest(e: FunctionEmitter, stmt: StmtOf<"CallStmt">, next: Stmt | undefined): Expr[] | undefined {
  if (next?.kind !== "EqualStmt" && next?.kind !== "NotEqualStmt") return undefined;
  const { a, b } = next;
  const isTest = a.kind === "Local" && a.local === stmt.result && b.kind === "Boolean";
  if (!isTest || b.value !== (next.kind === "EqualStmt") || e.mentions.get(stmt.result) !== 2) return undefined;
  const condition = inlineCondition(e, stmt);
  if (condition === undefined) return undefined;
  e.done(next);
  return [...e.failIfUndefined(...stmt.args), e.failUnless(condition)];
}

/** The source is a constant of the rule index: a tree in static data takes its place. */
function emitPrefix(e: FunctionEmitter, { source, text, target }: StmtOf<"PrefixStmt">): Expr[] {
  const table = source.kind === "Constant" ? e.layout.constantOf(source) : undefined;
  assert(table?.kind === "object", "a table of prefixes is a constant object");
  const entries = table.entries.map(([key, value]) => {
    assert(key.kind === "string", "prefixes are strings");
    return [key.value, e.layout.data.value(value)] as const;
  });
  const tree = e.m.i32.const(e.layout.data.words(prefixTree(entries)));
  return [...e.failIfUndefined(text), e.writeOrFail(target, e.call("longestPrefix", tree, e.operand(text)))];
}

function emitDot(e: FunctionEmitter, stmt: StmtOf<"DotStmt">): Expr[] {
  const { m } = e;
  const { source, key, target } = stmt;
  const known = e.knownDots.get(stmt);
  const [from, by] = [(): Expr => e.operand(source), (): Expr => e.operand(key)];
  const defined = source.kind === "Local" ? [e.failUnless(from())] : [];
  switch (known?.kind) {
    case "entry": {
      const entries = m.i32.load(COLLECTION_ITEMS, 4, from());
      return [...defined, e.write(target, m.i32.load(known.index * 8 + 4, 4, entries))];
    }
    case "object":
    case "set": {
      if (known.kind === "object") {
        return [
          ...defined,
          ...e.failIfUndefined(key),
          ...emitConstantGet(e, source, key, (found) => e.writeOrFail(target, found)),
        ];
      }
      return [...defined, ...e.failIfUndefined(key), e.writeOrFail(target, e.call("constantMember", from(), by()))];
    }
    default: {
      const found = key.kind === "String" ? emitDotText(e, source, key) : emitDotAny(e, source, key);
      return [e.writeOrFail(target, emitInputDot(e, stmt, from, found))];
    }
  }
}

/**
 * Looks a string of the policy up in a value of any type: right here where this statement found it in the object before, as
 * requests are much alike, else by a call. The place is a hint, and stays from one evaluation to the next.
 */
function emitDotText(e: FunctionEmitter, source: Operand, key: Operand): Expr {
  const { m } = e;
  const place = m.i32.const(e.layout.data.variable());
  const call = e.call("dotText", e.operand(source), e.operand(key), place);
  if (!e.mayBranch()) return call;
  const entry = e.temporary();
  const number = m.local.tee(entry, m.i32.load8_u(0, 1, place), i32);
  const isEntry = m.i32.lt_u(number, m.i32.load(COLLECTION_COUNT, 4, e.operand(source)));
  const items = m.i32.load(COLLECTION_ITEMS, 4, e.operand(source));
  const at = m.i32.add(items, m.i32.shl(m.local.get(entry, i32), m.i32.const(3)));
  const isKey = m.i32.eq(m.i32.load(0, 4, m.local.tee(entry, at, i32)), e.operand(key));
  const isThere = m.if(isEntry, isKey, m.i32.const(0));
  return m.if(
    m.if(isTag(e, source, TAG_OBJECT), isThere, m.i32.const(0)),
    m.i32.load(4, 4, m.local.get(entry, i32)),
    call,
  );
}

/** Reads the slot or row of a member, if the source has one; else the result of `found`. */
function emitInputDot(e: FunctionEmitter, stmt: StmtOf<"DotStmt">, from: () => Expr, found: Expr): Expr {
  const { m } = e;
  const dot = e.inputDots.get(stmt);
  switch (dot?.kind) {
    case "slot":
      return m.if(m.i32.eq(from(), m.i32.const(dot.object)), m.i32.load(0, 4, m.i32.const(dot.slot)), found);
    case "row": {
      const isRow = m.i32.eq(m.i32.load(VALUE_TAG, 4, from()), m.i32.const(dot.firstWord));
      return m.if(isRow, m.i32.load(dot.offset, 4, from()), found);
    }
    default:
      return found;
  }
}

/** `source[key]` where nothing is known of either: elements of arrays right here, anything else by a call. */
function emitDotAny(e: FunctionEmitter, source: Operand, key: Operand): Expr {
  const { m } = e;
  const call = e.call("dot", e.operand(source), e.operand(key));
  const integer = knownInt(e, key);
  if (key.kind !== "Local" && integer === undefined) return call;
  const count = m.i64.extend_u(m.i32.load(COLLECTION_COUNT, 4, e.operand(source)));
  const isWithin = m.i64.lt_u(int(e, key), count);
  const items = m.i32.load(COLLECTION_ITEMS, 4, e.operand(source));
  const offset = m.i32.shl(m.i32.wrap(int(e, key)), m.i32.const(2));
  const element = m.if(isWithin, m.i32.load(0, 4, m.i32.add(items, offset)), m.i32.const(0));
  const isArray = isTag(e, source, TAG_ARRAY);
  return m.if(integer === undefined ? m.i32.and(isArray, isInt(e, key)) : isArray, element, call);
}

/**
 * Looks a key up in an object of the policy: right here where the first slot of the index holds it, as it mostly
 * does for a string of the policy, or is free, else by a call.
 */
function emitConstantGet(e: FunctionEmitter, source: Operand, key: Operand, write: (found: Expr) => Expr): Expr[] {
  const { m } = e;
  const object = (): Expr => e.operand(source);
  const constant = e.layout.constantOf(source);
  if (constant !== undefined && isLikeHome(constant)) return [write(emitHomeGet(e, source, key))];
  const field = (offset: number): Expr => m.i32.load(offset, 4, object());
  const [number, entry] = [e.temporary(), e.temporary()];
  const get = (l: number): Expr => m.local.get(l, i32);
  const hash = m.i32.load(VALUE_HASH, 4, e.operand(key));
  const slot = m.i32.shl(m.i32.and(hash, field(TABLE_MASK)), m.i32.const(2));
  const behind = m.i32.add(field(COLLECTION_ITEMS), m.i32.shl(get(number), m.i32.const(3)));
  // The index counts from 1, so entry number 0, which is before the first, is that of a free slot or of no index.
  const isEntry = m.i32.eq(m.i32.load(0, 4, m.i32.sub(get(entry), m.i32.const(8))), e.operand(key));
  const value = m.i32.load(0, 4, m.i32.sub(get(entry), m.i32.const(4)));
  const found = m.if(isEntry, value, e.call("constantGet", object(), e.operand(key)));
  return [
    m.local.set(number, m.i32.load(0, 4, m.i32.add(field(TABLE_INDEX), slot))),
    m.local.set(entry, behind),
    // A string of a request may be one of the keys by another address; large data has objects without an index.
    write(key.kind === "String" && !e.layout.data.isLarge ? m.if(get(number), found, m.i32.const(0)) : found),
  ];
}

/** Looks a key up in the home of its keys: right here for a string of the policy, which knows its entry, else by a call. */
function emitHomeGet(e: FunctionEmitter, source: Operand, key: Operand): Expr {
  const { m } = e;
  const [number, entry] = [e.temporary(), e.temporary()];
  const field = (offset: number): Expr => m.i32.load(offset, 4, e.operand(source));
  const known = m.i32.shr_u(m.i32.load(0, 4, e.operand(key)), m.i32.const(HOME_SHIFT));
  // Numbers count from 1: the key of the entry before the first one is the address of no value.
  const behind = m.i32.add(field(COLLECTION_ITEMS), m.i32.shl(m.local.get(number, i32), m.i32.const(3)));
  const isKey = m.i32.eq(m.i32.load(0, 4, m.i32.sub(m.local.tee(entry, behind, i32), m.i32.const(8))), e.operand(key));
  const isEntry = m.i32.lt_u(m.local.tee(number, known, i32), m.i32.add(field(COLLECTION_COUNT), m.i32.const(1)));
  const value = m.i32.load(0, 4, m.i32.sub(m.local.get(entry, i32), m.i32.const(4)));
  return m.if(m.if(isEntry, isKey, m.i32.const(0)), value, e.call("constantGet", e.operand(source), e.operand(key)));
}

/** Ends the evaluation with OPA's message, which begins with the source location, if there is one. */
function conflict(e: FunctionEmitter, stmt: Stmt, message: string): Expr[] {
  let text = message;
  if (stmt.span !== undefined) {
    const at = stmt.span.file.positionAt(stmt.span.start);
    text = `${stmt.span.file.name}:${at.line}:${at.column}: ${message}`;
  }
  return [e.run("abortConflict", e.m.i32.const(e.layout.data.cText(text))), e.m.unreachable()];
}

/** A rule that gives two different values is an error, not a choice. */
function assignOnce(e: FunctionEmitter, stmt: StmtOf<"AssignVarOnceStmt">): Expr[] {
  const { m } = e;
  const differs = m.i32.eqz(e.call("equal", e.read(stmt.target), e.operand(stmt.source)));
  return [
    ...e.failIfUndefined(stmt.source),
    m.if(
      e.read(stmt.target),
      m.if(differs, m.block(null, conflict(e, stmt, "var assignment conflict"))),
      e.write(stmt.target, e.operand(stmt.source)),
    ),
  ];
}

function insertOnce(e: FunctionEmitter, stmt: StmtOf<"ObjectInsertOnceStmt">): Expr[] {
  const added = e.call("insertOnce", e.read(stmt.object), e.operand(stmt.key), e.operand(stmt.value));
  return [
    ...e.failIfUndefined(stmt.key, stmt.value),
    e.m.if(e.m.i32.eqz(added), e.m.block(null, conflict(e, stmt, "object insert conflict"))),
  ];
}

function hasTag(e: FunctionEmitter, source: Operand, tag: number): Expr {
  return e.failIf(e.m.i32.ne(e.m.i32.load8_u(VALUE_TAG, 1, e.operand(source)), e.m.i32.const(tag)));
}

/** Overrides input or data for a block, with a memo frame of its own; puts both back however the block is left. */
function emitWith(e: FunctionEmitter, stmt: StmtOf<"WithStmt">): Expr[] {
  const { m } = e;
  const savedValue = e.temporary();
  const savedMemo = e.temporary();
  const restore = (): Expr[] => [
    e.write(stmt.local, m.local.get(savedValue, i32)),
    m.global.set(MEMO_FRAME, m.local.get(savedMemo, i32)),
  ];
  const path = stmt.path.map((index) => e.layout.data.string(e.layout.text(index)));
  const value =
    path.length === 0
      ? e.operand(stmt.value)
      : e.call(
          "withPath",
          e.read(stmt.local),
          m.i32.const(e.layout.data.words(path)),
          m.i32.const(path.length),
          e.operand(stmt.value),
        );
  const done = e.label("done");
  const body = e.inBlock(e.label("with"), restore, () => [...emitBlock(e, stmt.block), ...restore(), m.br(done)]);
  return [
    // Rules are evaluated anew below, which their memo otherwise keeps from happening too often.
    ...e.step(),
    m.local.set(savedValue, e.read(stmt.local)),
    m.local.set(savedMemo, m.global.get(MEMO_FRAME, i32)),
    e.run("pushMemo"),
    e.write(stmt.local, value),
    m.block(done, [body, ...restore(), e.fail()]),
  ];
}
