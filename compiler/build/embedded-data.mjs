/**
 * An esbuild plugin: the decision library and the compiled runtime library, modules that are data alone (1 MB), become files of
 * JSON which both forms of the command line read. The package holds them once for these, and V8's code has no copy of them.
 */
import { writeFileSync } from "node:fs";
import { build } from "esbuild";

/** `folder`: where the files are written, by its path with a slash; the bundles lie in folders of their own there. */
export const embeddedData = (folder) => ({
  name: "embedded-data",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](library|rtlib)\.embedded\.ts$/ }, async ({ path }) => {
      const name = `${/(\w+)\.embedded\.ts$/.exec(path)[1]}.json`;
      const data = await exportsOf(path);
      writeFileSync(folder + name, JSON.stringify(data));
      return {
        contents: `import{readFileSync}from"node:fs";
export const{${Object.keys(data).join(",")}}=JSON.parse(readFileSync(new URL("../${name}",import.meta.url),"utf8"));`,
      };
    });
  },
});

/** What a module of TypeScript exports that imports nothing. */
async function exportsOf(path) {
  const { outputFiles } = await build({ entryPoints: [path], format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
