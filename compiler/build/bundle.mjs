/**
 * Bundles the compiler from its sources:
 *
 *   dist/bin   the command line: a file for each command and for what commands share; hook.js and hook-worker.cjs, a hook's two threads; replay-worker.js, a thread of `replay`
 *   dist/lib   the library for `import`; free of Node but for what asks for it by name
 *   dist/cjs   the library for `require`
 *   dist/schemas   the JSON Schemas of the file formats, for editors
 *
 * The packages that the compiler is made with are in the files, and their licences in dist/licenses.txt; the library leaves
 * @portcullis/runtime and rego outside, so that one of each serves everybody. Same sources, same bytes.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { tsImport } from "tsx/esm/api";
import { licensesOf } from "./licenses.mjs";
import { writeWorker } from "./worker-modules.mjs";

const compiler = new URL("../", import.meta.url);
const PUBLISHED = ["runtime", "rego"].flatMap((name) => [`@portcullis/${name}`, `@portcullis/${name}/*`]);
const path = (relative) => fileURLToPath(new URL(relative, compiler));

/** The reader of YAML is a file of its own: a room's index brings all that any file behind it is asked for. */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/tool-map-file\.ts$/ }, () => ({ path: "./tool-map-file.cjs", external: true }));
  },
};

const common = {
  absWorkingDir: path("./"),
  bundle: true,
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};
const library = { ...common, entryPoints: ["index.ts", "node.ts"] };

for (const folder of ["bin", "lib", "cjs", "schemas", "explore"])
  rmSync(path(`dist/${folder}`), { recursive: true, force: true });
mkdirSync(path("dist/schemas"), { recursive: true });
const { FILE_FORMATS, schemaText } = await tsImport("../governance/editor/schemas.ts", import.meta.url);
for (const format of FILE_FORMATS) writeFileSync(path(`dist/schemas/${format.name}.json`), schemaText(format));
// The command line shows no stacks; those of the library have names.
const commandLine = {
  ...common,
  minifyIdentifiers: true,
  platform: "node",
  outdir: "dist/bin",
  format: "esm",
  splitting: true,
  external: ["@open-policy-agent/opa-wasm", "binaryen"],
  alias: {
    // The form for Node starts workers, for work that we do not give it.
    fflate: path("../node_modules/fflate/esm/browser.js"),
    // The form for Node is 72 modules of the older format, which take twice the time to load.
    yaml: path("../node_modules/yaml/browser/index.js"),
  },
};
const builds = await Promise.all([
  build({ ...commandLine, entryPoints: { start: "cli/main.ts", "replay-worker": "cli/replay/worker.ts" } }),
  // By themselves: what other commands share with a hook would lie in many files, and bring more than a hook needs.
  build({ ...commandLine, entryPoints: { hook: "cli/hook/process.ts" } }),
  build({
    ...commandLine,
    entryPoints: { "hook-worker": "cli/hook/worker.ts" },
    plugins: [apart],
    write: false,
  }),
  build({
    ...commandLine,
    entryPoints: { "tool-map-file": "cli/tool-map-file.ts" },
    ...{ format: "cjs", splitting: false, outExtension: { ".js": ".cjs" } },
  }),
  build({
    ...library,
    outdir: "dist/lib",
    format: "esm",
    splitting: true,
    platform: "browser",
    external: [...PUBLISHED, "node:*"],
  }),
  build({
    ...library,
    outdir: "dist/cjs",
    format: "cjs",
    // The names of dist/lib are enough for one package.
    minifyIdentifiers: true,
    outExtension: { ".js": ".cjs" },
    platform: "node",
    external: PUBLISHED,
    // publint takes a line of a text that begins with `export` for a module of the newer format.
    supported: { "template-literal": false },
    define: { "import.meta.url": "portcullisUrl" },
    banner: { js: 'const portcullisUrl=require("node:url").pathToFileURL(__filename).href;' },
  }),
]);
await writeWorker(builds[2].outputFiles, "hook-worker.js", path("dist/bin"));
// Packages in the older module format ask for Node's modules by `require`. To make one takes time: only files that do have it.
const REQUIRE =
  'import{createRequire as portcullisRequire}from"node:module";const require=portcullisRequire(import.meta.url);\n';
for (const file of builds.slice(0, 2).flatMap(({ metafile }) => Object.keys(metafile.outputs))) {
  const text = readFileSync(path(file), "utf8");
  if (/\brequire\b/.test(text)) writeFileSync(path(file), REQUIRE + text);
}
// The page of `portcullis explore`, with the runtime in it. INVARIANT: no `</script` and no `<!--`, which would end its block.
const page = await build({
  ...common,
  entryPoints: [
    { in: "governance/review/explore/page/main.mjs", out: "page" },
    { in: "governance/review/explore/page/page.css", out: "page" },
  ],
  outdir: "dist/explore",
  format: "iife",
  platform: "browser",
  target: "es2022",
  minify: true,
  external: ["@open-policy-agent/opa-wasm"],
});
builds.push(page);
// Families of builtins for the page, each a function of the page's own `@portcullis/runtime/host`: values are of its classes.
const ofThePage = {
  name: "the page's own host",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@portcullis\/runtime\/host$/ }, () => ({ path: "host", namespace: "page" }));
    onLoad({ filter: /.*/, namespace: "page" }, () => ({ contents: "module.exports = portcullisHost;" }));
  },
};
const families = await Promise.all(
  Object.keys(await tsImport("../../runtime/builtins/index.ts", import.meta.url))
    .filter((name) => name !== "builtins")
    .map((name) =>
      build({
        ...common,
        stdin: { contents: `export { ${name} as family } from "@portcullis/builtins/${name}";`, resolveDir: path(".") },
        outfile: `dist/explore/families/${name}.js`,
        format: "iife",
        globalName: "portcullisFamily",
        banner: { js: "(globalThis.portcullisFamilies ??= []).push((portcullisHost) => {" },
        footer: { js: "return portcullisFamily; });" },
        platform: "browser",
        target: "es2022",
        minify: true,
        plugins: [ofThePage],
      }),
    ),
);
builds.push(...families);
// Few pages have one, and all are half a megabyte.
for (const file of families.flatMap(({ metafile }) => Object.keys(metafile.outputs))) {
  writeFileSync(path(`${file}.gz`), gzipSync(readFileSync(path(file)), { level: 9 }));
  rmSync(path(file));
}
writeFileSync(path("dist/licenses.txt"), licensesOf(builds, path("./")));
