/**
 * What esbuild makes dist/short/program.js with: the command line as one script, with the commands that compile and no others,
 * as a function of what a script has not by itself. cli/packed-program.ts runs it, code-cache.mjs writes its code.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

/** `compiler`: the package's folder. */
export const packedProgram = async (compiler) => ({
  entryPoints: { program: "cli/main.ts" },
  outdir: "dist/short",
  format: "cjs",
  define: { "import.meta.url": "portcullisUrl" },
  // `import()` is what the program is called with: V8 refuses its own in a script whose code it was given.
  supported: { "dynamic-import": false },
  banner: {
    js: '(function(module,exports,require,__filename,portcullisImport){const portcullisUrl=require("node:url").pathToFileURL(__filename).href;',
  },
  footer: { js: "})" },
  plugin: { name: "packed-program", setup: replacing(await commandsThatCompile(compiler)) },
});

const replacing =
  (kept) =>
  ({ onLoad, onResolve }) => {
    onLoad({ filter: /[\\/]cli[\\/]import-module\.ts$/ }, () => ({
      contents: "export const importModule=portcullisImport;",
    }));
    onResolve({ filter: /^\.\/commands\/.*\.ts$/ }, ({ path, importer }) =>
      /[\\/]cli[\\/]commands\.ts$/.test(importer) && !kept.some((name) => path === `./commands/${name}.ts`)
        ? { path, external: true }
        : undefined,
    );
  };

/** Their names, from the table itself. */
async function commandsThatCompile(compiler) {
  const { outputFiles } = await build({
    absWorkingDir: compiler,
    entryPoints: ["cli/commands.ts"],
    bundle: true,
    format: "esm",
    external: ["./commands/*"],
    write: false,
  });
  const text = Buffer.from(outputFiles[0].contents).toString("base64");
  const { COMMANDS } = await import(`data:text/javascript;base64,${text}`);
  return COMMANDS.filter((c) => c.compilesMostly).map((c) => c.name);
}

/** Its first line says which it is: the code beside it is for this script alone. */
export function nameProgram(file) {
  const program = readFileSync(file, "latin1");
  writeFileSync(file, `//${createHash("sha256").update(program).digest("hex")}\n${program}`);
}
