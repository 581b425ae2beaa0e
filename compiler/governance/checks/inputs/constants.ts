/** Constant texts: those that a term holds, with the place of each. */

import type { CheckedPolicy } from "@portcullis/rego/analyze";
import type { Span } from "@portcullis/rego/diagnostics";
import type { Rule, Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { dataPath } from "./flow.ts";

export interface Text {
  readonly value: string;
  readonly span: Span;
}

/** The bundle's data, and where its texts were written. */
export interface WrittenData {
  readonly data: (path: readonly string[]) => Value | undefined;
  readonly places: (path: readonly string[], keys: boolean) => ReadonlyMap<string, Span>;
}

/** Looks constants up in rules and in the bundle's data. */
export class Constants {
  private readonly values = new Map<string, Term>();
  private readonly known: WrittenData;

  constructor(policy: CheckedPolicy, known: WrittenData) {
    this.known = known;
    for (const { kind, path, definitions } of policy.groups) {
      const [only] = definitions;
      const rule = definitions.length === 1 ? only?.rule : undefined;
      if (kind !== "complete" || rule === undefined || rule.else || rule.head.value === undefined) continue;
      const value = rule.hasBody ? undefined : constantOf(rule);
      if (value !== undefined) this.values.set(path.join("\0"), value);
    }
  }

  /** The texts among the elements of a collection; `undefined` when they are not known. */
  elements(term: Term): readonly Text[] | undefined {
    return this.collection(term, (t) => (t.kind === "Object" ? t.entries.map(([, v]) => v) : undefined), false);
  }

  /** The texts among the keys of an object or the elements of a set. */
  keys(term: Term): readonly Text[] | undefined {
    return this.collection(term, (t) => (t.kind === "Object" ? t.entries.map(([k]) => k) : undefined), true);
  }

  private collection(
    term: Term,
    inside: (term: Term) => readonly Term[] | undefined,
    keys: boolean,
  ): readonly Text[] | undefined {
    const path = dataPath(term);
    if (path !== undefined && term.kind === "Ref" && path.length === term.args.length) {
      const rule = this.values.get(path.join("\0"));
      if (rule !== undefined) return this.collection(rule, inside, keys);
      const value = this.known.data(path);
      const places = value && this.known.places(path, keys);
      return value && textsOf(value, term.span, keys)?.map((t) => ({ ...t, span: places?.get(t.value) ?? t.span }));
    }
    if (term.kind === "Constant") return textsOf(term.value, term.span, keys);
    const items = term.kind === "Set" || (term.kind === "Array" && !keys) ? term.items : inside(term);
    return items?.flatMap((item) => (item.kind === "String" ? { value: item.value, span: item.span } : []));
  }
}

/** The value of a rule without conditions: what stands in its head, or what its hoisted statements give the head's local. */
function constantOf(rule: Rule): Term | undefined {
  const value = rule.head.value;
  return value?.kind === "Var" ? undefined : value;
}

function textsOf(value: Value, span: Span, keys: boolean): readonly Text[] | undefined {
  const items =
    value.kind === "set" || (value.kind === "array" && !keys)
      ? value.items
      : value.kind === "object"
        ? value.entries.map(([k, v]) => (keys ? k : v))
        : undefined;
  return items?.flatMap((item) => (item.kind === "string" ? { value: item.value, span } : []));
}
