/** Strings, encodings, json. */

import { fromBytes, fromLatin, latin, runes, toBytes } from "../bytes.ts";
import { Num } from "../number.ts";
import { parseJson } from "../term.ts";
import { Arr, Obj, print, SetVal, toJson, type Val } from "../value.ts";
import { BuiltinError, MissingBuiltin } from "./error.ts";
import { arr, type Builtin, int, items, obj, str } from "./operands.ts";

/** A text whose characters are the bytes. */
const bytes = (v: Val | undefined): string => latin(str(v));
const points = (s: string): string[] => [...s];

function indexof(haystack: string, needle: string): bigint {
  if (needle === "") throw new BuiltinError("empty search character");
  const at = haystack.indexOf(needle);
  return BigInt(at < 0 ? -1 : points(haystack.slice(0, at)).length);
}

function indexes(haystack: string, needle: string): Val {
  if (needle === "") throw new BuiltinError("empty search character");
  const out: Val[] = [];
  const [h, n] = [points(haystack), points(needle)];
  for (let i = 0; i + n.length <= h.length; i++) if (n.every((c, j) => h[i + j] === c)) out.push(Num.of(i));
  return new Arr(out);
}

function substring(s: string, start: bigint, length: bigint): string {
  if (start < 0n) throw new BuiltinError("negative offset");
  const all = points(s);
  return length < 0n ? all.slice(Number(start)).join("") : all.slice(Number(start), Number(start + length)).join("");
}

const trimLeft = (s: string, cut: string): string => {
  const set = new Set(points(cut));
  const all = points(s);
  const at = all.findIndex((c) => !set.has(c));
  return at < 0 ? "" : all.slice(at).join("");
};
const reversed = (s: string): string => points(s).reverse().join("");
const trimRight = (s: string, cut: string): string => reversed(trimLeft(reversed(s), cut));

/** A string, or a collection of them. */
const texts = (v: Val | undefined): string[] => (typeof v === "string" ? [v] : items(v as Val).map(str));

const anyPair = (test: (s: string, part: string) => boolean): Builtin => {
  return (a, b) => {
    const [xs, ys] = [texts(a), texts(b)];
    return xs.some((x) => ys.some((y) => test(x, y)));
  };
};

/** `%s`, `%v` and `%d` only; other verbs are left to the product's own tests. */
function sprintf(format: string, args: readonly Val[]): string {
  let next = 0;
  return format.replace(/%[-+# 0]*[0-9.]*([a-zA-Z%])/g, (whole, verb: string) => {
    if (verb === "%") return "%";
    if (!/^%[svd]$/.test(whole)) throw new MissingBuiltin(`sprintf ${whole}`);
    const arg = args[next++];
    if (arg === undefined) return `%!${verb}(MISSING)`;
    return typeof arg === "string" ? arg : print(arg, " ");
  });
}

/** Each part is a string, or a set with the value or, when the value is undefined, without. */
function template(parts: readonly Val[]): string {
  return parts
    .map((p) => {
      if (typeof p === "string") return p;
      if (!(p instanceof SetVal))
        return p === null || typeof p === "boolean" || p instanceof Num ? print(p) : print(p, " ");
      const found = p.items();
      if (found.length > 1) throw new BuiltinError("template-strings must not produce multiple outputs");
      if (found.length === 0) return "<undefined>";
      return typeof found[0] === "string" ? found[0] : print(found[0] as Val, " ");
    })
    .join("");
}

