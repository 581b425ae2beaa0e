/** The licences of the packages that bundles are made of, as one text: what their authors ask for in return. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** For builds of esbuild's with a `metafile`; `root` is what its paths are relative to. Ordered by name. */
export function licensesOf(builds, root) {
  const found = new Map();
  const add = (folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (name.startsWith("@portcullis/") || found.has(name)) return;
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").trim();
    found.set(name, `${name} ${version}\n\n${text}\n`);
  };
  for (const { metafile } of builds)
    for (const input of Object.keys(metafile.inputs))
      if (input.includes("node_modules/")) add(packageOf(dirname(join(root, input))));
  const texts = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** The folder of the package that a folder lies in: the nearest with a package.json that has a name and a version. */
function packageOf(folder) {
  const file = join(folder, "package.json");
  if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version !== undefined) return folder;
  return packageOf(dirname(folder));
}

/** Where a package is that the package in `from` depends on. */
export function installed(name, from) {
  const paths = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
  if (folder === undefined) throw new Error(`${name}, which ${from} needs, is not installed`);
  return folder;
}
