/**
 * A `deny` written again as `must`, where that is mechanical: conditions on members that every request has, and one condition besides.
 * `deny if A; B` is `must if not A` or `must if not B`.
 */

import type { CheckedPolicy } from "@portcullis/rego/analyze";
import type { Fix, Span } from "@portcullis/rego/diagnostics";
import {
  type Call,
  children,
  type Expr,
  isTerm,
  type Module,
  type Node,
  type Rule,
  type Term,
} from "@portcullis/rego/syntax";
import type { DecisionKind } from "@portcullis/runtime/abi";
import { isGateName } from "../../model/index.ts";
import { extendedDecision } from "../authored-facts.ts";
import { shownText } from "./check-conditions.ts";
import { isRequired } from "./schema-kinds.ts";

/** A comparison's sign, and that of its negation. */
const NEGATED: { readonly [sign: string]: string } = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

export class Restater {
  private readonly modules: readonly Module[];
  private readonly schemas: ReadonlyMap<string, unknown>;

  constructor({ modules }: CheckedPolicy, schemas: ReadonlyMap<string, unknown>) {
    this.modules = modules;
    this.schemas = schemas;
  }

  /** `condition`: a statement of the rule; `tests`: what has to stand beside it where it must hold, as `is_number(x)`. */
  restate(rule: Rule, condition: Span, tests: readonly string[] = []): Fix | undefined {
    const written = this.writtenRule(rule);
    const kind = written && extendedDecision(written.module);
    if (written === undefined || kind === undefined || this.isAnnotated(written)) return undefined;
    const answer = answerOf(written.rule);
    if (answer === undefined || !this.isAlone(kind, answer.gate)) return undefined;
    const { body } = written.rule;
    const flagged = body.find(({ span }) => span.start <= condition.start && condition.end <= span.end);
    const guards = body.filter((expr) => expr !== flagged && !isTestOf(expr, flagged));
    const others = guards.map((expr) => this.negatedGuard(expr, kind));
    const held = flagged && negatedText(flagged);
    if (held === undefined || others.includes(undefined)) return undefined;
    const dropped = body.filter((expr) => isTestOf(expr, flagged)).map(({ span }) => shownText(span));
    const bodies = [...others.map((text) => [text as string]), [...new Set([...dropped, ...tests]), held]];
    const text = rulesText(answer, bodies);
    // Without a condition on a member that every request has, it would hold for calls that it was not about.
    const restated = others.length > 0 ? ("restate" as const) : ("rewrite" as const);
    return { kind: restated, title: "Write it with `must`", edits: [{ at: written.rule.span, text }] };
  }

