/**
 * Arguments at the edges of what tools say they may be. The tables only say what to try: values that a member names, those beside
 * them, another type, none at all.
 */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { keys, member } from "../policy-ids.ts";
import { textsLike } from "./pattern-texts.ts";

/** The arguments of a call, and where the host says that the files lie which they name. */
export interface SaidArguments {
  readonly args: JsonObject;
  readonly paths: JsonObject;
}

interface Value {
  readonly value: unknown;
  readonly path?: unknown;
}

const PLAIN: { readonly [type: string]: unknown } = {
  ...{ string: "a", integer: 1, number: 1, boolean: true, list: [], object: {}, any: "a" },
};
/** Ways in which a value may be allowed, or asked about. */
const WAYS = ["alone", "approved", "asks"] as const;
/** Values of one argument that are tried, and the longest text. */
const MOST_VALUES = 48;
const LONGEST = 4096;

/** What each policy seems to allow, without what may be absent; empty where no tool of the name says what it takes. */
export function goodArguments(tables: readonly JsonObject[], tool: string, role: string): SaidArguments[] {
  const found = declarations(tables, tool).map((declared) => {
    const required = keys(declared).filter((name) => member(member(declared, name), "required") === true);
    return said(required.map((name) => [name, valuesOf(member(declared, name), role)[0] ?? { value: "a" }]));
  });
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

/** The same arguments with one of them at a time as some policy makes it matter. */
export function* atArguments(
  tables: readonly JsonObject[],
  tool: string,
  role: string,
  { args, paths }: SaidArguments,
): Generator<SaidArguments> {
  const declared = declarations(tables, tool);
  if (declared.length === 0) return;
  const names = new Set([...declared.flatMap(keys), ...Object.keys(args), "unlisted_argument"]);
  for (const name of names) {
    const values = declared.flatMap((of): Value[] => {
      const rule = member(of, name);
      return rule === undefined ? [] : valuesOf(rule, role).slice(0, MOST_VALUES);
    });
    const strange = ["a", "", " ", 1, 1.5, -1, true, null, [], ["a"], {}].map(
      (value): Value => ({ value, path: null }),
    );
    const { [name]: _, ...without } = args;
    yield { args: without, paths };
    for (const { value, path } of [...values, ...strange])
      yield { args: { ...args, [name]: value }, paths: path === undefined ? paths : { ...paths, [name]: path } };
  }
}

function declarations(tables: readonly JsonObject[], tool: string): unknown[] {
  return tables.map((t) => member(member(member(t, "tools"), tool), "arguments")).filter(isJsonObject);
}

function said(values: readonly (readonly [string, Value])[]): SaidArguments {
  const paths = values.filter(([, { path }]) => path !== undefined);
  return {
    args: Object.fromEntries(values.map(([name, { value }]) => [name, value])),
    paths: Object.fromEntries(paths.map(([name, { path }]) => [name, path])),
  };
}

/** The first is one that the rule seems to allow. */
function valuesOf(rule: unknown, role: string): Value[] {
  const type = String(member(rule, "type"));
  const each = member(rule, "each");
  const found = WAYS.flatMap((way) => memberValues(member(rule, way), type, role));
  if (each === undefined) return [...found, { value: PLAIN[type] ?? "a" }];
  const elements = valuesOf(each, role).slice(0, MOST_VALUES);
  const lists = elements.map(({ value, path }): Value => {
    return path === undefined ? { value: [value] } : { value: [value], path: [path] };
  });
  const longest = lengthsIn(rule).map((length): Value => ({ value: Array(length).fill(elements[0]?.value ?? "a") }));
  return [...lists, ...longest, { value: [] }];
}

function memberValues(members: unknown, type: string, role: string): Value[] {
  const of = (name: string): unknown => member(members, name);
  const listed = of("one_of");
  const plain = [
    ...(Array.isArray(listed) ? listed : []),
    ...commandsIn(of("commands")),
    ...urlsIn(of("hosts"), of("schemes")),
    ...["min", "max"].flatMap((name) => numbersAt(of(name), role, type)),
    ...(typeof of("pattern") === "string" ? textsLike(of("pattern") as string) : []),
    ...lengthsIn({ alone: members }).map((length) => (type === "list" ? Array(length).fill("a") : "a".repeat(length))),
  ];
  return [...pathsIn(of("paths")), ...plain.map((value): Value => ({ value }))];
}

/** The greatest length that members name, and one more. */
function lengthsIn(rule: unknown): number[] {
  return WAYS.flatMap((way) => {
    const length = member(member(rule, way), "max_length");
    return typeof length === "number" && length < LONGEST ? [length, length + 1] : [];
  });
}

/** The bound, which keeps it, and its neighbours. */
function numbersAt(bound: unknown, role: string, type: string): number[] {
  const own = member(member(bound, "roles"), role) ?? member(bound, "default");
  if (typeof own !== "number") return [];
  return [own, own - 1, own + 1, ...(type === "integer" ? [] : [own - 0.5, own + 0.5])];
}

/** A file in each place, and the place itself. */
function pathsIn(paths: unknown): Value[] {
  const places = ["below", "except"].flatMap((list) => {
    const of = member(paths, list);
    return Array.isArray(of) ? of.map(String) : [];
  });
  return places
    .flatMap((place) => [`${place}a`, place.replace(/\/$/, "")])
    .map((path) => ({ value: path, ...(member(paths, "resolve") === "text" ? {} : { path }) }));
}

function urlsIn(hosts: unknown, schemes: unknown): string[] {
  const named = [
    ...keys(member(hosts, "literal")).map((host) => [host, member(member(hosts, "literal"), host)] as const),
    ...keys(member(hosts, "below")).map((end) => [`a${end}`, member(member(hosts, "below"), end)] as const),
  ];
  return keys(schemes).flatMap((scheme) =>
    named.flatMap(([host, ports]) => keys(ports).map((port) => `${scheme}://${host}${port && `:${port}`}/`)),
  );
}

/** Each pattern as short as it may be, and with what may follow it. */
function commandsIn(commands: unknown): string[] {
  const patterns = keys(commands).flatMap((first) => member(commands, first) as unknown[]);
  return patterns.flatMap((pattern) => {
    const words = member(pattern, "words");
    const list: readonly unknown[] = Array.isArray(words) ? words : [];
    const line = list
      .map((word) => (typeof word === "string" ? quoted(word) : member(word, "any") === "option" ? "-a" : "a"))
      .join(" ");
    return member(pattern, "rest") === undefined ? [line] : [line, `${line} a`, `${line} -a`];
  });
}

function quoted(word: string): string {
  if (/^[\w@+=:,./-]+$/.test(word)) return word;
  return word.includes("'") ? `"${word}"` : `'${word}'`;
}
