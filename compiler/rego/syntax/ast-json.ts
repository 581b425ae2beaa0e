/**
 * A module's syntax tree as OPA's JSON (`opa parse --format json`), for tools that read that: without comments, annotations
 * and locations, which do not belong to the tree's meaning. https://www.openpolicyagent.org/docs/cli#parse
 */

import { unreachable } from "../diagnostics/index.ts";
import type { Value } from "../value/index.ts";
import { type Body, type Expr, type Head, isTerm, type Module, type Rule, type Term } from "./ast.ts";

/** An object with `package`, `imports` and `rules`. */
export function moduleToJson(module: Module): Value {
  const writer = new AstWriter();
  return object({
    package: object({ path: array(writer.refParts(module.package.path)) }),
    imports: some(module.imports, ({ path, alias }) =>
      object({ path: writer.term(path), alias: alias && text(alias.name) }),
    ),
    rules: some(module.rules, (rule) => writer.rule(rule)),
  });
}

/** Numbers the wildcards of a module in the order in which they stand, as OPA's parser names them. */
class AstWriter {
  private wildcards = 0;

  /** `first` is that of an `else` chain: whether it has a body decides about names, and its sign is that of heads without one. */
  rule(rule: Rule, first = rule): Value {
    const operator = rule.head.operator ?? first.head.operator;
    const head = this.head({ ...rule.head, operator }, first.hasBody);
    const generated = { generated: TRUE, index: number(0), terms: typed("boolean", TRUE) };
    return object({
      default: rule.isDefault ? TRUE : undefined,
      head,
      body: rule.body.length === 0 ? array([object(generated)]) : this.body(rule.body),
      else: rule.else && this.rule(rule.else, first),
    });
  }

  /** `name` and `key` repeat parts of short refs: OPA keeps them for readers that are older than refs in heads. */
  private head({ ref, args, key, value, operator }: Head, hasIf: boolean): Value {
    const parts = this.refParts(ref);
    const last = ref.kind === "Ref" ? ref.args.at(-1) : undefined;
    const isPair = parts.length === 2 && key === undefined;
    const isNamed = parts.length === 1 || (isPair && (hasIf ? value !== undefined : args === undefined));
    const isKeyed = isPair && args === undefined && (!hasIf || (last !== undefined && !isScalar(last)));
    return object({
      name: isNamed && ref.head.kind === "Var" ? text(ref.head.name) : undefined,
      ref: array(parts),
      args: args && array(args.map((arg) => this.term(arg))),
      key: key ? this.term(key) : isKeyed ? parts[1] : undefined,
      value: value ? this.term(value) : key ? undefined : typed("boolean", TRUE),
      assign: operator === ":=" ? TRUE : undefined,
    });
  }

  private body(body: Body): Value {
    return array(body.map((expr, index) => this.expr(expr, index)));
  }

  private expr(expr: Expr, index: number): Value {
    return object({
      index: number(index),
      negated: expr.negated ? TRUE : undefined,
      terms: this.terms(expr),
      with: some(expr.with, ({ target, value }) =>
        object({ target: this.term(target.args.length === 0 ? target.head : target), value: this.term(value) }),
      ),
    });
  }

  private terms({ body }: Expr): Value {
    if (isTerm(body)) return body.kind === "Call" ? array(this.callParts(body)) : this.term(body);
    switch (body.kind) {
      case "SomeDecl": {
        if (body.domain === undefined || body.value === undefined)
          return object({ symbols: array(body.vars.map((name) => this.term(name))) });
        const operands = [...(body.key ? [body.key] : []), body.value, body.domain].map((term) => this.term(term));
        const member = [variable("internal"), typed("string", text(`member_${operands.length}`))];
        const call = typed("call", array([typed("ref", array(member)), ...operands]));
        return object({ symbols: array([call]) });
      }
      case "Every":
        return object({
          key: body.key ? this.term(body.key) : NULL,
          value: this.term(body.value),
          domain: this.term(body.domain),
          body: this.body(body.body),
        });
      case "Not":
        return object({
          type: text("not"),
          body: this.body(body.body),
          explicit_body: boolean(body.braces !== undefined),
        });
      case "Logical":
        return object({
          type: text(body.operator),
          lhs: this.body(body.left),
          rhs: this.body(body.right),
          explicit_lhs: body.leftBraces && TRUE,
          explicit_rhs: body.rightBraces && TRUE,
        });
      default:
        return unreachable(body);
    }
  }

