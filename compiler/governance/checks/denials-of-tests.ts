/** Gates of authors that stand in files of tests: `portcullis test` would see them, and no bundle has them. */

import type { Diagnostic, SourceFile } from "@portcullis/rego/diagnostics";
import { parseModule } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "./codes.ts";

/** `files`: the `*_test.rego` of a policy set. */
export function denialsOfTests(files: readonly SourceFile[]): Diagnostic[] {
  return files.filter(({ text }) => text.includes("portcullis")).flatMap(denialsIn);
}

function denialsIn(file: SourceFile): Diagnostic[] {
  const { module } = parseModule(file);
  const [first, second, decision] = module?.package.path.args.map((a) => (a.kind === "String" ? a.value : "")) ?? [];
  if (module === undefined || first !== "portcullis" || second !== "ext" || decision === undefined) return [];
  const rule = module.rules.find(
    ({ head: { ref } }) => ref.head.kind === "Var" && ["must", "deny"].includes(ref.head.name),
  );
  if (rule === undefined) return [];
  const help = "give the file a name that does not end with `_test.rego`";
  return [pipelineDiagnostic("pipeline/deny-among-tests", { decision }, rule.head.span, { help })];
}
