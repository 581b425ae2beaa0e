/** Other folders import a folder of the compiler by its `index.ts` alone. Every exception has a reason here, or the suite fails. */

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, importsOf, root } from "./import-graph.ts";

/** Folders without an `index.ts`. */
const WITHOUT_INDEX: Readonly<Record<string, string>> = {
  "compiler/base": "words that every folder uses, a file each; an `index.ts` would load them all",
  "compiler/build": "programs that make the packages and the reference pages; nothing imports them",
  "compiler/library": "Rego; its one TypeScript file is generated",
  "compiler/plan": "the plan is the language of the back end: its vocabulary is a file, as are the walks over it",
  "compiler/wasm": "the back end is loaded when code is generated, and what is asked before must not load it",
  "compiler/cli": "nobody imports it; who draws tables on a terminal takes that one file",
};

/** Files that others import beside an `index.ts`. */
const BESIDE_INDEX: Readonly<Record<string, string>> = {
  "compiler/rego/analyze/checked.ts": "the language between analysis and plan: types",
  "compiler/rego/analyze/walk.ts": "walks over that language",
  "compiler/governance/editor/language-server/index.ts":
    "the server loads the packages of its protocol, and the schemas must not",
  "compiler/rego/optimize/collections.ts": "the back end may make a constant of what nothing changes",
  "compiler/rego/optimize/constants.ts": "the back end writes what is known to be constant",
  "compiler/rego/optimize/decide-functions.ts": "the back end calls the functions that this pass makes",
  "compiler/rego/optimize/evaluator.ts": "the type of the function by which rules are evaluated while compiling",
  "compiler/rego/optimize/footprint-of.ts": "the read set, which the back end gives slots",
  "compiler/rego/optimize/footprint.ts": "the read set, which the back end gives slots",
  "compiler/rego/syntax/ast.ts": "the language between the front end and analysis: types",
  "compiler/rego/syntax/json-terms.ts": "literals that are JSON: analysis notes them, plans have them as constants",
  "compiler/rego/syntax/builtin-types.ts": "the catalogue of builtins",
  "compiler/rego/syntax/builtins.ts": "the catalogue of builtins",
  "compiler/rego/syntax/term-key.ts": "equality of terms",
  "compiler/rego/syntax/term-kinds.ts": "questions about the kind of a term, for analysis and plan",
  "compiler/rego/syntax/visit.ts": "walks over the syntax tree",
};

/** `compiler/analyze` for a file in it at any depth; `undefined` for files at the top. */
function folderOf(path: string): string | undefined {
  const [top, folder, file] = path.split("/");
  return file === undefined ? undefined : `${top}/${folder}`;
}

const folders = readdirSync(join(root, "compiler"), { withFileTypes: true })
  .filter((e) => e.isDirectory())
  .map((e) => `compiler/${e.name}`)
  .filter((folder) => filesBelow(folder).length > 0);
const imported = filesBelow("compiler")
  .flatMap(importsOf)
  .filter(({ file, target }) => folders.includes(folderOf(target) ?? "") && folderOf(target) !== folderOf(file))
  // The registry of diagnostic codes is put together from a file a stage.
  .filter(({ file, target }) => !(file === "compiler/governance/checks/all-codes.ts" && target.endsWith("/codes.ts")))
  .filter(({ target }) => !((folderOf(target) as string) in WITHOUT_INDEX));
const isIndex = (target: string): boolean => target === join(folderOf(target) as string, "index.ts");

describe("folders of the compiler", () => {
  it("have an `index.ts`, or a reason to have none", () => {
    expect(
      folders.filter((folder) => !existsSync(join(root, folder, "index.ts")) && !(folder in WITHOUT_INDEX)),
    ).toEqual([]);
  });

  it("have none for no longer than there is a reason", () => {
    expect(
      Object.keys(WITHOUT_INDEX).filter(
        (folder) => !folders.includes(folder) || existsSync(join(root, folder, "index.ts")),
      ),
    ).toEqual([]);
  });

  it("are imported by it", () => {
    const wrong = imported.filter(({ target }) => !isIndex(target) && !(target in BESIDE_INDEX));
    expect(
      wrong.map(({ file, target }) => `${file} imports ${target}, beside the index of ${dirname(target)}`),
    ).toEqual([]);
  });

  it("have no exception that nobody uses", () => {
    const used = new Set(imported.map(({ target }) => target));
    expect(Object.keys(BESIDE_INDEX).filter((file) => !used.has(file))).toEqual([]);
  });
});
