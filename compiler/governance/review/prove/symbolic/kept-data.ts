/**
 * The data of all policies that have some of the grants of one: what is there for a grant is a part that is there where the grant
 * is kept. Whether one is kept is not known.
 *
 * INVARIANT: for every subset of the grants, the cases are the data that `Grant.remove` leaves.
 */

import type { Value } from "@portcullis/rego/value";
import type { Grant } from "../grants.ts";
import type { CaseMaker, Cases, Part } from "./cases.ts";
import type { Formula } from "./formula.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

/** The path of the tables that grants stand in. */
const TABLES = ["portcullis", "policy"];

/** What is there where its grant is kept: it is defined then. */
export function keptUnknown(unknowns: Unknowns, { name }: Grant): Unknown {
  return unknowns.named(`the grant ${name}`, { from: "result" });
}

/** `holes`: words in the data for what the host gives. */
export function keptData(
  data: Value,
  grants: readonly Grant[],
  maker: CaseMaker,
  holes: ReadonlyMap<Value, Unknown>,
): Cases {
  const { unknowns } = maker;
  const { formulas } = unknowns;
  const places = new Places(grants);
  const part = (value: Value, path: readonly string[], key?: Value): Part => {
    const kept = places.grantsAt(path).map((grant): Formula => unknowns.isDefined(keptUnknown(unknowns, grant)));
    return { when: formulas.and(...kept), ...(key && { key }), value: cases(value, path) };
  };
  const cases = (value: Value, path: readonly string[]): Cases => {
    const hole = holes.get(value);
    if (!places.isAbove(path)) return hole === undefined ? maker.known(value) : maker.unknown(hole);
    // Grants there would not be taken away.
    if (hole !== undefined) throw new Error("a host gives no tables of a policy set");
    const always = formulas.true;
    if (value.kind === "object") {
      const parts = value.entries.map(([key, inner]) => part(inner, [...path, textOf(key)], key));
      return [{ when: always, item: maker.made("object", parts) }];
    }
    if (value.kind !== "array") return maker.known(value);
    return [
      {
        when: always,
        item: maker.made(
          "array",
          value.items.map((item) => part(item, [...path, textOf(item)])),
        ),
      },
    ];
  };
  return cases(data, []);
}

/** The data, with another value in each place that is there for a grant: what reads one is another function by name. */
export function marked(data: Value, grants: readonly Grant[]): Value {
  if (grants.length === 0) return data;
  const places = new Places(grants);
  const mark = (value: Value, path: readonly string[]): Value => {
    const inner = places.isAbove(path) ? mapped(value, (one, key) => mark(one, [...path, key])) : value;
    if (places.grantsAt(path).length === 0) return inner;
    return { kind: "array", items: [{ kind: "string", value: "there, or not" }, inner] };
  };
  return mark(data, []);
}

/** Grants by where they stand in the data. */
class Places {
  private readonly grants = new Map<string, Grant[]>();
  private readonly above = new Set<string>();

  constructor(grants: readonly Grant[]) {
    for (const grant of grants)
      for (const place of grant.places) {
        const path = [...TABLES, ...place];
        const name = JSON.stringify(path);
        this.grants.set(name, [...(this.grants.get(name) ?? []), grant]);
        for (const i of path.keys()) this.above.add(JSON.stringify(path.slice(0, i)));
      }
  }

  grantsAt(path: readonly string[]): readonly Grant[] {
    return this.grants.get(JSON.stringify(path)) ?? [];
  }

  /** Whether any stands inside of what is there. */
  isAbove(path: readonly string[]): boolean {
    return this.above.has(JSON.stringify(path));
  }
}

function mapped(value: Value, change: (value: Value, key: string) => Value): Value {
  if (value.kind === "object")
    return { ...value, entries: value.entries.map(([key, inner]) => [key, change(inner, textOf(key))] as const) };
  if (value.kind === "array") return { ...value, items: value.items.map((item) => change(item, textOf(item))) };
  return value;
}

/** Keys of the tables are texts, and elements of their lists: others are no place. */
const textOf = (value: Value): string => (value.kind === "string" ? value.value : "");