  /** Tests beside a condition, where it must hold. */
  beside(condition: Span, tests: readonly string[]): Fix {
    const { file, start } = condition;
    const line = file.text.slice(file.text.lastIndexOf("\n", start - 1) + 1, start);
    const written = file.text.slice(start, condition.end);
    const title = `Write ${tests.map((test) => `\`${test}\``).join(" and ")} beside it`;
    const lines = [...tests, written];
    if (/\bif\s*$/.test(line))
      return {
        kind: "restate",
        title,
        edits: [{ at: condition, text: `{\n${lines.map((l) => `\t${l}\n`).join("")}}` }],
      };
    const text = /^\s*$/.test(line) ? lines.join(`\n${line}`) : lines.join("; ");
    return { kind: "restate", title, edits: [{ at: condition, text }] };
  }

  private writtenRule({ span }: Rule): { readonly module: Module; readonly rule: Rule } | undefined {
    for (const module of this.modules) {
      if (module.span.file !== span.file) continue;
      const rule = module.rules.find((r) => r.span.start === span.start);
      // Several bodies of one head have no text of their own.
      const isShared = module.rules.filter((r) => r.head === rule?.head).length > 1;
      // Comments would be lost.
      const isCommented = module.comments.some(
        ({ span: at }) => rule && rule.span.start < at.start && at.end <= rule.span.end,
      );
      return rule === undefined || isShared || isCommented ? undefined : { module, rule };
    }
    return undefined;
  }

  private isAnnotated({ module, rule }: { readonly module: Module; readonly rule: Rule }): boolean {
    const index = module.rules.indexOf(rule);
    return module.annotations.some(({ annotation: { target } }) => target.kind === "Rule" && target.index === index);
  }

  /** Whether one rule alone has the gate: requirements of one name are ways to meet one gate. */
  private isAlone(kind: DecisionKind, gate: string): boolean {
    const rules = this.modules.filter((m) => extendedDecision(m) === kind).flatMap((m) => m.rules);
    const naming = rules.filter(({ head: { key } }) =>
      key?.kind === "String" ? key.value === gate : gateOf(key) === gate,
    );
    const unknown = rules.filter(({ head: { key } }) => key?.kind !== "String" && gateOf(key) === undefined);
    return naming.length === 1 && unknown.length === 0;
  }

  /** What holds of a member that every request has where the condition does not. */
  private negatedGuard(expr: Expr, kind: DecisionKind): string | undefined {
    const { body } = expr;
    if (!isTerm(body) || body.kind !== "Call") return undefined;
    const [member, other] = body.args;
    if (member === undefined || other === undefined || !isConstant(other)) return undefined;
    if (!this.isSure(member, kind)) return undefined;
    return body.infix === "==" || body.infix === "!=" || body.infix === "in" ? negatedText(expr) : undefined;
  }

  private isSure(term: Term, kind: DecisionKind): boolean {
    if (term.kind !== "Ref" || term.head.kind !== "Var" || term.head.name !== "input") return false;
    const path = term.args.map((arg) => (arg.kind === "String" ? arg.value : undefined));
    return !path.includes(undefined) && isRequired(this.schemas.get(kind), path);
  }
}

interface Answer {
  readonly gate: string;
  readonly reason: string;
}

/** Gate and reason of a denial that says nothing else. */
function answerOf({ head: { key }, else: otherwise, isDefault }: Rule): Answer | undefined {
  if (key?.kind !== "Object" || otherwise !== undefined || isDefault || key.entries.length !== 2) return undefined;
  const [gate, reason] = [gateOf(key), memberOf(key, "reason")];
  return gate === undefined || reason === undefined || !isGateName(gate) ? undefined : { gate, reason };
}

function gateOf(term: Term | undefined): string | undefined {
  return term?.kind === "Object" ? memberOf(term, "gate") : undefined;
}

function memberOf(term: Term, name: string): string | undefined {
  const value =
    term.kind === "Object" ? term.entries.find(([k]) => k.kind === "String" && k.value === name)?.[1] : undefined;
  return value?.kind === "String" ? value.value : undefined;
}

/** A statement turned round; `undefined` where it gives a name a value, or looks for one. */
function negatedText({ body, negated, with: replaced, span }: Expr): string | undefined {
  if (!isTerm(body) || replaced.length > 0 || bindsNames(body)) return undefined;
  if (negated) return shownText(body.span);
  if (body.kind !== "Call") return `not ${shownText(span)}`;
  const { infix, args } = body as Call;
  if (infix === ":=" || infix === "=") return undefined;
  const sign = infix === undefined ? undefined : NEGATED[infix];
  if (sign === undefined) return `not ${shownText(span)}`;
  return `${shownText((args[0] as Term).span)} ${sign} ${shownText((args[1] as Term).span)}`;
}

/** Whether a term has a name that is neither a document nor part of one. */
function bindsNames(node: Node): boolean {
  if (node.kind === "Var") return node.name === "_" || !/^[a-z]\w*$/.test(node.name);
  if (node.kind === "Ref") return node.args.some((arg) => arg.kind === "Var" || bindsNames(arg));
  return children(node).some(bindsNames);
}

function isConstant(term: Term): boolean {
  if (term.kind === "Set" || term.kind === "Array") return term.items.every(isConstant);
  return term.kind === "String" || term.kind === "Number" || term.kind === "Boolean";
}

/** `is_number(x)` beside a statement that reads `x`: it has to hold where the statement is turned round, too. */
function isTestOf({ body, negated }: Expr, flagged: Expr | undefined): boolean {
  if (negated || flagged === undefined || !isTerm(body) || body.kind !== "Call") return false;
  const name = body.operator.kind === "Var" ? body.operator.name : "";
  const [arg] = body.args;
  return /^is_\w+$/.test(name) && arg !== undefined && shownText(flagged.span).includes(shownText(arg.span));
}

function rulesText({ gate, reason }: Answer, bodies: readonly (readonly string[])[]): string {
  const head = `must contains ${JSON.stringify(gate)} if`;
  const rules = bodies.map((body) =>
    body.length === 1 ? `${head} ${body[0]}` : `${head} {\n${body.map((line) => `\t${line}\n`).join("")}}`,
  );
  return `# METADATA\n# custom: { reason: ${/^[A-Za-z]\w*$/.test(reason) ? reason : JSON.stringify(reason)} }\n${rules.join("\n\n")}`;
}
