/**
 * Writes library.embedded.ts: the texts of the decision library and its input schemas as one TypeScript module, so that the
 * compiler needs no files beside itself. Tests of the library stay outside. Same folder, same bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const here = new URL("../governance/library/", import.meta.url);

const names = (dir, ends) =>
  readdirSync(new URL(dir, here))
    .filter((name) => name.endsWith(ends))
    .sort();

const rego = names("./", ".rego").filter((name) => !name.endsWith("_test.rego"));
const adapters = names("./adapters/", ".rego").filter((name) => !name.endsWith("_test.rego"));
const schemas = names("./schemas/", ".json");

/** Invisible characters and those that end a line in JavaScript are escaped, whatever the text holds. */
const literal = (text) =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

const readText = (dir, name) => readFileSync(new URL(dir + name, here), "utf8").replaceAll("\r\n", "\n");
const entries = (dir, files) =>
  files.map((name) => `  { name: ${literal(name)}, text: ${literal(readText(dir, name))} },\n`).join("");

writeFileSync(
  new URL("library.embedded.ts", here),
  `// Made by build/embed-library.mjs from the files of this folder; do not edit.

/** A file of the decision library, under its name in its folder. */
export interface LibraryFile {
  readonly name: string;
  readonly text: string;
}

/** The modules of the decision library, ordered by name. */
export const libraryModules: readonly LibraryFile[] = [
${entries("./", rego)}];

/** Modules that only a policy set which maps their protocol has, ordered by name. */
export const adapterModules: readonly LibraryFile[] = [
${entries("./adapters/", adapters)}];

/** The JSON Schemas that the modules name in their METADATA: \`schema.lane\` is \`lane.json\`. */
export const librarySchemas: readonly LibraryFile[] = [
${entries("./schemas/", schemas)}];
`,
);
