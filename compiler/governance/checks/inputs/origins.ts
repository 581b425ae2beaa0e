/** What locals of a body stand for, and the text by which a place is known. */

import { isCallOf } from "@portcullis/rego/analyze";
import type { Expr, Ref, Term } from "@portcullis/rego/syntax";
import { type Kinds, kindsOfType, resultOf } from "./kinds.ts";

export class Origins {
  private readonly origins = new Map<string, Term>();
  /** By a local, the kinds of the element of a builtin's list that it is. */
  readonly elements = new Map<string, NonNullable<Kinds>>();

  /** `bodies`: a body, and those that it stands in. */
  constructor(bodies: readonly (readonly Expr[])[]) {
    for (const { body } of bodies.flat()) this.bind(body);
  }

  /** The term that a local was given; the term itself for any other. */
  of(term: Term): Term {
    const seen = new Set<string>();
    let at = term;
    while (at.kind === "Var" && !seen.has(at.name)) {
      seen.add(at.name);
      at = this.origins.get(at.name) ?? at;
    }
    return at;
  }

  /** The place that a term reads, in words: a local stands for what it was given. */
  shownText(term: Term, within: readonly string[] = []): string {
    // A local may be a key of what it is given: `x := xs[x]`.
    const at = term.kind === "Var" && within.includes(term.name) ? term : this.of(term);
    if (at.kind === "Var") return at.name;
    const inside = term.kind === "Var" ? [...within, term.name] : within;
    if (at.kind !== "Ref") return `${at.kind} ${at.span.file.name} ${at.span.start} ${at.span.end}`;
    const parts = at.args.map((arg) => {
      if (arg.kind === "String") return /^\w+$/.test(arg.value) ? `.${arg.value}` : `[${JSON.stringify(arg.value)}]`;
      if (arg.kind === "Number") return `[${arg.text}]`;
      return `[${this.shownText(arg, inside)}]`;
    });
    return `${at.head.kind === "Var" ? this.shownText(at.head, inside) : ""}${parts.join("")}`;
  }

  private bind(body: Expr["body"]): void {
    if (body.kind === "Every" && !this.origins.has(body.value.name)) {
      const { domain, value } = body;
      const element: Term = { kind: "Var", span: value.span, name: "_" };
      const at: Ref =
        domain.kind === "Ref"
          ? { ...domain, args: [...domain.args, element] }
          : { kind: "Ref", span: value.span, head: domain, args: [element] };
      this.origins.set(value.name, at);
    }
    if (!isCallOf(body, "eq")) return;
    const [a, b] = body.args as readonly [Term, Term];
    for (const [name, value] of [
      [a, b],
      [b, a],
    ] as const) {
      if (name.kind === "Var" && name.name !== "input" && name.name !== "data" && !this.origins.has(name.name))
        if (value.kind !== "Var" || value.name !== name.name) this.origins.set(name.name, value);
    }
    if (a.kind === "Array") for (const [i, item] of a.items.entries()) this.bindItem(item, b, i);
    if (b.kind === "Array") for (const [i, item] of b.items.entries()) this.bindItem(item, a, i);
  }

  /** `[hour, _, _] := f(x)`: a local that is an element. */
  private bindItem(item: Term, list: Term, index: number): void {
    if (item.kind !== "Var" || this.origins.has(item.name)) return;
    const at: Term = { kind: "Number", span: item.span, text: String(index) };
    if (list.kind === "Var") this.origins.set(item.name, { kind: "Ref", span: item.span, head: list, args: [at] });
    const type = list.kind === "Call" ? resultOf(list) : undefined;
    const kinds = type?.kind === "array" ? kindsOfType(type.items[index] ?? type.rest) : undefined;
    if (kinds !== undefined) this.elements.set(item.name, kinds);
  }
}
