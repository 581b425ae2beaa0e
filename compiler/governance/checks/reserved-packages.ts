/**
 * Authors' Rego in a package of the decision library. It is looked for in the modules as they are written, whatever else is wrong
 * with them: nothing that a module says may hide that it is where it must not be.
 */

import type { Diagnostic, SourceFile } from "@portcullis/rego/diagnostics";
import type { Module, Ref } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "./codes.ts";

/** One finding a module: at its first rule there, or at its package where it has no rule. */
export function reservedPackages(modules: readonly Module[], isAuthored: (file: SourceFile) => boolean): Diagnostic[] {
  return modules.flatMap((module) => {
    if (!isAuthored(module.span.file)) return [];
    const [, ...inside] = namesOf(module.package.path);
    const rules = module.rules.map(({ head }) => ({ path: [...inside, ...namesOf(head.ref)], span: head.span }));
    const places = rules.length === 0 ? [{ path: inside, span: module.package.span }] : rules;
    const place = places.find(({ path }) => path[0] === "portcullis" && path[1] !== "ext");
    if (place === undefined) return [];
    return [
      pipelineDiagnostic("pipeline/reserved-package", { path: place.path.join(".") }, place.span, {
        help: "put the rule into a package of your own, or a denial into `portcullis.ext.<decision>`",
      }),
    ];
  });
}

/** The names of a reference, up to the first that only an evaluation tells. */
function namesOf({ head, args }: Ref): string[] {
  const names = head.kind === "Var" ? [head.name] : [];
  for (const arg of args) {
    if (arg.kind !== "String") break;
    names.push(arg.value);
  }
  return names;
}
