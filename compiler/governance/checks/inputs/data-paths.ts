/** The rules of a policy by their paths, and the values of data by theirs. */

import type { CheckedPolicy, RuleGroup } from "@portcullis/rego/analyze";
import type { Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";

interface Groups {
  readonly at: ReadonlyMap<string, RuleGroup>;
  /** By a path, the groups of longer ones that begin with it. */
  readonly below: ReadonlyMap<string, readonly RuleGroup[]>;
}

const indexed = new WeakMap<CheckedPolicy, Groups>();

/** By paths whose parts NULs separate. */
export function groupsOf(policy: CheckedPolicy): Groups {
  const known = indexed.get(policy);
  if (known !== undefined) return known;
  const at = new Map<string, RuleGroup>();
  const below = new Map<string, RuleGroup[]>();
  for (const group of policy.groups) {
    at.set(group.path.join("\0"), group);
    for (let length = 1; length < group.path.length; length++) {
      const path = group.path.slice(0, length).join("\0");
      const list = below.get(path);
      if (list === undefined) below.set(path, [group]);
      else list.push(group);
    }
  }
  indexed.set(policy, { at, below });
  return { at, below };
}

/** The values that a path may lead to; `undefined` where there is nothing to look into, so that the host may supply it. */
export function valuesBelow(root: Value | undefined, args: readonly Term[]): Value[] | undefined {
  let at: Value[] = root === undefined ? [] : [root];
  for (const arg of args) {
    at = at.flatMap((value) => stepInto(value, arg));
    if (at.length === 0) return undefined;
  }
  return at;
}

function stepInto(value: Value, arg: Term): readonly Value[] {
  if (value.kind === "array") {
    const index = arg.kind === "Number" ? Number(arg.text) : undefined;
    return index === undefined ? value.items : value.items.slice(index, index + 1);
  }
  if (value.kind !== "object") return [];
  const entries =
    arg.kind === "String" ? value.entries.filter(([k]) => k.kind === "string" && k.value === arg.value) : value.entries;
  return entries.map(([, member]) => member);
}
