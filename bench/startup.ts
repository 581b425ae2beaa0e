/** How long the command line takes from process start to exit: median and least of ten runs, wall and CPU time. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RUNS = 10;
const root = fileURLToPath(new URL("..", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "portcullis-startup-"));
const bundle = join(root, "generated/bundle.tar.gz");

const commands: readonly (readonly string[])[] = [
  ["--version"],
  ["--help"],
  ["inspect", bundle],
  ["eval", bundle, "portcullis/lane/decision"],
  ["build", join(root, "policies"), "-o", out],
];

/** CPU time, user and system, of all children that have ended, in milliseconds. */
function childrenCpu(): number {
  const { status, stdout } = spawnSync("sh", ["-c", "cat /proc/$PPID/stat"], { encoding: "utf8" });
  if (status !== 0) return Number.NaN;
  const fields = stdout.slice(stdout.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function run(args: readonly string[]): { wall: number; cpu: number } {
  const cpu = childrenCpu();
  const from = performance.now();
  const { status } = spawnSync(process.execPath, [join(root, "compiler/bin/portcullis.js"), ...args]);
  if (status !== 0) throw new Error(`portcullis ${args.join(" ")} exited ${status}`);
  return { wall: performance.now() - from, cpu: childrenCpu() - cpu };
}

for (const args of commands) {
  run(args);
  const runs = Array.from({ length: RUNS }, () => run(args));
  const of = (name: "wall" | "cpu"): string => {
    const sorted = runs.map((r) => r[name]).sort((a, b) => a - b);
    return `${(sorted[RUNS >> 1] ?? 0).toFixed(0).padStart(5)} (${(sorted[0] ?? 0).toFixed(0)})`;
  };
  const shown = args.map((a) => a.replace(`${root}`, "").replace(out, "OUT")).join(" ");
  console.log(`${shown.padEnd(60)} wall ${of("wall")} ms   CPU ${of("cpu")} ms`);
}
rmSync(out, { recursive: true, force: true });
