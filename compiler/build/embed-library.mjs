/**
 * Writes library.embedded.ts: the decision library, as texts and as syntax trees, and its input schemas as one TypeScript
 * module, so that the compiler needs no files beside itself and does not parse its own library. Tests of the library stay
 * outside. Same folder, same parser, same bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = new URL("../governance/library/", import.meta.url);
const { packTree, parseModule, SourceFile } = await compilersParser();

/** The compiler's own parser, from its sources. */
async function compilersParser() {
  const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
  const { outputFiles } = await build({
    stdin: {
      contents: `export { SourceFile } from "./base/source-file.ts";
export { parseModule } from "./rego/parser.ts";
export { packTree } from "./rego/packed-tree.ts";`,
      resolveDir: path("../"),
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    // The package `yaml` asks for Node's modules by `require`.
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire("/");' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

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

const textOf = (dir, name) => readFileSync(new URL(dir + name, here), "utf8").replaceAll("\r\n", "\n");
const entries = (dir, files) =>
  files.map((name) => `  { name: ${literal(name)}, text: ${literal(textOf(dir, name))} },\n`).join("");

/** A module that is no Rego ends the build, in the parser's words. */
const trees = (dir, files) =>
  files
    .map((name) => {
      const { module, diagnostics } = parseModule(new SourceFile(dir + name, textOf(dir, name)));
      if (module === undefined || diagnostics.length > 0)
        throw new Error(`library/${name}: ${diagnostics.map((d) => d.message).join("; ")}`);
      return `  ${literal(name)}: ${literal(packTree(module))},\n`;
    })
    .join("");

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

/** The syntax trees of both kinds of modules, packed, by name. */
export const libraryTrees: Readonly<Record<string, string>> = {
${trees("./", rego)}${trees("./adapters/", adapters)}};
`,
);
