/**
 * A help text is for people. What code needs to know of a finding - what mends it, what it follows from, which names were meant -
 * stands in `fixes`, `causedBy` and `meant`.
 */

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Files that read the help of a finding or of a suggestion: each only hands it on to people. */
const READERS: ReadonlyMap<string, string> = new Map([
  ["compiler/cli/render/report.ts", "prints it"],
  ["compiler/governance/editor/language-server/diagnostics.ts", "writes it below the message"],
  ["compiler/rego/diagnostics/diagnostic-text.ts", "writes it below the place"],
  ["compiler/rego/syntax/parser.ts", "adds a sentence to it"],
  ["compiler/rego/syntax/habit-hints.ts", "gives one to a finding that has none"],
  ["compiler/governance/checks/authored-rules.ts", "takes the sentence of a suggestion without its fix"],
  ["compiler/cli/main.ts", "prints it, of a command that does not exist"],
  ["compiler/cli/commands/explore.ts", "shows it on the page"],
  ["compiler/cli/commands/schema.ts", "prints it, of a format that does not exist"],
  ["compiler/cli/commands/explain-code.ts", "prints it, of a code that does not exist"],
  ["compiler/cli/policy/known-entrypoint.ts", "prints it, of an entrypoint that does not exist"],
  ["compiler/governance/review/explain.ts", "answers with it, of an entrypoint that does not exist"],
  ["compiler/governance/review/list.ts", "answers with it, of an id that does not exist"],
  ["compiler/governance/review/explain/places.ts", "prints it, of an id that does not exist"],
  ["compiler/governance/review/prove/claims.ts", "answers with it, of claims that cannot be read"],
  ["compiler/enforcement/execution/sign-contract.ts", "answers with it, of an operation that does not exist"],
]);

/** What reads a text to decide something. */
const MATCHERS = new Set([
  ...[
    "exec",
    "test",
    "match",
    "matchAll",
    "search",
    "split",
    "includes",
    "startsWith",
    "endsWith",
    "indexOf",
    "has",
    "get",
  ],
]);

interface Found {
  readonly file: string;
  readonly line: number;
  readonly what: "read" | "matched";
}

function isHelpOf(symbol: ts.Symbol | undefined): boolean {
  const files = (symbol?.declarations ?? []).map((d) => d.getSourceFile().fileName);
  return files.some((name) => /\/diagnostics\/(?:diagnostic|suggest)\.ts$/.test(name));
}

/** The expression without what only asserts. */
function bare(node: ts.Node): ts.Node {
  const { parent } = node;
  const isWrapped =
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isNonNullExpression(parent) ||
    (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken);
  return isWrapped ? bare(parent) : node;
}

/** Whether a text decides something here: it is matched, compared with another text, or switched over. */
function isMatched(node: ts.Node): boolean {
  const whole = bare(node);
  const { parent } = whole;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === whole;
  if (ts.isElementAccessExpression(parent)) return true;
  if (ts.isSwitchStatement(parent)) return true;
  if (ts.isCallExpression(parent)) {
    const { expression: callee } = parent;
    return ts.isPropertyAccessExpression(callee) && callee.expression !== whole && MATCHERS.has(callee.name.text);
  }
  if (!ts.isBinaryExpression(parent) || !/^[!=]==?$/.test(parent.operatorToken.getText())) return false;
  const other = parent.left === whole ? parent.right : parent.left;
  return other.getText() !== "undefined";
}

function isText(type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & ts.TypeFlags.StringLike) !== 0);
}

function readings(program: ts.Program, files: readonly ts.SourceFile[]): Found[] {
  const checker = program.getTypeChecker();
  return files.flatMap((file) => {
    const found: Found[] = [];
    const add = (node: ts.Node, what: Found["what"]): void => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ file: file.fileName.slice(ROOT.length), line: line + 1, what });
    };
    const search = (node: ts.Node): void => {
      if (ts.isPropertyAccessExpression(node) && node.name.text === "help") {
        if (isHelpOf(checker.getSymbolAtLocation(node.name))) add(node, "read");
        if (isText(checker.getTypeAtLocation(node)) && isMatched(node)) add(node, "matched");
      } else if (ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === "help") {
        const type = checker.getTypeAtLocation(node.parent);
        if (isHelpOf(type.getProperty("help"))) add(node, "read");
      } else if (ts.isIdentifier(node) && node.text === "help" && !ts.isPropertyAccessExpression(node.parent)) {
        if (isMatched(node)) add(node, "matched");
      } else if (ts.isIdentifier(node) && node.text === "help" && ts.isPropertyAccessExpression(node.parent)) {
        if (node.parent.expression === node) add(node, "matched");
      }
      ts.forEachChild(node, search);
    };
    search(file);
    return found;
  });
}

function own(name: string): boolean {
  return /^(?:compiler|runtime)\//.test(name.slice(ROOT.length)) && !/\/(?:dist|rtlib|build)\//.test(name);
}

describe("help texts", () => {
  it("are read by what prints them alone, and matched by nothing", () => {
    const config = ts.getParsedCommandLineOfConfigFile(`${ROOT}tsconfig.json`, {}, ts.sys as never);
    const names = (config?.fileNames ?? []).filter(own);
    const program = ts.createProgram({ rootNames: names, options: config?.options ?? {} });
    const found = readings(
      program,
      names.flatMap((name) => program.getSourceFile(name) ?? []),
    );
    const place = ({ file, line }: Found): string => `${file}:${line}`;
    expect(found.filter(({ what }) => what === "matched").map(place)).toEqual([]);
    const read = found.filter(({ what }) => what === "read");
    expect(read.filter(({ file }) => !READERS.has(file)).map(place)).toEqual([]);
    expect([...READERS.keys()].filter((file) => !read.some((r) => r.file === file))).toEqual([]);
  });

  it("are found where a text of them decides something", () => {
    const name = `${ROOT}compiler/probe.ts`;
    const lines = [
      'import type { Diagnostic } from "./rego/diagnostics/diagnostic.ts";',
      "const { help } = {} as Diagnostic;",
      'export const a = help?.startsWith("did you mean");',
      "export const b = (d: Diagnostic) => /mean/.exec(d.help ?? '');",
      "export const c = (d: Diagnostic) => d.help === 'write `x`';",
      "export const d = (d: Diagnostic) => d.help === undefined;",
    ];
    const host = ts.createCompilerHost({});
    const { getSourceFile, fileExists } = host;
    const probe = ts.createSourceFile(name, lines.join("\n"), ts.ScriptTarget.ESNext, true);
    host.getSourceFile = (path, ...rest) => (path === name ? probe : getSourceFile.call(host, path, ...rest));
    host.fileExists = (path) => path === name || fileExists.call(host, path);
    const options = { allowImportingTsExtensions: true, noEmit: true, strict: true };
    const found = readings(ts.createProgram({ rootNames: [name], options, host }), [probe]);
    const at = (what: Found["what"]): number[] => found.filter((f) => f.what === what).map(({ line }) => line);
    expect(at("read")).toEqual([2, 4, 5, 6]);
    expect(at("matched")).toEqual([3, 4, 5]);
  });
});
