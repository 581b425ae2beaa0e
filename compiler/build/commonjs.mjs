/**
 * Finishes packages whose `dist` tsc has written: what has no source any more goes, and `dist/cjs` comes to be, the same
 * modules for `require`, with their declarations. File by file, so that entry points share what they share for `import`.
 * Dependencies that are there for `import` alone are bundled into `dist/cjs/vendor`, with their licences. A module that is
 * there to import one dependency of hundreds of files becomes one file with it.
 *
 * For `require` the runtime's modules are one file: between files every constant is a getter, and a decision took 2.5 times as
 * long.
 *
 *   node compiler/build/commonjs.mjs runtime runtime/builtins
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { joinModules } from "./join-modules.mjs";
import { installed, licensesOf } from "./licenses.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ONE_FILE = /[\\/]syntax[\\/]chevrotain\.js$/;
/** The package that becomes one file, and its modules that ask for Node's by name: hosts without them load the others. */
const JOINED = { folder: join(root, "runtime"), apart: /^node(\.js|[\\/])/ };
const MADE = /\.(?:d\.ts|js|js\.map)$/;

for (const folder of process.argv.slice(2)) await makeCommonJs(join(root, folder));

async function makeCommonJs(folder) {
  const dist = join(folder, "dist");
  const target = join(dist, "cjs");
  rmSync(target, { recursive: true, force: true });
  const files = currentFiles(folder, dist);
  for (const file of files) if (ONE_FILE.test(file)) await becomeOneFile(file);
  const common = { absWorkingDir: dist, bundle: true, format: "cjs", platform: "node", target: "node20" };
  const vendored = new Map();
  let modules = files.filter((file) => file.endsWith(".js"));
  for (const file of modules) dropImportHelper(file);
  if (folder === JOINED.folder) {
    const isApart = (file) => JOINED.apart.test(relative(dist, file));
    await joinModules(
      dist,
      target,
      modules.filter((file) => !isApart(file)),
    );
    modules = modules.filter(isApart);
  }
  await build({
    ...common,
    entryPoints: modules,
    outdir: target,
    outbase: dist,
    // Maps, with the sources in them, are beside the modules for `import`: a second set takes 1.6 MB.
    plugins: [leaveOutside(folder, dist, vendored)],
    logLevel: "warning",
  });
  for (const file of files.filter((f) => f.endsWith(".d.ts"))) cpSync(file, join(target, relative(dist, file)));
  writeFileSync(join(target, "package.json"), '{ "type": "commonjs" }\n');
  if (vendored.size === 0) return;
  // In one file, so that there is one of every class, whichever module of a package it is asked of.
  const all = [...vendored].sort();
  const vendor = await build({
    ...common,
    stdin: {
      contents: all.map(([specifier], i) => `export * as m${i} from ${JSON.stringify(specifier)};\n`).join(""),
      resolveDir: folder,
    },
    outfile: join(target, "vendor/all.js"),
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  for (const [i, [, name]] of all.entries())
    writeFileSync(join(target, `vendor/${name}.js`), `module.exports = require("./all.js").m${i};\n`);
  writeFileSync(join(target, "vendor/licenses.txt"), licensesOf([vendor], dist));
}

/** Loading chevrotain and the lodash that it stands on as they are takes 700 files. */
async function becomeOneFile(file) {
  const made = await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    format: "esm",
    target: "node20",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  // Made a second time it is only itself.
  const licenses = licensesOf([made], process.cwd());
  if (licenses !== "") writeFileSync(file.replace(/\.js$/, ".licenses.txt"), licenses);
}

/**
 * tsc puts a function around each name that is computed for `import()`, which rewrites paths of our own: we have no such paths.
 * Bundlers warn of it. Lines stay where they are, for the maps.
 */
function dropImportHelper(file) {
  const text = readFileSync(file, "utf8");
  if (!text.includes("__rewriteRelativeImportExtension")) return;
  const helper = /^var __rewriteRelativeImportExtension = [\s\S]*?^\};$/m;
  const dropped = text
    .replace(helper, (lines) => lines.replace(/.+/g, ""))
    .replace(/\b__rewriteRelativeImportExtension\(([^()]*)\)/g, "$1");
  if (dropped.includes("__rewriteRelativeImportExtension")) throw new Error(`${file}: tsc writes its helper otherwise`);
  writeFileSync(file, dropped);
}

/** What tsc has made of the sources that are there; what it has made of others is removed. */
function currentFiles(folder, dist) {
  const made = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && MADE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hasSource = (file) => {
    const path = relative(dist, file);
    // A folder may have become a package of its own.
    if (existsSync(join(folder, path.split(/[\\/]/)[0], "package.json"))) return false;
    return existsSync(join(folder, path.replace(MADE, ".ts")));
  };
  for (const file of made) if (!hasSource(file)) rmSync(file);
  return made.filter(hasSource);
}

/** Every import stays one; `vendored` takes specifiers that `require` could not load, and the names that they get. */
function leaveOutside(folder, dist, vendored) {
  return {
    name: "leave-outside",
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point") return undefined;
        if (path.startsWith(".") || path.startsWith("node:") || !isForImportAlone(path, folder))
          return { path, external: true };
        const name = path.replace(/^@/, "").replace(/\.js$/, "").replaceAll("/", "-");
        vendored.set(path, name);
        const up = relative(dirname(importer), dist) || ".";
        return { path: `${up.startsWith(".") ? up : `./${up}`}/vendor/${name}.js`, external: true };
      });
    },
  };
}

/** Whether a dependency's package.json offers nothing to `require`. Packages of ours and optional ones do, or are loaded by `import()`. */
function isForImportAlone(specifier, folder) {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (name.startsWith("@portcullis/") || dependencies[name] === undefined) return false;
  const { type, exports } = JSON.parse(readFileSync(join(installed(name, folder), "package.json"), "utf8"));
  return type === "module" && !JSON.stringify(exports ?? {}).includes('"require"');
}
