/** `exec.yaml` → the execution policy; values that could never match, or match too much, are refused. */

import { EXEC, entryOf, type SourceDocument } from "../sources/index.ts";
import { only } from "./build-settings.ts";
import { modelDiagnostic } from "./codes.ts";
import type { ExecPolicy, Interpreter, Named } from "./model.ts";
import type { TreeReader } from "./read.ts";
import { readFields } from "./read-fields.ts";

export function buildExec(documents: readonly SourceDocument[], reader: TreeReader): ExecPolicy | undefined {
  const document = only(documents, "exec.yaml", reader);
  if (document === undefined) return undefined;
  const { root } = document;
  const exec = readFields(EXEC, root, reader);
  const { modes, inlineModes, scriptExtensions, environment } = exec;
  for (const { name, span } of [...modes, ...(inlineModes ?? [])]) {
    if (name.includes("|")) reader.diagnostics.push(modelDiagnostic("model/invalid-mode", { mode: name }, span));
  }
  for (const { name, span } of scriptExtensions ?? []) {
    if (!/^(?:\.[A-Za-z0-9_-]+)+$/.test(name))
      reader.diagnostics.push(modelDiagnostic("model/invalid-script-extension", { extension: name }, span));
  }
  for (const { name, span } of environment ?? []) {
    if (!/^[A-Za-z_]\w*$/.test(name) || /^PORTCULLIS_/i.test(name))
      reader.diagnostics.push(modelDiagnostic("model/invalid-variable", { name }, span));
  }
  return {
    ...exec,
    span: root.span,
    stagingRoot: stagingRoot(exec.stagingRoot, reader),
    interpreters: interpreters(document, scriptExtensions?.map(({ name }) => name) ?? [".py"], reader),
  };
}

function interpreters(
  { root }: SourceDocument,
  extensions: readonly string[],
  { diagnostics }: TreeReader,
): readonly Interpreter[] {
  const table = entryOf(root, "interpreters")?.value;
  if (table?.kind !== "Mapping") return [];
  return table.entries.flatMap(({ key: extension, keySpan, value }) => {
    const command = value.kind === "Sequence" ? value.items.map((one) => (one.kind === "String" ? one.value : "")) : [];
    const problem = extensions.includes(extension)
      ? commandProblem(command)
      : "is not one of `script_extensions`, so no script has it";
    if (problem === undefined) return [{ extension, command }];
    diagnostics.push(modelDiagnostic("model/invalid-interpreter", { extension, problem }, keySpan));
    return [];
  });
}

/** A name alone would be looked for on the caller's PATH. */
function commandProblem([program, ...rest]: readonly string[]): string | undefined {
  if (program === undefined) return "names no program";
  const problem = pathProblem(program);
  if (problem !== undefined) return `names the program \`${program}\`, which ${problem}`;
  if (/ -/.test(program)) return `names the program \`${program}\`; write its arguments as items of their own`;
  return rest.some((one) => one.includes("\0")) ? "has an argument with a NUL" : undefined;
}

/** Without a `/` at its end. */
function stagingRoot(written: Named | undefined, reader: TreeReader): Named | undefined {
  if (written === undefined) return undefined;
  const { name: path, span } = written;
  const problem = pathProblem(path);
  if (problem === undefined) reader.checkId(written, "`staging_root`");
  else reader.diagnostics.push(modelDiagnostic("model/invalid-staging-root", { path, problem }, span));
  return { name: path.replace(/\/$/, ""), span };
}

function pathProblem(path: string): string | undefined {
  if (path.startsWith("~") || path.includes("$")) return "would need expanding; write the path in full";
  if (path.includes("\\")) return "holds a backslash; write `/`";
  if (!/^(?:[A-Za-z]:)?\//.test(path)) return "is not absolute";
  const segments = path
    .replace(/^(?:[A-Za-z]:)?\//, "")
    .replace(/\/$/, "")
    .split("/");
  if (segments.length === 1 && segments[0] === "") return "is the root of a file system";
  if (segments.some((s) => s === "" || s === "." || s === "..")) return "has an empty, `.` or `..` segment";
  for (const c of path) if ((c.codePointAt(0) as number) < 0x20) return "holds a control character";
  return undefined;
}
