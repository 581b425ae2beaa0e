/**
 * The intermediate representation: OPA's plan vocabulary (https://www.openpolicyagent.org/docs/ir), as plain data, one
 * lower-case constructor a statement. `json.ts` writes OPA's plan JSON, `text.ts` the form that people read.
 *
 * A function's locals are numbered; 0 is `input` and 1 is `data` in every plan and, by convention, in every rule function
 * (their first two parameters). A statement that fails (a DotStmt that finds nothing, an EqualStmt of unequal values, …) ends its
 * enclosing block; execution goes on after that block. BreakStmt(n) leaves n + 1 blocks.
 *
 * OPA's description leaves some points open. Here they are as OPA's own compiler has them, and every evaluator of IR must:
 * - a block inside a ScanStmt, NotStmt or WithStmt counts as one block; leaving the block of a scan goes on with the next element;
 * - a ScanStmt over an empty collection, over no collection, or over undefined does not run its block, and does not fail;
 * - an AssignVarStmt copies undefined, and so may a WithStmt put it in place of `input`; every other operand must be defined,
 *   but for the first two arguments of a function of the policy, or else the statement fails;
 * - a CallDynamicStmt fails where no function has the path; where one has and answers undefined, it leaves four blocks.
 */

import type { Span } from "../diagnostics/index.ts";
import type { Value } from "../value/index.ts";

export type Local = number;

/** `Constant` is ours, made by `optimize/` and by the rule index: an index into `Policy.constants`. It never reaches plan JSON. */
export type Operand =
  | { readonly kind: "Local"; readonly local: Local }
  | { readonly kind: "Boolean"; readonly value: boolean }
  | { readonly kind: "String"; readonly index: number }
  | { readonly kind: "Constant"; readonly index: number };

export interface Block {
  readonly stmts: readonly Stmt[];
}

interface At {
  /** Where the statement comes from; `undefined` for a plan read from JSON without sources. */
  readonly span?: Span | undefined;
}

export type Stmt = At &
  (
    | { readonly kind: "ArrayAppendStmt"; readonly value: Operand; readonly array: Local }
    | { readonly kind: "AssignIntStmt"; readonly value: number; readonly target: Local }
    | { readonly kind: "AssignVarOnceStmt"; readonly source: Operand; readonly target: Local }
    | { readonly kind: "AssignVarStmt"; readonly source: Operand; readonly target: Local }
    | { readonly kind: "BlockStmt"; readonly blocks: readonly Block[] }
    | { readonly kind: "BreakStmt"; readonly index: number }
    | {
        readonly kind: "CallDynamicStmt";
        readonly args: readonly Local[];
        readonly path: readonly Operand[];
        readonly result: Local;
      }
    | { readonly kind: "CallStmt"; readonly func: string; readonly args: readonly Operand[]; readonly result: Local }
    | { readonly kind: "DotStmt"; readonly source: Operand; readonly key: Operand; readonly target: Local }
    | { readonly kind: "EqualStmt"; readonly a: Operand; readonly b: Operand }
    | { readonly kind: "IsArrayStmt"; readonly source: Operand }
    | { readonly kind: "IsDefinedStmt"; readonly source: Local }
    | { readonly kind: "IsObjectStmt"; readonly source: Operand }
    | { readonly kind: "IsSetStmt"; readonly source: Operand }
    | { readonly kind: "IsUndefinedStmt"; readonly source: Local }
    | { readonly kind: "LenStmt"; readonly source: Operand; readonly target: Local }
    | { readonly kind: "MakeArrayStmt"; readonly capacity: number; readonly target: Local }
    | { readonly kind: "MakeNullStmt"; readonly target: Local }
    | { readonly kind: "MakeNumberIntStmt"; readonly value: number; readonly target: Local }
    /** `index` into `strings`: the number's exact text. */
    | { readonly kind: "MakeNumberRefStmt"; readonly index: number; readonly target: Local }
    | { readonly kind: "MakeObjectStmt"; readonly target: Local }
    | { readonly kind: "MakeSetStmt"; readonly target: Local }
    | { readonly kind: "NopStmt" }
    | { readonly kind: "NotEqualStmt"; readonly a: Operand; readonly b: Operand }
    | { readonly kind: "NotStmt"; readonly block: Block }
    | { readonly kind: "ObjectInsertOnceStmt"; readonly key: Operand; readonly value: Operand; readonly object: Local }
    | { readonly kind: "ObjectInsertStmt"; readonly key: Operand; readonly value: Operand; readonly object: Local }
    | { readonly kind: "ObjectMergeStmt"; readonly a: Local; readonly b: Local; readonly target: Local }
    /** Ours, made by the rule index only: the value of the longest of the object's keys with which the text begins. */
    | { readonly kind: "PrefixStmt"; readonly source: Operand; readonly text: Operand; readonly target: Local }
    | { readonly kind: "ResetLocalStmt"; readonly target: Local }
    | { readonly kind: "ResultSetAddStmt"; readonly value: Local }
    | { readonly kind: "ReturnLocalStmt"; readonly source: Local }
    | {
        readonly kind: "ScanStmt";
        readonly source: Local;
        readonly key: Local;
        readonly value: Local;
        readonly block: Block;
      }
    | { readonly kind: "SetAddStmt"; readonly value: Operand; readonly set: Local }
    /** Ours, made by the rule index only: runs the block whose number `index` is, as a BlockStmt of that one would. */
    | { readonly kind: "SwitchStmt"; readonly index: Operand; readonly blocks: readonly Block[] }
    /** Sets `local`.path (string indexes) to `value` for the block; undefined value removes. */
    | {
        readonly kind: "WithStmt";
        readonly local: Local;
        readonly path: readonly number[];
        readonly value: Operand;
        readonly block: Block;
      }
  );

