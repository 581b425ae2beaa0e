/** A command, what it wrote, and the CPU seconds of it and all its children. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Timed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly cpu: number;
}

/** `scratch`: a folder for a file of the times, which bash measures. */
export function timed(
  scratch: string,
  cwd: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Timed {
  const file = join(scratch, "times");
  const script = 'exec 3>&2; TIMEFORMAT="%U %S"; { time "$@" 2>&3; } 2>"$0"';
  const done = spawnSync("bash", ["-c", script, file, ...command], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env: { ...process.env, ...env },
  });
  const [user = 0, system = 0] = readFileSync(file, "utf8").trim().split(/\s+/).map(Number);
  return { status: done.status ?? -1, stdout: done.stdout, stderr: done.stderr, cpu: user + system };
}
