/** A room is entered by its `index.ts`. What stands here beside it is there for a reason, or the suite fails. */

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, importsOf, root } from "./import-graph.ts";

/** Rooms without a door. */
const OPEN: Readonly<Record<string, string>> = {
  "compiler/base": "words that every room uses, a file each; a door would load them all",
  "compiler/build": "programs that make the packages and the reference pages; nothing imports them",
  "compiler/library": "Rego; its one TypeScript file is generated",
  "compiler/plan": "the plan is the language of the back end: its vocabulary is a file, as are the walks over it",
  "compiler/wasm": "the back end is loaded when code is generated, and what is asked before must not load it",
  "compiler/cli": "nobody's room but its own; who draws tables on a terminal takes that one file",
};

/** Files of rooms with a door that others open all the same. */
const SIDE_DOORS: Readonly<Record<string, string>> = {
  "compiler/analyze/checked.ts": "the language between analysis and plan: types",
  "compiler/analyze/walk.ts": "walks over that language",
  "compiler/editor/language-server/index.ts": "the server loads the packages of its protocol, and the schemas must not",
  "compiler/optimize/constants.ts": "the back end writes what is known to be constant",
  "compiler/optimize/decide-functions.ts": "the back end calls the functions that this pass makes",
  "compiler/optimize/evaluator.ts": "the type of the door through which rules are evaluated while compiling",
  "compiler/optimize/footprint-of.ts": "the read set, which the back end gives slots",
  "compiler/optimize/footprint.ts": "the read set, which the back end gives slots",
  "compiler/rego/ast.ts": "the language between the front end and analysis: types",
  "compiler/rego/json-terms.ts": "literals that are JSON: analysis notes them, plans have them as constants",
  "compiler/rego/builtin-types.ts": "the catalogue of builtins",
  "compiler/rego/builtins.ts": "the catalogue of builtins",
  "compiler/rego/term-key.ts": "equality of terms",
  "compiler/rego/term-kinds.ts": "questions about the kind of a term, for analysis and plan",
  "compiler/rego/visit.ts": "walks over the syntax tree",
};

/** `compiler/analyze` for a file in it at any depth; `undefined` for files at the top. */
function roomOf(path: string): string | undefined {
  const [top, room, file] = path.split("/");
  return file === undefined ? undefined : `${top}/${room}`;
}

const rooms = readdirSync(join(root, "compiler"), { withFileTypes: true })
  .filter((e) => e.isDirectory())
  .map((e) => `compiler/${e.name}`)
  .filter((room) => filesBelow(room).length > 0);
const entered = filesBelow("compiler")
  .flatMap(importsOf)
  .filter(({ file, target }) => rooms.includes(roomOf(target) ?? "") && roomOf(target) !== roomOf(file))
  // The registry of diagnostic codes is put together from a file a stage.
  .filter(({ file, target }) => !(file === "compiler/findings/codes.ts" && target.endsWith("/codes.ts")))
  .filter(({ target }) => !((roomOf(target) as string) in OPEN));
const isDoor = (target: string): boolean => target === join(roomOf(target) as string, "index.ts");

describe("rooms of the compiler", () => {
  it("have a door, or a reason to be open", () => {
    expect(rooms.filter((room) => !existsSync(join(root, room, "index.ts")) && !(room in OPEN))).toEqual([]);
  });

  it("are open for no longer than there is a reason", () => {
    expect(
      Object.keys(OPEN).filter((room) => !rooms.includes(room) || existsSync(join(root, room, "index.ts"))),
    ).toEqual([]);
  });

  it("are entered by their doors", () => {
    const wrong = entered.filter(({ target }) => !isDoor(target) && !(target in SIDE_DOORS));
    expect(wrong.map(({ file, target }) => `${file} enters ${dirname(target)} by ${target}`)).toEqual([]);
  });

  it("have no side door that nobody uses", () => {
    const used = new Set(entered.map(({ target }) => target));
    expect(Object.keys(SIDE_DOORS).filter((file) => !used.has(file))).toEqual([]);
  });
});
