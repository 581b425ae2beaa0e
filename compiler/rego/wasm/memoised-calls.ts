/**
 * The functions that remember their results by their arguments within an evaluation, as OPA's do: those that may be asked again,
 * take long, and depend on arguments, input and data alone. Thirty functions that each call the next one twice are evaluated
 * thirty times then, not 2^30 times.
 *
 * INVARIANT: a function that reaches a builtin of the host remembers nothing: what is printed, or traced, is so each time.
 */

import { calleesFirst, decideName } from "../optimize/index.ts";
import { type Block, blocksOf, changedIn, type Func, isEvaluatedOnce, type Local, type Policy } from "../plan/index.ts";
import { builtin } from "../syntax/index.ts";
import { isNative } from "./native-builtins.ts";

/** Statements of a function that is worth a look-up, with those of the functions that it calls. */
const LONG = 120;
/** Calls that are worth one. Two functions that pass the same on to a third are not. */
const OFTEN = 16;
/** Turns that a loop is taken to have. */
const TURNS = 8;
/** Beyond this, a number says no more. */
const MOST = 1e9;

/** Names of functions. */
export function memoisedCalls(policy: Policy): ReadonlySet<string> {
  const bodies = new Map(policy.funcs.map((func) => [func.name, bodyOf(func.blocks)]));
  const order = calleesFirst(policy).map((name) => ({ name, ...(bodies.get(name) as Body) }));
  const funcs = new Map(policy.funcs.map((func) => [func.name, func]));
  const calls = callsOf(policy, order, funcs);
  const host = new Set(policy.builtins.flatMap(({ name }) => (hasEffect(name) ? [name] : [])));
  const weights = new Map<string, number>();
  const found = new Set<string>();
  for (const { name, weight, sites, callsByPath } of order) {
    const func = funcs.get(name) as Func;
    if (callsByPath || sites.some(({ callee }) => host.has(callee))) host.add(name);
    const called = sites.reduce((sum, { callee, turns }) => sum + turns * (weights.get(callee) ?? 0), weight);
    // A rule is evaluated once, whatever calls it.
    weights.set(name, isEvaluatedOnce(func) ? 0 : Math.min(called, MOST));
    // An object that is asked for one key was evaluated once as a whole.
    const [long, often] = func.keyed === undefined ? [LONG, OFTEN] : [2 * TURNS, 2];
    const isWorthIt = called >= long && (calls.get(name) ?? 0) >= often;
    if (func.params.length > 2 && isWorthIt && !host.has(name)) found.add(name);
  }
  return found;
}

/** A call in a body. */
interface Site {
  readonly callee: string;
  /** How often the body makes it. */
  readonly turns: number;
  /** How often with the same arguments. */
  readonly same: number;
}

interface Body {
  /** Statements that it runs, about. */
  readonly weight: number;
  readonly sites: readonly Site[];
  readonly callsByPath: boolean;
}

function bodyOf(blocks: readonly Block[]): Body {
  const sites: Site[] = [];
  let weight = 0;
  let callsByPath = false;
  /** What each loop around a statement assigns. */
  const loops: ReadonlySet<Local>[] = [];
  const visit = (block: Block): void => {
    const turns = TURNS ** loops.length;
    for (const stmt of block.stmts) {
      weight += turns;
      callsByPath ||= stmt.kind === "CallDynamicStmt";
      if (stmt.kind === "CallStmt") {
        const isFixed = (loop: ReadonlySet<Local>): boolean =>
          !stmt.args.some((arg) => arg.kind === "Local" && loop.has(arg.local));
        sites.push({ callee: stmt.func, turns, same: TURNS ** loops.filter(isFixed).length });
      }
      if (stmt.kind === "ScanStmt") loops.push(new Set(changedIn([{ stmts: [stmt] }])));
      for (const inner of blocksOf(stmt)) visit(inner);
      if (stmt.kind === "ScanStmt") loops.pop();
    }
  };
  for (const block of blocks) visit(block);
  return { weight, sites, callsByPath };
}

/** Whether calls of a builtin have to be made each time. */
function hasEffect(name: string): boolean {
  return !isNative(name) || builtin(name)?.nondeterministic !== false;
}

/** How often an evaluation calls each function with the same arguments, about. */
function callsOf(
  policy: Policy,
  order: readonly (Body & { readonly name: string })[],
  funcs: ReadonlyMap<string, Func>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (sites: readonly Site[], times: number): void => {
    for (const { callee, same } of sites) counts.set(callee, Math.min((counts.get(callee) ?? 0) + same * times, MOST));
  };
  // A decide function is asked in place of its plan.
  const decided = new Set(policy.plans.map(({ name }) => decideName(name)));
  for (const plan of policy.plans) add(bodyOf(plan.blocks).sites, 1);
  for (const { name, sites } of [...order].reverse()) {
    if (!decided.has(name)) add(sites, isEvaluatedOnce(funcs.get(name) as Func) ? 1 : (counts.get(name) ?? 0));
  }
  return counts;
}
