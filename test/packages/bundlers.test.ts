/**
 * The built packages through rollup and webpack, as a service or a page bundles them: no bundler warns of anything, and what
 * comes out decides.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rollup } from "rollup";
import { afterAll, describe, expect, it } from "vitest";
import webpack from "webpack";
import { root, run } from "./packed.ts";

// Below the repository, where packages find one another.
mkdirSync(join(root, "out"), { recursive: true });
const folder = mkdtempSync(join(root, "out/bundlers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const require = createRequire(import.meta.url);
/** Everything that the package exports, and each of its doors that needs nothing of Node. */
const DOORS = ["", "/abi", "/host", "/testing", "/trust"].map((door) => `@portcullis/runtime${door}`);
const program = [
  ...DOORS.map((door, i) => `import * as m${i} from "${door}";`),
  `export { load } from "@portcullis/runtime";`,
  `export const all = [${DOORS.map((_, i) => `m${i}`).join(", ")}];\n`,
].join("\n");
const entry = join(folder, "entry.mjs");
writeFileSync(entry, program);
const required = join(folder, "required.cjs");
writeFileSync(
  required,
  `${DOORS.map((door) => `require("${door}");`).join("\n")}\nexports.load = require("${DOORS[0]}").load;\n`,
);

/** Warnings, and the module that came out. */
async function withRollup(): Promise<{ warnings: string[]; file: string }> {
  const warnings: string[] = [];
  const bundle = await rollup({
    input: entry,
    // Packages are found as `import` finds them: rollup has no way of its own.
    plugins: [{ name: "packages", resolveId: (id) => (DOORS.includes(id) ? imported(id) : null) }],
    onwarn: (warning) => void warnings.push(warning.message),
  });
  await bundle.write({ dir: join(folder, "rollup"), format: "es", entryFileNames: "entry.mjs" });
  await bundle.close();
  return { warnings, file: join(folder, "rollup/entry.mjs") };
}

/** The file that `import` loads: `exports` of the package say so. */
function imported(id: string): string {
  const at = require.resolve("@portcullis/runtime/package.json");
  const { exports } = JSON.parse(readFileSync(at, "utf8")) as {
    exports: { readonly [door: string]: { readonly import: { readonly default: string } } };
  };
  return join(at, "..", exports[id.replace("@portcullis/runtime", ".")]?.import.default ?? id);
}

function withWebpack(from: string, out: string): Promise<{ warnings: string[]; file: string }> {
  const compiler = webpack({
    mode: "production",
    context: folder,
    entry: from,
    // A page's: what asks for a module of Node would not be found.
    target: ["es2022"],
    experiments: { outputModule: true },
    optimization: { minimize: false },
    output: { path: join(folder, out), filename: "entry.mjs", library: { type: "module" }, chunkFormat: "module" },
  });
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      const { warnings = [], errors = [] } = stats?.toJson({ all: false, warnings: true, errors: true }) ?? {};
      compiler.close(() => {
        if (error !== null || errors.length > 0) reject(error ?? new Error(errors.map((e) => e.message).join("\n")));
        else resolve({ warnings: warnings.map(({ message }) => message), file: join(folder, out, "entry.mjs") });
      });
    });
  });
}

describe("a bundle of the runtime", () => {
  it.each([
    ["rollup", withRollup],
    ["webpack", () => withWebpack(entry, "webpack")],
    ["webpack, by `require`", () => withWebpack(required, "required")],
  ])("that %s makes has no warning, and decides", async (_name, make) => {
    const { warnings, file } = await make();
    expect(warnings).toEqual([]);
    // In a process of its own, which sees the file as it was written.
    const decide = `
      import { readFileSync } from "node:fs";
      import { load } from ${JSON.stringify(pathToFileURL(file).href)};
      const policy = await load(readFileSync("generated/bundle.tar.gz"));
      const lanes = ["DRAFTING", "NOWHERE"].map((lane) => policy.lane({ role: "WRITER", lane }).allowed);
      process.stdout.write(JSON.stringify(lanes));
    `;
    expect(JSON.parse(run(process.execPath, ["--input-type=module", "-e", decide], root))).toEqual([true, false]);
  });
});
