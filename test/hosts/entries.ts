/** The programs that ask, one for each kind of host, as esbuild bundles them around the built runtime. */

import { build } from "esbuild";

const ASK = 'import * as runtime from "@portcullis/runtime"; import { ask } from "./ask.ts";';

/** Node, Bun and Deno: `program.mjs MATERIAL` prints the report. */
const PROGRAM = `${ASK}
import { readFileSync } from "node:fs";
const material = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(JSON.stringify(await ask(runtime, material)));`;

/** A page's module: shows the report as its text, and marks that it is done. */
const PAGE = `${ASK}
const material = await (await fetch("material.json")).json();
const report = await ask(runtime, material).catch((error) => ({ error: String(error) }));
document.body.textContent = JSON.stringify(report);
document.body.dataset.done = "";`;

/** A Worker, which compiles no bytes: its modules come with it. */
const WORKER = `${ASK}
import library from "./library.wasm";
import bundle from "./policy.wasm";
import material from "./material.json";
export default {
  async fetch() {
    const report = await ask(runtime, material, { library, bundle }).catch((error) => ({ error: String(error?.stack) }));
    return new Response(JSON.stringify(report));
  },
};`;

const PROGRAMS = { "program.mjs": PROGRAM, "page.js": PAGE, "worker.mjs": WORKER } as const;

/** Writes the programs into a folder. */
export async function writePrograms(folder: string): Promise<void> {
  const here = new URL("./", import.meta.url).pathname;
  for (const [name, contents] of Object.entries(PROGRAMS))
    await build({
      stdin: { contents, resolveDir: here, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "neutral",
      conditions: ["import"],
      external: ["node:*", "./library.wasm", "./policy.wasm", "./material.json"],
      outfile: `${folder}/${name}`,
      logLevel: "error",
    });
}
