/** What a bundler takes from the packages, minified and gzipped: what a page pays for `load`, and for a family. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bytes after gzip, and the files that are in it, relative to the repository: of what a page fetches at once. What is
 * imported where it is needed first (signatures, OPA's SDK) is fetched then; without `splitting` it is in the one file.
 */
async function bundled(contents: string, splitting = true): Promise<{ bytes: number; files: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: `${root}test`, loader: "ts" },
    absWorkingDir: root,
    // The sources themselves, for any importer.
    tsconfig: `${root}tsconfig.json`,
    bundle: true,
    splitting,
    outdir: `${root}out`,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
  });
  const outputs = Object.entries(metafile.outputs);
  const fetched = new Set(
    outputs.filter(([, { entryPoint }]) => entryPoint?.endsWith("<stdin>")).map(([path]) => path),
  );
  for (const path of fetched)
    for (const { kind, path: chunk } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement") fetched.add(chunk);
  const texts = outputFiles.filter(({ path }) => fetched.has(path.slice(root.length)));
  const files = outputs
    .filter(([path]) => fetched.has(path))
    .flatMap(([, { inputs }]) => Object.entries(inputs))
    .filter(([, input]) => input.bytesInOutput > 0)
    .map(([file]) => file);
  return { bytes: texts.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0), files };
}

const page = (...families: string[]): string => `
  import { load } from "@portcullis/runtime";
  ${families.map((name) => `import { ${name} } from "@portcullis/builtins/${name}";`).join("\n")}
  export const policy = (bytes: ArrayBuffer) => load(bytes, { builtins: [${families.join(", ")}] });
`;

/** The folders of the package that are in a bundle. */
const folders = (files: readonly string[]): string[] =>
  [...new Set(files.flatMap((file) => /^runtime\/builtins\/([a-z0-9]+)\//.exec(file)?.[1] ?? []))].sort();

describe("a bundle", () => {
  it("with `load` alone has at most 20 KB, no builtin, and nothing of the harness or of signatures", async () => {
    const { bytes, files } = await bundled(page());
    expect(files).toContain("runtime/load/load.ts");
    expect(
      files.filter((file) => /runtime\/(builtins|governance\/harness|testing|trust|operate)\/|node_modules/.test(file)),
    ).toEqual([]);
    expect(bytes).toBeLessThanOrEqual(20 * 1024);
  });

  it("in one file has at most 30 KB: what may be needed later is in it", async () => {
    const { bytes, files } = await bundled(page(), false);
    expect(files).toContain("runtime/trust/index.ts");
    expect(bytes).toBeLessThanOrEqual(30 * 1024);
  });

  it("that verifies a JWT has the family of JWTs, and no other", async () => {
    const { files } = await bundled(page("jwt"));
    expect(files.filter((file) => /runtime\/builtins\/[a-z0-9]+\/index\.ts$/.test(file))).toEqual([
      "runtime/builtins/jwt/index.ts",
    ]);
    const others = ["aws", "graphql", "jsonschema", "random", "template", "uri", "yaml"];
    expect(folders(files).filter((folder) => others.includes(folder))).toEqual([]);
  });

  it("has for each family what its page says, to the kilobyte or two", async () => {
    const said = readFileSync(`${root}runtime/builtins/README.md`, "utf8").matchAll(
      /^\| `(\w+)` from .* \| (\d+) \|$/gm,
    );
    const alone = (await bundled(page())).bytes;
    for (const [, family = "", kilobytes] of said) {
      const measured = ((await bundled(page(family))).bytes - alone) / 1024;
      expect(Math.abs(measured - Number(kilobytes)), `${family}: ${measured.toFixed(1)} KB`).toBeLessThanOrEqual(2);
    }
  });
});
