/** Modules of a package as one file for `require`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rollup } from "rollup";

/**
 * All modules in `all.js` below `target`, and for each a file in its place that gives what it exports. Rollup, because esbuild
 * would put what is imported on demand, and all that it imports, into functions.
 */
export async function joinModules(dist, target, modules) {
  const every = "\0every";
  const { write, close } = await rollup({
    input: every,
    plugins: [
      {
        name: "modules",
        resolveId: (path) => (path === every ? path : null),
        load: (file) =>
          file === every
            ? modules.map((path, i) => `export * as m${i} from ${JSON.stringify(path)};\n`).join("")
            : readFileSync(file, "utf8"),
      },
    ],
    treeshake: false,
    onwarn: refuse,
  });
  await write({
    file: join(target, "all.js"),
    format: "cjs",
    inlineDynamicImports: true,
  });
  await close();
  for (const [i, module] of modules.entries()) {
    const path = relative(dist, module);
    const all = `${"../".repeat(path.split(/[\\/]/).length - 1) || "./"}all.js`;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), `module.exports = require("${all}").m${i};\n`);
  }
}

function refuse(warning) {
  throw new Error(warning.message);
}
