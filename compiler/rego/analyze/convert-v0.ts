/**
 * Modules of Rego v0 rewritten so that v0 and v1 both read them, as `opa fmt --v0-v1` does: `import rego.v1`, `if`,
 * `contains`, `:=`. What v1 takes from the language (builtins, names, imports) is refused: only its author knows what to
 * write instead.
 */

import { type Diagnostic, SourceFile } from "../diagnostics/index.ts";
import {
  builtins,
  eachNode,
  type FormattedModule,
  formatted,
  isKeyword,
  type Module,
  type Node,
  parseAs,
  parseModule,
  printModule,
  type Rule,
} from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { checkImports, ruleName } from "./globals.ts";
import { checkAssignments, checkHeadAssignments, isRootName } from "./root-names.ts";
import { dottedName } from "./walk.ts";

/** The module in canonical form, or everything that keeps it from being one of v1. */
export function convertModule(file: SourceFile): FormattedModule {
  const { module, diagnostics } = parseAs(file, 0, "comments");
  if (!module) return { text: undefined, diagnostics };
  const refused = checkAsV1(module);
  if (refused.length > 0) return { text: undefined, diagnostics: [...diagnostics, ...refused] };
  // A name that v1 made a keyword can stand in places where only reading the result can tell what it does.
  const [problem] = parseModule(new SourceFile(file.name, printModule(module, "add")), "comments").diagnostics;
  if (problem?.severity !== "error") {
    const { text, diagnostics: more } = formatted(module, "add");
    return { text, diagnostics: [...diagnostics, ...more] };
  }
  const at = namesOf(module, isKeyword)[0]?.span ?? module.package.span;
  return {
    text: undefined,
    diagnostics: [analyzeDiagnostic("analyze/not-convertible", { reason: problem.message }, at)],
  };
}

/** What v0 allows and v1 refuses, in a tree that says the same in both. */
function checkAsV1(module: Module): Diagnostic[] {
  const found: Diagnostic[] = [];
  checkImports(module, found);
  for (const rule of module.rules) checkNames(rule, found);
  for (const { name, span } of callsOf(module)) {
    if (builtins().get(name)?.deprecated) found.push(analyzeDiagnostic("analyze/deprecated-builtin", { name }, span));
  }
  return found;
}

function checkNames(rule: Rule, found: Diagnostic[]): void {
  const name = ruleName(rule);
  if (isRootName(name))
    found.push(analyzeDiagnostic("analyze/shadows-root", { what: "rules", name, kind: "rule" }, rule.span));
  if (isKeyword(name) && rule.head.ref.args.length === 0)
    found.push(
      analyzeDiagnostic(
        "analyze/not-convertible",
        { reason: `${name} keyword cannot be used for rule name` },
        rule.span,
      ),
    );
  for (const arg of rule.head.args ?? []) {
    if (arg.kind === "Var" && isRootName(arg.name))
      found.push(
        analyzeDiagnostic("analyze/shadows-root", { what: "args", name: arg.name, kind: "variable" }, arg.span),
      );
  }
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) {
    checkHeadAssignments(branch.head, found);
    checkAssignments(branch.body, true, found);
  }
}

interface Name {
  readonly name: string;
  readonly span: Node["span"];
}

function callsOf(module: Module): Name[] {
  const found: Name[] = [];
  eachNode(module, (node) => {
    if (node.kind === "Call") found.push({ name: dottedName(node.operator) ?? "", span: node.span });
  });
  return found;
}

function namesOf(module: Module, wanted: (name: string) => boolean): Name[] {
  const found: Name[] = [];
  eachNode(module, (node) => {
    if (node.kind === "Var" && wanted(node.name)) found.push(node);
  });
  return found;
}
