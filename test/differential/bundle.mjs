/**
 * Makes out/fuzz/run.mjs and worker.mjs, which run a third faster than sources that a loader translates, and start at once:
 *
 *   node test/differential/bundle.mjs && node out/fuzz/run.mjs --help
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, root));
const ofCompiler = createRequire(new URL("compiler/package.json", root));

/** The compiler's binaryen, which is another than the one that AssemblyScript brings along. */
const binaryenWhereItLies = {
  name: "binaryen-where-it-lies",
  setup({ onResolve }) {
    onResolve({ filter: /^binaryen$/ }, () => ({ path: ofCompiler.resolve("binaryen"), external: true }));
  },
};

await build({
  entryPoints: [path("test/differential/run.ts"), path("test/differential/worker.ts")],
  outdir: path("out/fuzz"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  // Packages in the older module format ask for Node's modules by `require`.
  banner: { js: 'import{createRequire as fuzzRequire}from"node:module";const require=fuzzRequire(import.meta.url);' },
  alias: {
    "@portcullis/builtins": path("runtime/builtins/index.ts"),
    "@portcullis/runtime": path("runtime/index.ts"),
    "@portcullis/runtime/abi": path("runtime/abi/index.ts"),
    "@portcullis/runtime/host": path("runtime/host/index.ts"),
    "@portcullis/runtime/trust": path("runtime/trust/index.ts"),
  },
  external: ["@open-policy-agent/opa-wasm"],
  plugins: [binaryenWhereItLies],
  logLevel: "warning",
});
