/**
 * How long it takes to build 20,000 rules in 100 packages, each an entrypoint, and how much memory: median and least of three
 * runs, in turns with `opa build -t wasm` where there is an `opa`. Ends with 1 when a median is above the bound.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RUNS = 3;
const PACKAGES = 100;
const RULES = 200;
/** Seconds from start to exit, on an idle machine. */
const MOST_SECONDS = 15;

const out = mkdtempSync(join(tmpdir(), "portcullis-large-"));
const sources = join(out, "rego");
mkdirSync(sources);
for (let n = 0; n < PACKAGES; n++) writeFileSync(join(sources, `p${n}.rego`), moduleText(n));
const entrypoints = Array.from({ length: PACKAGES }, (_, n) => ["-e", `app/p${n}/allow`]).flat();

function moduleText(n: number): string {
  const rules = Array.from(
    { length: RULES },
    (_, i) => `
allow if {
	input.user == "u${n}_${i}"
	input.action in {"read", "write${i}"}
	some r in input.roles
	r.name == "role${i % 50}"
	r.level > ${i % 7}
}
`,
  );
  return `package app.p${n}\n\ndefault allow := false\n${rules.join("")}`;
}

interface Used {
  readonly seconds: number;
  readonly cpu: number;
  /** The most that was resident at once, in MB; `undefined` where there is no GNU time. */
  readonly memory: number | undefined;
}

function run(command: readonly string[]): Used {
  const start = performance.now();
  const timed = spawnSync("/usr/bin/time", ["-f", "%U %S %M", ...command], { encoding: "utf8" });
  const done =
    timed.error === undefined ? timed : spawnSync(command[0] as string, command.slice(1), { encoding: "utf8" });
  const seconds = (performance.now() - start) / 1000;
  if (done.status !== 0) throw new Error(`${command.slice(0, 3).join(" ")} exited ${done.status}: ${done.stderr}`);
  if (timed.error !== undefined) return { seconds, cpu: Number.NaN, memory: undefined };
  const [user = 0, system = 0, kilobytes = 0] = (done.stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { seconds, cpu: user + system, memory: kilobytes / 1024 };
}

const hasOpa = spawnSync("opa", ["version"]).error === undefined;
if (!hasOpa) console.log("skipped: `opa build`, since there is no `opa` on the PATH");
const portcullis = fileURLToPath(new URL("../compiler/bin/portcullis.js", import.meta.url));
const commands = new Map<string, readonly string[]>([
  ["portcullis build", [process.execPath, portcullis, "build", sources, ...entrypoints, "-o", join(out, "ours")]],
]);
if (hasOpa)
  commands.set("opa build -t wasm", [
    "opa",
    "build",
    "-t",
    "wasm",
    sources,
    ...entrypoints,
    "-o",
    join(out, "theirs.tar.gz"),
  ]);

const used = new Map<string, Used[]>([...commands.keys()].map((name) => [name, []]));
for (let i = 0; i < RUNS; i++) for (const [name, command] of commands) used.get(name)?.push(run(command));
for (const [name, runs] of used) {
  const of = (read: (u: Used) => number): string => {
    const sorted = runs.map(read).sort((a, b) => a - b);
    return `${(sorted[RUNS >> 1] as number).toFixed(1)} (${(sorted[0] as number).toFixed(1)})`;
  };
  const memory = runs.some((u) => u.memory === undefined) ? "" : `   memory ${of((u) => u.memory as number)} MB`;
  console.log(`${name.padEnd(18)} wall ${of((u) => u.seconds)} s   CPU ${of((u) => u.cpu)} s${memory}`);
}
rmSync(out, { recursive: true, force: true });
const median = (used.get("portcullis build") ?? []).map((u) => u.seconds).sort((a, b) => a - b)[RUNS >> 1] as number;
console.log(`at most ${MOST_SECONDS} s: ${median <= MOST_SECONDS ? "holds" : "exceeded"}`);
process.exitCode = median <= MOST_SECONDS ? 0 : 1;
