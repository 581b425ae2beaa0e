/** Mutants of a TypeScript file of the host's side: one condition, operator or constant changed at a time. */
import ts from "typescript";

export interface HostMutant {
  readonly file: string;
  readonly line: number;
  readonly operation: string;
  /** What was changed, as it was written, on one line. */
  readonly written: string;
  /** The line that it begins on, without its indentation. */
  readonly on: string;
  /** To what. */
  readonly to: string;
  readonly text: string;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "&&": ["||"],
  "||": ["&&"],
};

const METHODS: Readonly<Record<string, string>> = {
  every: "some",
  some: "every",
  startsWith: "endsWith",
  endsWith: "startsWith",
};

export function hostMutantsOf(file: string, text: string): HostMutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n");
  const found: HostMutant[] = [];
  const report = (operation: string, start: number, end: number, replacement: string): void => {
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const written = text.slice(start, end).replace(/\s+/g, " ");
    const on = (lines[line - 1] as string).trim();
    const changed = text.slice(0, start) + replacement + text.slice(end);
    found.push({ file, line, operation, written, on, to: replacement, text: changed });
  };
  const condition = (node: ts.Expression): void => {
    for (const value of ["true", "false"]) report(`condition is ${value}`, node.getStart(), node.end, value);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) condition(node.expression);
    if (ts.isConditionalExpression(node)) condition(node.condition);
    if (ts.isBinaryExpression(node)) binary(node);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      report("not dropped", node.getStart(), node.end, node.operand.getText());
    if (ts.isNumericLiteral(node)) {
      const value = Number(node.text);
      for (const near of [value + 1, value - 1]) report("off by one", node.getStart(), node.end, `(${near})`);
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) report("other constant", node.getStart(), node.end, "false");
    if (node.kind === ts.SyntaxKind.FalseKeyword) report("other constant", node.getStart(), node.end, "true");
    if (ts.isPropertyAccessExpression(node)) {
      const other = METHODS[node.name.text];
      if (other !== undefined) report("other method", node.name.getStart(), node.name.end, other);
    }
    ts.forEachChild(node, visit);
  };
  const binary = (node: ts.BinaryExpression): void => {
    const sign = node.operatorToken.getText();
    for (const other of OPERATORS[sign] ?? [])
      report("other operator", node.operatorToken.getStart(), node.operatorToken.end, other);
    if (sign !== "&&" && sign !== "||") return;
    report("conjunct dropped", node.getStart(), node.end, node.left.getText());
    report("conjunct dropped", node.getStart(), node.end, node.right.getText());
  };
  visit(source);
  return found;
}