  /** A literal stands for itself, anything else is a statement. */
  private templatePart(part: Expr): Value {
    return isTerm(part.body) && part.with.length === 0 && isScalar(part.body)
      ? this.term(part.body)
      : this.expr(part, 0);
  }

  refParts(ref: Term): Value[] {
    const [head, ...args] = ref.kind === "Ref" ? [ref.head, ...ref.args] : [ref];
    return [
      head?.kind === "Var" && head.name !== "_" ? variable(head.name) : this.term(head as Term),
      ...args.map((part) => this.term(part)),
    ];
  }

  private callParts(call: Term & { readonly kind: "Call" }): Value[] {
    return [typed("ref", array(this.refParts(call.operator))), ...call.args.map((arg) => this.term(arg))];
  }

  term(term: Term): Value {
    switch (term.kind) {
      case "Null":
        return typed("null", object({}));
      case "Boolean":
        return typed("boolean", boolean(term.value));
      case "Number":
        return typed("number", { kind: "number", text: term.text });
      case "String":
        return typed("string", text(term.value));
      case "Var":
        if (term.name === "input" || term.name === "data") return typed("ref", array([variable(term.name)]));
        return variable(term.name === "_" ? `$${this.wildcards++}` : term.name);
      case "Ref":
        return typed("ref", array(this.refParts(term)));
      case "Call":
        return typed("call", array(this.callParts(term)));
      case "Array":
        return typed("array", array(term.items.map((item) => this.term(item))));
      case "Set":
        return typed("set", array(term.items.map((item) => this.term(item))));
      case "Object":
        return typed("object", array(term.entries.map(([key, value]) => array([this.term(key), this.term(value)]))));
      case "ArrayComprehension":
        return typed("arraycomprehension", object({ term: this.term(term.term), body: this.body(term.body) }));
      case "SetComprehension":
        return typed("setcomprehension", object({ term: this.term(term.term), body: this.body(term.body) }));
      case "ObjectComprehension": {
        const key = this.term(term.key);
        return typed("objectcomprehension", object({ key, value: this.term(term.value), body: this.body(term.body) }));
      }
      case "TemplateString": {
        const parts = term.parts.map((part) =>
          typeof part === "string" ? typed("string", text(part)) : this.templatePart(part),
        );
        const members = { parts: parts.length === 0 ? NULL : array(parts), multi_line: boolean(term.raw) };
        return typed("templatestring", object(members));
      }
      case "Constant":
        return term.value;
      default:
        return unreachable(term);
    }
  }
}

function isScalar(term: Term): boolean {
  return term.kind === "String" || term.kind === "Number" || term.kind === "Boolean" || term.kind === "Null";
}

const NULL: Value = { kind: "null" };
const TRUE: Value = { kind: "boolean", value: true };

function boolean(value: boolean): Value {
  return { kind: "boolean", value };
}
function number(value: number): Value {
  return { kind: "number", text: String(value) };
}
function text(value: string): Value {
  return { kind: "string", value };
}
function array(items: readonly Value[]): Value {
  return { kind: "array", items };
}
function object(members: { readonly [key: string]: Value | undefined }): Value {
  const entries = Object.entries(members).flatMap(([key, value]) => (value ? [[text(key), value] as const] : []));
  return { kind: "object", entries };
}
/** A list, left out when it is empty. */
function some<T>(items: readonly T[], write: (item: T) => Value): Value | undefined {
  return items.length === 0 ? undefined : array(items.map(write));
}
function typed(type: string, value: Value): Value {
  return object({ type: text(type), value });
}
function variable(name: string): Value {
  return typed("var", text(name));
}
