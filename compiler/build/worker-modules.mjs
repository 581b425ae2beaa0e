/** A thread's modules as CommonJS: a thread that imports starts Node's loader of modules first (see bench/EXPERIMENTS.md, a hook). */
import { basename } from "node:path";
import { rollup } from "rollup";

/**
 * The output files of esbuild (one folder, `write: false`) as CommonJS in the same folder, named `.cjs`. What is fetched on
 * demand stays in files of its own, but for packages of others, which are imported.
 */
export async function writeWorker(outputFiles, entry, folder) {
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const isOurs = (id) => id !== null && (texts.has(basename(id)) || id.endsWith(".cjs"));
  const { write, close } = await rollup({
    input: entry,
    external: (id) => !texts.has(basename(id)),
    makeAbsoluteExternalsRelative: false,
    plugins: [
      {
        name: "esbuild's files",
        resolveId: (id) => (texts.has(basename(id)) ? basename(id) : { id, external: true }),
        load: (id) => texts.get(id),
        renderDynamicImport: ({ targetModuleId }) =>
          isOurs(targetModuleId) ? { left: "Promise.resolve().then(()=>require(", right: "))" } : null,
      },
    ],
    treeshake: false,
    onwarn: ({ code, message }) => {
      if (code !== "UNUSED_EXTERNAL_IMPORT") throw new Error(message);
    },
  });
  await write({
    dir: folder,
    format: "cjs",
    compact: true,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
  });
  await close();
}
