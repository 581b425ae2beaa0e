/** The request that a solver's answer is about. */

import { KINDS } from "./formula.ts";
import type { SmtQuery } from "./smt.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

/** Longer lists are not written out: a request of that length is not shown. */
const LONGEST = 64;

/** The input as JSON. What the answer does not speak of is not there. */
export function requestOfModel(
  unknowns: Unknowns,
  { unknowns: used, texts }: SmtQuery,
  values: ReadonlyMap<string, string>,
): unknown {
  const isUsed = new Set(used.map(({ id }) => id));
  const children = new Map<number, Unknown[]>();
  for (const unknown of unknowns.all) {
    if (!("parent" in unknown.origin) || !isUsed.has(unknown.id)) continue;
    const { id } = unknown.origin.parent;
    children.set(id, [...(children.get(id) ?? []), unknown]);
  }
  const build = (unknown: Unknown): unknown => {
    const { id } = unknown;
    const kind = KINDS[Number(values.get(`k${id}`) ?? 0)];
    const own = children.get(id) ?? [];
    if (kind === undefined || kind === "undefined" || kind === "set") return undefined;
    switch (kind) {
      case "null":
        return null;
      case "boolean":
        return values.get(`b${id}`) === "true";
      case "number":
        return numberOf(values.get(`n${id}`) ?? "0");
      case "string":
        return textOf(values.get(`s${id}`), texts);
      case "array": {
        const length = Math.min(Number(values.get(`l${id}`) ?? 0), LONGEST);
        return Array.from({ length }, (_, at) => {
          const element = own.find(({ origin }) => origin.from === "element" && origin.at === at);
          return element === undefined ? null : (build(element) ?? null);
        });
      }
      case "object":
        return Object.fromEntries(membersOf(own, build, Number(values.get(`l${id}`) ?? 0)));
    }
  };
  return build(unknowns.input);
}

function membersOf(own: readonly Unknown[], build: (unknown: Unknown) => unknown, size: number): [string, unknown][] {
  const members = own.flatMap((unknown): [string, unknown][] => {
    const value = unknown.origin.from === "member" ? build(unknown) : undefined;
    return value === undefined || unknown.origin.from !== "member" ? [] : [[unknown.origin.key, value]];
  });
  for (const unknown of own) {
    const { origin } = unknown;
    if (origin.from !== "key" || origin.at >= size) continue;
    const name = build(unknown);
    const entry = own.find((one) => one.origin.from === "value" && one.origin.at === origin.at);
    const value = entry === undefined ? null : build(entry);
    if (typeof name === "string" && value !== undefined && !members.some(([known]) => known === name))
      members.push([name, value]);
  }
  return members;
}

/** `1.0`, `(- 2.0)`, `(/ 1.0 3.0)` */
function numberOf(text: string): number {
  const isNegative = text.includes("-");
  const [first = 0, second = 1] = (text.match(/[0-9]+(?:\.[0-9]+)?/g) ?? []).map(Number);
  const value = text.includes("/") ? first / second : first;
  return isNegative ? -value : value;
}

function textOf(value: string | undefined, texts: readonly string[]): string {
  if (value === undefined) return "";
  if (value.startsWith('"')) {
    const inner = value.slice(1, -1).replaceAll('""', '"');
    return inner.replace(/\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})/g, (_, a?: string, b?: string) =>
      String.fromCodePoint(Number.parseInt(a ?? b ?? "0", 16)),
    );
  }
  const known = texts[Number(value)];
  if (known !== undefined) return known;
  let stranger = `stranger-${value}`;
  while (texts.includes(stranger)) stranger += "x";
  return stranger;
}
