/**
 * Probes: rules that evaluate a part of a bundle's Rego, such as a condition or a branch's value. No entrypoint answers these.
 * Each has the package and imports of the rule that it probes, and the author's own text.
 */

import { SourceFile } from "../../base/source-file.ts";
import type { Rule } from "../../rego/index.ts";
import type { IndexedModule, IndexedRule } from "./rego-index.ts";

/** One branch of a rule: the rule itself, or one of its `else`. */
export interface Branch {
  readonly of: IndexedRule;
  readonly rule: Rule;
  /** `file:line` of the branch. */
  readonly location: string;
  /** Its value or element as written, `true` where none is. */
  readonly text: string;
  /** Probes, as entrypoints: the first conditions one by one, the value under all of them, and the value by itself. */
  readonly conditions: readonly string[];
  readonly value: string;
  readonly label: string;
}

/** Makes branches and collects the modules that ask about them. */
export class Probes {
  readonly files: SourceFile[] = [];
  private readonly prefix: string;
  private serial = 0;

  constructor(sources: readonly SourceFile[]) {
    let prefix = "portcullis_probe";
    while (sources.some((s) => s.text.includes(prefix))) prefix += "_";
    this.prefix = prefix;
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
      conditions: body.map((_, i) => this.add(of.module, ":= true", body.slice(0, i + 1))),
      value: this.add(of.module, head, body),
      label: this.add(of.module, `:= ${text}`, []),
    };
  }

  /** The entrypoint of a fresh rule. */
  private add(module: IndexedModule, head: string, body: readonly string[]): string {
    const name = `${this.prefix}_${this.serial++}`;
    const imports = module.module.imports.map((i) => module.file.text.slice(i.span.start, i.span.end));
    const packageText = module.file.text.slice(module.module.package.span.start, module.module.package.span.end);
    const condition = body.length === 0 ? "" : ` if {\n${body.join("\n")}\n}`;
    const entrypoint = [...module.packagePath, name].join("/");
    this.files.push(
      new SourceFile(entrypoint, [packageText, ...imports, `${name} ${head}${condition}\n`].join("\n\n")),
    );
    return entrypoint;
  }
}