export type StmtKind = Stmt["kind"];
export type StmtOf<K extends StmtKind> = Extract<Stmt, { kind: K }>;

export interface Func {
  /** `g0.data.pkg.rule`, OPA's naming; CallDynamicStmt looks `path` up. */
  readonly name: string;
  readonly params: readonly Local[];
  readonly result: Local;
  readonly blocks: readonly Block[];
  readonly path: readonly string[];
  /** Marks a function of input and data alone that is asked again and again: it is evaluated once an evaluation, as a rule is. */
  readonly once?: boolean;
  /** Marks a function of input, data and keys, which gives an object's value at these keys. */
  readonly keyed?: Keyed | undefined;
}

/** Other functions that know of an object's values, for where they take less time. */
export interface Keyed {
  /** Gives the object. */
  readonly whole: string;
  /** Gives a list: the object, and an object of the keys whose value is a conflict. Several keys are one: their list. */
  readonly table: string | undefined;
}

/** One entrypoint: its blocks end in ResultSetAddStmt. */
export interface Plan {
  readonly name: string;
  readonly blocks: readonly Block[];
}

export interface BuiltinDecl {
  readonly name: string;
  /** Arguments, not counting the result. */
  readonly arity: number;
}

export interface Policy {
  readonly strings: readonly string[];
  readonly constants: readonly Value[];
  /** Builtins that CallStmts name and that are not functions of this policy. */
  readonly builtins: readonly BuiltinDecl[];
  /** Source file names; spans refer to the files themselves. */
  readonly files: readonly string[];
  readonly plans: readonly Plan[];
  readonly funcs: readonly Func[];
}

export const local = (n: Local): Operand => ({ kind: "Local", local: n });
export const bool = (value: boolean): Operand => ({ kind: "Boolean", value });

export const INPUT: Local = 0;
export const DATA: Local = 1;

/** Whether the function's result holds for a whole evaluation: it depends on input and data alone. */
export function isEvaluatedOnce({ once, path, params }: Func): boolean {
  return once === true || (path.length > 0 && params.length === 2 && params[0] === INPUT && params[1] === DATA);
}
