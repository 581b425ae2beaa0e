/** The library's modules, read from their files, so that a test can change one. */
import { readdirSync, readFileSync } from "node:fs";

export interface LibraryModule {
  readonly name: string;
  readonly text: string;
}

const folder = new URL("../../../compiler/governance/library/", import.meta.url);

function read(isWanted: (name: string) => boolean, from = folder): LibraryModule[] {
  return readdirSync(from)
    .filter((name) => name.endsWith(".rego") && isWanted(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, from), "utf8") }));
}

/** Without their tests. */
export function libraryModules(): LibraryModule[] {
  return read((name) => !name.endsWith("_test.rego"));
}

/** The adapters of other protocols, which only a policy set that maps them has. */
export function adapterModules(): LibraryModule[] {
  return read((name) => !name.endsWith("_test.rego"), new URL("adapters/", folder));
}

/** Their tests alone. */
export function libraryTests(): LibraryModule[] {
  return read((name) => name.endsWith("_test.rego"));
}

/** The tests of the adapters alone. */
export function adapterTests(): LibraryModule[] {
  return read((name) => name.endsWith("_test.rego"), new URL("adapters/", folder));
}

/** Its input schemas, by the names that annotations use. */
export function librarySchemas(): Map<string, unknown> {
  const schemas = new URL("schemas/", folder);
  const names = readdirSync(schemas).sort();
  return new Map(
    names.map((name) => [
      name.replace(/\.json$/, ""),
      JSON.parse(readFileSync(new URL(name, schemas), "utf8")) as unknown,
    ]),
  );
}
