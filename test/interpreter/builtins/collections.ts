/** Arrays, sets, objects, membership, walk, types. */

import { Num } from "../number.ts";
import { Arr, compare, dot, Obj, pairs, SetVal, type Val } from "../value.ts";
import { BuiltinError } from "./error.ts";
import { arr, type Builtin, int, items, obj, set } from "./operands.ts";

function typeName(v: Val): string {
  if (v === null) return "null";
  if (typeof v === "boolean") return "boolean";
  if (typeof v === "string") return "string";
  if (v instanceof Num) return "number";
  return v instanceof Arr ? "array" : v instanceof Obj ? "object" : "set";
}

/** Every path below `v`, with what is there, outermost first. */
function walk(v: Val): Val {
  const out: Val[] = [];
  const visit = (path: readonly Val[], at: Val): void => {
    out.push(new Arr([new Arr([...path]), at]));
    for (const [k, x] of pairs(at) ?? []) visit([...path, k], x);
  };
  visit([], v);
  return new Arr(out);
}

/** Later operands win, objects are merged at every depth. */
function union(a: Val, b: Val): Val {
  if (!(a instanceof Obj) || !(b instanceof Obj)) return b;
  const out = a.copy();
  for (const [k, v] of b.entries()) {
    const old = out.get(k);
    out.set(k, old === undefined ? v : union(old, v));
  }
  return out;
}

/** Keys given as an object, array or set. */
const keysOf = (v: Val): readonly Val[] => (v instanceof Obj ? v.keys() : items(v));

function get(source: Val, key: Val, fallback: Val): Val {
  obj(source);
  let at: Val | undefined = source;
  for (const k of key instanceof Arr ? key.items : [key]) {
    at = at === undefined ? undefined : dot(at, k);
  }
  // Null is a value like any other.
  return at === undefined ? fallback : at;
}

function flatten(values: readonly Val[]): Val[] {
  return values.flatMap((v) => (v instanceof Arr ? v.items : [v]));
}

function subset(a: Val, b: Val): boolean {
  if (a instanceof Obj && b instanceof Obj)
    return b.entries().every(([k, v]) => {
      const x = a.get(k);
      return x !== undefined && (compare(x, v) === 0 || (typeof v === "object" && subset(x, v)));
    });
  if (a instanceof SetVal && b instanceof SetVal) return b.items().every((v) => a.has(v));
  if (a instanceof Arr && b instanceof Arr) {
    for (let i = 0; i + b.items.length <= a.items.length; i++)
      if (b.items.every((v, j) => compare(a.items[i + j] as Val, v) === 0)) return true;
    return false;
  }
  return false;
}

/** An array has a set of its items; other operands of different types are an error, which they are not further in. */
function objectSubset(a: Val, b: Val): boolean {
  if (a instanceof Arr && b instanceof SetVal) {
    // OPA counts elements, repeated ones too, until there are as many as the set has: the empty array has not even none.
    const held = a.items.filter((v) => b.has(v)).length;
    return a.items.length > 0 && held >= b.items().length;
  }
  if (![Obj, SetVal, Arr].some((type) => a instanceof type && b instanceof type))
    throw new BuiltinError("both operands must be of one type");
  return subset(a, b);
}

function reachable(graph: Val, initial: Val): Val {
  const g = obj(graph);
  const seen = new SetVal();
  const queue = [...items(initial)];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const edges = g.get(node);
    if (edges === undefined || seen.has(node)) continue;
    seen.add(node);
    if (edges instanceof Arr || edges instanceof SetVal) queue.push(...items(edges));
  }
  return seen;
}

const is = (name: string): Builtin => {
  return (v) => typeName(v as Val) === name;
};

export const collections: Record<string, Builtin> = {
  and: (a, b) => {
    const [left, right] = [set(a), set(b)];
    return SetVal.of(left.items().filter((v) => right.has(v)));
  },
  or: (a, b) => SetVal.of([...set(a).items(), ...set(b).items()]),
  union: (a) =>
    SetVal.of(
      set(a)
        .items()
        .flatMap((v) => set(v).items()),
    ),
  intersection: (a) => {
    const [first, ...rest] = set(a).items().map(set);
    return SetVal.of((first?.items() ?? []).filter((v) => rest.every((s) => s.has(v))));
  },
  "array.concat": (a, b) => new Arr([...arr(a), ...arr(b)]),
  "array.slice": (a, i, j) => {
    const length = BigInt(arr(a).length);
    const clamp = (n: bigint): number => Number(n < 0n ? 0n : n > length ? length : n);
    return new Arr(arr(a).slice(clamp(int(i)), clamp(int(j))));
  },
  "array.reverse": (a) => new Arr([...arr(a)].reverse()),
  "array.flatten": (a) => new Arr(flatten(arr(a))),
  "object.get": (o, k, d) => get(o as Val, k as Val, d as Val),
  "object.keys": (o) => SetVal.of(obj(o).keys()),
  "object.union": (a, b) => union(obj(a), obj(b)),
  "object.union_n": (a) => arr(a).reduce((x, y) => union(x, obj(y)), new Obj()),
  "object.remove": (o, k) => {
    const gone = SetVal.of(keysOf(k as Val));
    return Obj.of(
      obj(o)
        .entries()
        .filter(([key]) => !gone.has(key)),
    );
  },
  "object.filter": (o, k) => {
    const kept = SetVal.of(keysOf(k as Val));
    return Obj.of(
      obj(o)
        .entries()
        .filter(([key]) => kept.has(key)),
    );
  },
  "object.subset": (a, b) => objectSubset(a as Val, b as Val),
  "graph.reachable": (g, i) => reachable(g as Val, i as Val),
  "internal.member_2": (x, xs) => (pairs(xs as Val) ?? []).some(([, v]) => compare(v, x as Val) === 0),
  "internal.member_3": (k, x, xs) => {
    // The keys of a set are its members.
    const v = dot(xs as Val, k as Val);
    return v !== undefined && compare(v, x as Val) === 0;
  },
  walk: (v) => walk(v as Val),
  type_name: (v) => typeName(v as Val),
  is_null: is("null"),
  is_boolean: is("boolean"),
  is_number: is("number"),
  is_string: is("string"),
  is_array: is("array"),
  is_object: is("object"),
  is_set: is("set"),
  cast_array: (v) => new Arr([...items(v)]),
  cast_set: (v) => SetVal.of(items(v)),
  cast_string: (v) => (typeof v === "string" ? v : failCast()),
  cast_boolean: (v) => (typeof v === "boolean" ? v : failCast()),
  cast_null: (v) => (v === null ? v : failCast()),
  cast_object: (v) => obj(v),
};

function failCast(): never {
  throw new BuiltinError("cannot cast");
}
