/** Gates of authors that stand in files of tests: `portcullis test` would see them, and no bundle has them. */

import type { Diagnostic, SourceFile } from "@portcullis/rego/diagnostics";
import { parseModule, type Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "./codes.ts";

/** `files`: the `*_test.rego` of a policy set. */
export function denialsOfTests(files: readonly SourceFile[]): Diagnostic[] {
  return files.filter(({ text }) => text.includes("portcullis")).flatMap(denialsIn);
}

function denialsIn(file: SourceFile): Diagnostic[] {
  const { module } = parseModule(file);
  const within = textsOf(module?.package.path.args ?? []);
  for (const { head } of module?.rules ?? []) {
    const name = head.ref.head.kind === "Var" ? head.ref.head.name : "";
    const [first, second, decision = "", rule = ""] = [...within, name, ...textsOf(head.ref.args)];
    if (first !== "portcullis" || second !== "ext" || !["must", "deny"].includes(rule)) continue;
    const help = "give the file a name that does not end with `_test.rego`";
    return [pipelineDiagnostic("pipeline/deny-among-tests", { decision }, head.span, { help })];
  }
  return [];
}

function textsOf(args: readonly Term[]): string[] {
  return args.map((arg) => (arg.kind === "String" ? arg.value : ""));
}
