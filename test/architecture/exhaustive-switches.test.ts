/**
 * A switch over a union of ours names every member, so that a new member does not type-check until each switch was read.
 * A `default:` over such a union may only end in `unreachable`, whose parameter is `never`.
 */

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function isLiteralUnion(type: ts.Type): boolean {
  return type.isUnion() && type.types.every((member) => member.isStringLiteral());
}

function endsUnreachable(clause: ts.DefaultClause): boolean {
  const [statement] = clause.statements;
  const expression =
    statement && (ts.isReturnStatement(statement) || ts.isExpressionStatement(statement))
      ? statement.expression
      : undefined;
  return (
    clause.statements.length === 1 &&
    expression !== undefined &&
    ts.isCallExpression(expression) &&
    expression.expression.getText() === "unreachable"
  );
}

/** `path:line` of every `default:` that swallows members of a union of string literals. */
function swallowing(program: ts.Program, files: readonly ts.SourceFile[]): string[] {
  const checker = program.getTypeChecker();
  const found: string[] = [];
  for (const file of files) {
    const search = (node: ts.Node): void => {
      if (ts.isDefaultClause(node) && !endsUnreachable(node)) {
        const { expression } = node.parent.parent;
        if (!ts.isTypeOfExpression(expression) && isLiteralUnion(checker.getTypeAtLocation(expression))) {
          const { line } = file.getLineAndCharacterOfPosition(node.getStart());
          found.push(`${file.fileName.slice(ROOT.length)}:${line + 1}`);
        }
      }
      ts.forEachChild(node, search);
    };
    search(file);
  }
  return found;
}

function programOf(rootNames: readonly string[], options: ts.CompilerOptions, host?: ts.CompilerHost): ts.Program {
  return ts.createProgram({ rootNames, options, ...(host && { host }) });
}

describe("switches over unions of ours", () => {
  it("have no default, but for the end that is never reached", () => {
    const config = ts.getParsedCommandLineOfConfigFile(`${ROOT}tsconfig.json`, {}, ts.sys as never);
    const own = (name: string) =>
      /^(compiler|runtime)\//.test(name.slice(ROOT.length)) && !/\/(dist|rtlib)\//.test(name);
    const names = (config?.fileNames ?? []).filter(own);
    const program = programOf(names, config?.options ?? {});
    const files = program.getSourceFiles().filter(({ fileName }) => names.includes(fileName));
    expect(files.length).toBeGreaterThan(300);
    expect(swallowing(program, files)).toEqual([]);
  });

  it.each([
    ["a default that answers for the rest", "switch (k) { case 'a': return 1; default: return 2; }", 1],
    ["a default without statements", "switch (k) { case 'a': return 1; default: } return 2;", 1],
    ["an end that is never reached", "switch (k) { case 'a': case 'b': return 1; default: return unreachable(k); }", 0],
    [
      "the name of a type, whose list is the language's",
      "switch (typeof k) { case 'string': return 1; default: return 2; }",
      0,
    ],
    ["a text of any kind", "switch (k as string) { case 'a': return 1; default: return 2; }", 0],
  ])("are judged: %s", (_, body, count) => {
    const text = `declare function unreachable(x: never): never;\nexport function f(k: "a" | "b"): number { ${body} }`;
    const file = ts.createSourceFile("f.ts", text, ts.ScriptTarget.Latest, true);
    const options: ts.CompilerOptions = { noLib: true, strict: true, types: [] };
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (name, version) => (name === "f.ts" ? file : read(name, version));
    expect(swallowing(programOf(["f.ts"], options, host), [file])).toHaveLength(count);
  });
});
