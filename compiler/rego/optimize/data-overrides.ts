/** Which functions may run under a `with` that replaces some of the bundle's own data. */

import { type Block, blocksOf, DATA, type Policy } from "../plan/index.ts";

/** `roots`: top-level keys of `data` that belong to the bundle. */
export function underDataOverride(policy: Policy, roots: ReadonlySet<string>): ReadonlySet<string> {
  const direct = new Set<string>();
  const calls = new Map<string, Set<string>>();
  const everyFunc = policy.funcs.map((f) => f.name);
  const visit = (block: Block, overridden: boolean, callees: Set<string>): void => {
    for (const stmt of block.stmts) {
      const found = stmt.kind === "CallStmt" ? [stmt.func] : stmt.kind === "CallDynamicStmt" ? everyFunc : [];
      for (const name of found) {
        callees.add(name);
        if (overridden) direct.add(name);
      }
      const first = stmt.kind === "WithStmt" && stmt.local === DATA ? stmt.path[0] : undefined;
      const overrides =
        stmt.kind === "WithStmt" &&
        stmt.local === DATA &&
        (first === undefined || roots.has(policy.strings[first] as string));
      for (const inner of blocksOf(stmt)) visit(inner, overridden || overrides, callees);
    }
  };
  for (const { name, blocks, keyed } of [
    ...policy.plans.map((p) => ({ name: `plan ${p.name}`, blocks: p.blocks, keyed: undefined })),
    ...policy.funcs,
  ]) {
    // A later pass may call these in its place.
    const callees = new Set<string>([keyed?.whole ?? [], keyed?.table ?? []].flat());
    for (const block of blocks) visit(block, false, callees);
    calls.set(name, callees);
  }
  const reached = new Set<string>();
  const work = [...direct];
  for (let name = work.pop(); name !== undefined; name = work.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    work.push(...(calls.get(name) ?? []));
  }
  return reached;
}
