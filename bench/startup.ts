/**
 * How long the command line takes from process start to exit: median and least of ten runs, wall and CPU time, beside the CPU
 * time that the command may take on an idle machine.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RUNS = 10;
const root = fileURLToPath(new URL("..", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "portcullis-startup-"));
const bundle = join(root, "generated/bundle.tar.gz");

const policies = join(root, "policies");
const request = join(out, "request.json");
writeFileSync(request, JSON.stringify({ role: "WRITER", lane: "PUBLISHING", tool: "article.publish" }));
const large = join(out, "large");
writeLargeSet(large, 3000);

/** With the most CPU time, in milliseconds, where there is a bound. */
const commands: readonly (readonly [number | undefined, readonly string[]])[] = [
  [undefined, ["--version"]],
  [100, ["--help"]],
  [undefined, ["inspect", bundle]],
  [undefined, ["eval", bundle, "portcullis/lane/decision"]],
  [600, ["check", policies]],
  [1500, ["check", large]],
  [600, ["types", policies, "-o", join(out, "types.ts")]],
  [500, ["explain", bundle, "portcullis/tool/decision", "-i", request]],
  [2000, ["test", policies]],
  [2000, ["prove", policies]],
  [1000, ["build", policies, "-o", join(out, "build")]],
];

/** A policy set of this many tools, in lanes of a hundred each. */
function writeLargeSet(dir: string, tools: number): void {
  mkdirSync(dir);
  const lanes = Math.ceil(tools / 100);
  const names = (lane: number): string[] => Array.from({ length: 100 }, (_, i) => `area${lane}.tool${i}`);
  const each = <T>(of: (lane: number) => T): T[] => Array.from({ length: lanes }, (_, i) => of(i));
  const write = (name: string, content: object): void => writeFileSync(join(dir, name), JSON.stringify(content));
  const version = { version: "large-1", contract_version: "v1" };
  const role = (lane: number): object => ({ role_id: `ROLE_${lane}`, privileges: { lanes: [`LANE_${lane}`] } });
  const lane = (n: number): object => ({
    lane_id: `LANE_${n}`,
    allowed_callers: { roles: [`ROLE_${n}`] },
    allowed_actions: { tools: names(n), writes: [] },
    scope: { requires: [], prohibits: [] },
  });
  const tool = (name: string, n: number): object => ({
    tool_name: name,
    enabled: true,
    implementation_status: "implemented",
    allowed_lanes: [`LANE_${n}`],
    required_scope_keys: [],
    prohibited_flags: [],
  });
  write("roles.yaml", { ...version, roles: each(role) });
  write("lanes.yaml", { ...version, lanes: each(lane) });
  write("tool_registry.yaml", { ...version, tools: each((n) => names(n).map((name) => tool(name, n))).flat() });
}

/** Real time, and CPU time of user and system, in milliseconds, as the shell's `time` says them: in the locale C, with a point. */
function run(args: readonly string[]): { wall: number; cpu: number } {
  const timed = 'TIMEFORMAT="%3R %3U %3S"; time "$@"';
  const command = [process.execPath, join(root, "compiler/bin/portcullis.js"), ...args];
  const { status, stderr } = spawnSync("bash", ["-c", timed, "bash", ...command], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  if (status !== 0) throw new Error(`portcullis ${args.join(" ")} exited ${status}: ${stderr}`);
  const [real = 0, user = 0, system = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { wall: real * 1000, cpu: (user + system) * 1000 };
}

for (const [bound, args] of commands) {
  run(args);
  const runs = Array.from({ length: RUNS }, () => run(args));
  const of = (name: "wall" | "cpu"): string => {
    const sorted = runs.map((r) => r[name]).sort((a, b) => a - b);
    return `${(sorted[RUNS >> 1] ?? 0).toFixed(0).padStart(5)} (${(sorted[0] ?? 0).toFixed(0)})`;
  };
  const shown = args.map((a) => a.replace(`${root}`, "").replace(out, "OUT")).join(" ");
  const most = bound === undefined ? "" : `   at most ${bound} ms`;
  console.log(`${shown.padEnd(76)} wall ${of("wall")} ms   CPU ${of("cpu")} ms${most}`);
}
rmSync(out, { recursive: true, force: true });
