/**
 * What esbuild makes dist/bin/start.cjs with: the start of the command line as one script, with the help and no command. In
 * Node's older module format, which is ready before the newer one's loader is.
 */

/** Node's modules that take a while to load, and that no help needs: commander has them for programs that start others. */
const LATE = /^(?:node:)?child_process$/;

export const startProgram = {
  entryPoints: ["cli/start.ts"],
  outdir: "dist/bin",
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  define: { "import.meta.url": "portcullisUrl" },
  banner: { js: 'const portcullisUrl=require("node:url").pathToFileURL(__filename).href;' },
  plugin: {
    name: "start-program",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\/commands\// }, ({ path }) => ({ path, external: true }));
      onResolve({ filter: LATE }, ({ path, namespace }) =>
        namespace === "late" ? { path, external: true } : { path, namespace: "late" },
      );
      onLoad({ filter: LATE, namespace: "late" }, ({ path }) => ({
        contents: `module.exports=new Proxy({},{get:(_,name)=>require(${JSON.stringify(path)})[name]});`,
      }));
    },
  },
};
