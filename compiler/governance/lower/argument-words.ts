/** What arguments may be, in words for people: read from the policy's data, so that it is what decides. */

import { isJsonObject } from "@portcullis/rego/value";
import { numberWords, valueWords } from "./number-words.ts";

/** At most this many values of a member are told. */
const MANY = 12;

/** A sentence for each argument of a tool, in the order of their names: none for a tool that does not say. `most`: values of a list. */
export function argumentWords(policy: unknown, tool: string, most = MANY): string[] {
  const said = at(policy, "tools", tool, "arguments");
  if (!isJsonObject(said)) return [];
  const others = at(policy, "tools", tool, "other_arguments") === "allow" ? ["others may be anything"] : [];
  const words = [...Object.keys(said).map((name) => wordsOf(name, said[name], most)), ...others];
  return words.length === 0 ? ["no arguments"] : words;
}

/** The sentence for one argument; `undefined` where the tool does not say. */
export function wordsOfArgument(policy: unknown, tool: string, argument: string): string | undefined {
  const said = at(policy, "tools", tool, "arguments", argument);
  return said === undefined ? undefined : wordsOf(argument, said, MANY);
}

function wordsOf(name: string, said: unknown, most: number): string {
  const each = at(said, "each");
  const parts = [...ruleWords(said, most), ...(each === undefined ? [] : [`each ${ruleWords(each, most).join(", ")}`])];
  const absent = at(said, "required") === false ? ["or absent"] : [];
  return `\`${name}\` may be: ${[...parts, ...absent].join(", ")}`;
}

function ruleWords(rule: unknown, most: number): string[] {
  const [alone, approved, asks] = ["alone", "approved", "asks"].map((way) => at(rule, way));
  const type = String(at(rule, "type"));
  const own = alone === undefined ? [] : memberWords(alone, most);
  const isEvery = isJsonObject(asks) && approved === undefined;
  const withPerson = isEvery ? ["with a person's approval"] : approved === undefined ? [] : memberWords(asks, most);
  // A length alone does not say of what it is.
  const saysType = own.length > 0 && (type === "string" || keysOf(alone)?.join() !== "max_length");
  const shown = saysType || alone === undefined ? own : [type, ...own];
  if (approved === undefined) return [...shown, ...withPerson];
  return [...shown, `${shown.length === 0 ? "" : "or "}with a person's approval ${withPerson.join(", ")}`];
}

function memberWords(members: unknown, most: number): string[] {
  const of = (name: string): unknown => at(members, name);
  const listed = (before: string, list: unknown, word: (item: unknown) => string): string[] =>
    listWords(before, list, word, most);
  return [
    ...listed("", of("one_of"), valueWords),
    ...textWords("text like", of("pattern"), (pattern) => pattern.replace(/^\^\(\?:(.*?)(?:\\E)?\)\$$/s, "$1")),
    ...textWords("at most", of("max_length"), (length) => `${length} long`),
    ...limitWords("at least", of("min")),
    ...limitWords("at most", of("max")),
    ...listed("below", at(of("paths"), "below"), placeWords),
    ...listed("not below", at(of("paths"), "except"), placeWords),
    ...listed("at", hostsOf(of("hosts")), String),
    ...listed("by", keysOf(of("schemes")), String),
    ...listed("", commandsOf(of("commands")), String),
  ];
}

function listWords(before: string, list: unknown, word: (item: unknown) => string, most: number): string[] {
  if (!Array.isArray(list)) return [];
  const more = list.length > most ? [`${list.length - most} more`] : [];
  const shown = [...list.slice(0, most).map(word), ...more].join(", ");
  return [list.length === 0 ? `${before} nothing`.trim() : `${before} ${shown}`.trim()];
}

function textWords(before: string, value: unknown, word: (text: string) => string): string[] {
  return value === undefined ? [] : [`${before} ${word(String(value))}`];
}

function limitWords(before: string, limit: unknown): string[] {
  const { roles, default: otherwise } = isJsonObject(limit) ? limit : {};
  if (roles === undefined) return [];
  const rows = Object.entries(roles as object).map(([role, number]) => `${numberWords(number)} for ${role}`);
  const all = [...(otherwise === undefined ? [] : [numberWords(otherwise)]), ...rows];
  return [`${before} ${all.join(", ") || "nothing"}`];
}

function placeWords(place: unknown): string {
  return place === "" ? "the project" : String(place).replace(/\/$/, "");
}

function hostsOf(hosts: unknown): readonly string[] | undefined {
  if (!isJsonObject(hosts)) return undefined;
  const rows = (of: unknown, before: string): string[] =>
    Object.entries((of ?? {}) as object).flatMap(([host, ports]) =>
      Object.keys(ports as object).map((port) => `${before}${host}${port === "" ? "" : `:${port}`}`),
    );
  return [...rows(hosts["literal"], ""), ...rows(hosts["below"], "*")];
}

function keysOf(names: unknown): readonly string[] | undefined {
  return isJsonObject(names) ? Object.keys(names) : undefined;
}

function commandsOf(commands: unknown): readonly string[] | undefined {
  if (!isJsonObject(commands)) return undefined;
  const patterns = Object.values(commands).flat() as readonly {
    readonly words: readonly unknown[];
    readonly rest?: string;
  }[];
  const word = (one: unknown): string => {
    if (typeof one !== "string") return at(one, "any") === "option" ? "-*" : "*";
    return /^[\w@+=:,./-]+$/.test(one) ? one : one.includes("'") ? `"${one}"` : `'${one}'`;
  };
  const ends: { readonly [rest: string]: string } = { words: " *", any: " **" };
  return patterns.map(({ words, rest }) => words.map(word).join(" ") + (rest === undefined ? "" : (ends[rest] ?? "")));
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((of, key) => (isJsonObject(of) && Object.hasOwn(of, key) ? of[key] : undefined), value);
}
