/**
 * What `require("@portcullis/runtime")` costs beside `import`, on every line of Node that is in use: `npx tsx
 * bench/commonjs.ts [VERSION …]`. Node comes from npm, as `npx node@22` has it. Prints medians of ratios; above 1 `require` is
 * slower.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundleOf } from "./bundles.ts";
import { textsOf, workloadsOf } from "./workloads/index.ts";

const VERSIONS = ["20", "22", "24", "26"];
const KINDS = ["subagent", "call"];
const REQUESTS = 1_000;

const bundle = await bundleOf("M");
const workloads = workloadsOf(bundle.data.portcullis.policy).filter(
  ({ kind, size, outcome }) => KINDS.includes(kind) && size === "typical" && outcome === "allow",
);
const input = `{${workloads.map((w) => `"${w.kind}":[${textsOf(w, 0, REQUESTS).join()}]`).join()}}`;
const child = fileURLToPath(new URL("parts/commonjs.mjs", import.meta.url));

interface Measured {
  readonly node: string;
  /** Nanoseconds by `import`, and how many times that `require` takes. */
  readonly found: Readonly<Record<string, { readonly import: number; readonly ratio: number }>>;
}

const versions = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS;
console.log("node", ...KINDS.map((kind) => `${kind}: import, require`));
for (const version of versions) {
  const run = spawnSync("npx", ["--yes", `node@${version}`, child, bundle.path], { input, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`node@${version}: ${run.stderr}`);
  const { node, found } = JSON.parse(run.stdout) as Measured;
  const columns = KINDS.map((kind) => `${found[kind]?.import.toFixed(0)} ns ×${found[kind]?.ratio.toFixed(2)}`);
  console.log(node, ...columns);
}