export const strings: Record<string, Builtin> = {
  concat: (sep, v) => fromLatin(items(v).map(bytes).join(bytes(sep))),
  contains: (a, b) => bytes(a).includes(bytes(b)),
  startswith: (a, b) => bytes(a).startsWith(bytes(b)),
  endswith: (a, b) => bytes(a).endsWith(bytes(b)),
  lower: (a) => runes(str(a)).toLowerCase(),
  upper: (a) => runes(str(a)).toUpperCase(),
  split: (a, b) => new Arr(str(b) === "" ? points(str(a)) : bytes(a).split(bytes(b)).map(fromLatin)),
  replace: (a, b, c) => fromLatin(bytes(a).replaceAll(bytes(b), () => bytes(c))),
  "strings.replace_n": (patterns, s) => {
    const pairs = obj(patterns)
      .entries()
      .map(([k, v]) => [str(k), str(v)] as const);
    let out = "";
    for (let i = 0; i < str(s).length; ) {
      const hit = pairs.find(([k]) => k !== "" && str(s).startsWith(k, i));
      out += hit ? hit[1] : (str(s)[i] as string);
      i += hit ? hit[0].length : 1;
    }
    return out;
  },
  "strings.reverse": (a) => reversed(str(a)),
  "strings.any_prefix_match": anyPair((s, p) => s.startsWith(p)),
  "strings.any_suffix_match": anyPair((s, p) => s.endsWith(p)),
  "strings.count": (a, b) => Num.of(str(a).split(str(b)).length - 1),
  indexof: (a, b) => Num.of(indexof(runes(str(a)), runes(str(b)))),
  indexof_n: (a, b) => indexes(runes(str(a)), runes(str(b))),
  substring: (a, i, n) => {
    const whole = int(i) === 0n && int(n) >= points(str(a)).length;
    return whole ? str(a) : substring(runes(str(a)), int(i), int(n));
  },
  trim: (a, b) => trimRight(trimLeft(str(a), str(b)), str(b)),
  trim_left: (a, b) => trimLeft(str(a), str(b)),
  trim_right: (a, b) => trimRight(str(a), str(b)),
  trim_prefix: (a, b) => (bytes(a).startsWith(bytes(b)) ? fromLatin(bytes(a).slice(bytes(b).length)) : str(a)),
  trim_suffix: (a, b) =>
    str(b) !== "" && bytes(a).endsWith(bytes(b)) ? fromLatin(bytes(a).slice(0, -bytes(b).length)) : str(a),
  trim_space: (a) => str(a).replace(/^[\s\u0085]+|[\s\u0085]+$/gu, ""),
  sprintf: (f, a) => sprintf(str(f), arr(a)),
  "internal.template_string": (a) => template(arr(a)),
  "internal.print": () => undefined,
  "base64.encode": (a) => toBytes(str(a)).toString("base64"),
  "base64.decode": (a) => {
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(str(a)))
      throw new BuiltinError("illegal base64");
    return fromBytes(Buffer.from(str(a), "base64"));
  },
  "base64url.encode_no_pad": (a) => toBytes(str(a)).toString("base64url"),
  "hex.encode": (a) => toBytes(str(a)).toString("hex"),
  "hex.decode": (a) => {
    if (!/^(?:[\da-f]{2})*$/i.test(str(a))) throw new BuiltinError("illegal hex");
    return fromBytes(Buffer.from(str(a), "hex"));
  },
  "json.marshal": (a) => print(toJson(a as Val)).replaceAll(/\\udc[89a-f]./g, "\\ufffd"),
  "json.unmarshal": (a) => {
    try {
      return parseJson(str(a));
    } catch {
      throw new BuiltinError("invalid json");
    }
  },
  "json.is_valid": (a) => {
    try {
      parseJson(str(a));
      return true;
    } catch {
      return false;
    }
  },
  "json.filter": (o, paths) => filterPaths(obj(o), tree(paths as Val)),
  "json.remove": (o, paths) => removePaths(obj(o), tree(paths as Val)),
};

/** Paths, as text or as arrays of keys, folded into one tree; a leaf is an empty one. */
interface Tree {
  leaf: boolean;
  readonly next: Map<string, Tree>;
}

function tree(paths: Val): Tree {
  const root: Tree = { leaf: false, next: new Map() };
  for (const path of items(paths)) {
    const keys =
      typeof path === "string"
        ? path
            .replace(/^\//, "")
            .split("/")
            .map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"))
        : arr(path).map((k) => (typeof k === "string" ? k : print(k)));
    let at = root;
    for (const key of keys) {
      const next = at.next.get(key) ?? { leaf: false, next: new Map() };
      at.next.set(key, next);
      at = next;
    }
    at.leaf = true;
  }
  return root;
}

function filterPaths(v: Val, t: Tree): Val {
  if (t.leaf) return v;
  if (v instanceof Arr)
    return new Arr(
      v.items.flatMap((x, i) => (t.next.has(String(i)) ? [filterPaths(x, t.next.get(String(i)) as Tree)] : [])),
    );
  if (!(v instanceof Obj)) return v;
  const entries = v.entries().flatMap(([k, x]): [Val, Val][] => {
    const next = t.next.get(typeof k === "string" ? k : print(k));
    return next === undefined ? [] : [[k, filterPaths(x, next)]];
  });
  return Obj.of(entries);
}

function removePaths(v: Val, t: Tree): Val {
  const keep = (key: string, x: Val): Val[] => {
    const next = t.next.get(key);
    return next === undefined ? [x] : next.leaf ? [] : [removePaths(x, next)];
  };
  if (v instanceof Arr) return new Arr(v.items.flatMap((x, i) => keep(String(i), x)));
  if (v instanceof SetVal) return SetVal.of(v.items().flatMap((x) => keep(typeof x === "string" ? x : print(x), x)));
  if (!(v instanceof Obj)) return v;
  return Obj.of(
    v.entries().flatMap(([k, x]) => keep(typeof k === "string" ? k : print(k), x).map((y): [Val, Val] => [k, y])),
  );
}
