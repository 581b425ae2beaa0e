/** The modules that a module of the library asks for parts of its answers: those that it imports, decisions aside. */

import type { Import, Module, Ref } from "@portcullis/rego/syntax";

/** By the name that they have in the module. */
export function importedModules(module: Module, library: readonly Module[]): ReadonlyMap<string, Module> {
  const found = new Map<string, Module>();
  for (const one of module.imports) {
    const imported = library.find(({ package: { path } }) => dottedPath(path) === dottedPath(one.path));
    if (imported !== undefined && !imported.annotations.some(({ annotation }) => annotation.entrypoint))
      found.set(importName(one), imported);
  }
  return found;
}

function importName({ alias, path }: Import): string {
  const last = path.args.at(-1);
  return alias?.name ?? (last?.kind === "String" ? last.value : "");
}

function dottedPath({ args }: Ref): string {
  return args.map((arg) => (arg.kind === "String" ? arg.value : "")).join(".");
}
