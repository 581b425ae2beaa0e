/**
 * Probes: rules that evaluate a part of a bundle's Rego, such as a condition or a branch's value. No entrypoint answers these.
 * Each has the package and imports of the rule that it probes, and the author's own text.
 */

import { SourceFile } from "@portcullis/rego/diagnostics";
import { type Body, children, type Module, type Node, type Rule, type Term } from "@portcullis/rego/syntax";
import { type IndexedModule, type IndexedRule, localsOf } from "./rego-index.ts";

/** One branch of a rule: the rule itself, or one of its `else`. */
export interface Branch {
  readonly of: IndexedRule;
  readonly rule: Rule;
  /** `file:line` of the branch. */
  readonly location: string;
  /** Its value or element as written, `true` where none is. */
  readonly text: string;
  /** Probes, as entrypoints: the first conditions one by one (`undefined` for one that needs a later one), the value under all of them, and the value by itself. */
  readonly conditions: readonly (string | undefined)[];
  readonly value: string;
  /** `undefined` for a value of the rule's own variables. */
  readonly label: string | undefined;
}

/** Makes branches and collects the modules that ask about them. */
export class Probes {
  readonly files: SourceFile[] = [];
  /** Rules of the same names, from the syntax trees of the rules that they probe: nothing has to be parsed again. */
  private readonly rules = new Map<IndexedModule, Rule[]>();
  private readonly prefix: string;
  private serial = 0;

  constructor(sources: readonly SourceFile[]) {
    let prefix = "portcullis_probe";
    while (sources.some((s) => s.text.includes(prefix))) prefix += "_";
    this.prefix = prefix;
  }

  /** The probes as modules, one for each that is probed. */
  get modules(): readonly Module[] {
    return [...this.rules].map(([{ module }, rules]) => ({ ...module, rules, comments: [], annotations: [] }));
  }

  /** The branches of a rule, in the order in which they are tried. */
  branchesOf(of: IndexedRule): Branch[] {
    const branches: Branch[] = [];
    for (let rule: Rule | undefined = of.rule; rule !== undefined; rule = rule.else)
      branches.push(this.branch(of, rule));
    return branches;
  }

  private branch(of: IndexedRule, rule: Rule): Branch {
    const { file } = of.module;
    const slice = (span: { readonly start: number; readonly end: number }): string =>
      file.text.slice(span.start, span.end);
    const body = rule.body.map((expr) => slice(expr.span));
    const isElement = rule.head.key !== undefined;
    const term = rule.head.key ?? rule.head.value;
    const text = term === undefined ? "true" : slice(term.span);
    const head = isElement ? `contains ${text}` : `:= ${text}`;
    return {
      of,
      rule,
      location: `${file.name}:${file.positionAt(rule.span.start).line}`,
      text,
      conditions: body.map((_, i) =>
        isAlone(rule.body.slice(0, i + 1), rule.body.slice(i + 1))
          ? this.add(of.module, ":= true", body.slice(0, i + 1), rule, {}, i + 1)
          : undefined,
      ),
      value: this.add(of.module, head, body, rule, isElement ? { key: term } : { value: term }, body.length),
      label: isAlone(term === undefined ? [] : [term], rule.body)
        ? this.add(of.module, `:= ${text}`, [], rule, { value: term }, 0)
        : undefined,
    };
  }

  /** The entrypoint of a fresh rule. */
  private add(
    module: IndexedModule,
    head: string,
    body: readonly string[],
    of: Rule,
    result: { readonly key?: Term | undefined; readonly value?: Term | undefined },
    conditions: number,
  ): string {
    const name = `${this.prefix}_${this.serial++}`;
    const { span } = of.head;
    const ref = { ...of.head.ref, head: { kind: "Var" as const, span, name }, args: [] };
    const written: Body = of.body.slice(0, conditions);
    const rule: Rule = {
      ...of,
      isDefault: false,
      head: { ...of.head, ref, args: undefined, key: result.key, value: result.value },
      body: written,
      hasBody: written.length > 0,
      else: undefined,
    };
    this.rules.set(module, [...(this.rules.get(module) ?? []), rule]);
    const imports = module.module.imports.map((i) => module.file.text.slice(i.span.start, i.span.end));
    const packageText = module.file.text.slice(module.module.package.span.start, module.module.package.span.end);
    const condition = body.length === 0 ? "" : ` if {\n${body.join("\n")}\n}`;
    const entrypoint = [...module.packagePath, name].join("/");
    const text = [packageText, ...imports, `${name} ${head}${condition}\n`].join("\n\n");
    this.files.push(new SourceFile(entrypoint, text, module.file.regoVersion));
    return entrypoint;
  }
}

/** Whether some nodes of a rule mean something without the others: they have no variables of theirs. */
function isAlone(nodes: readonly Node[], others: readonly Node[]): boolean {
  const own = localsOf(...nodes);
  const names = new Set([...localsOf(...others), ...unified(others)].filter((name) => !own.has(name)));
  const mentions = (node: Node): boolean =>
    (node.kind === "Var" && names.has(node.name)) || children(node).some(mentions);
  return !nodes.some(mentions);
}

/** Names on either side of a `=`, which may bind them. */
function unified(nodes: readonly Node[]): string[] {
  const namesIn = (node: Node): string[] => (node.kind === "Var" ? [node.name] : children(node).flatMap(namesIn));
  return nodes.flatMap((node) => {
    const isUnify = node.kind === "Call" && node.operator.kind === "Var" && node.operator.name === "eq";
    return isUnify ? node.args.flatMap(namesIn) : unified(children(node));
  });
}
