/** Where and on what numbers were taken; without it they mean nothing. */

import { execFileSync } from "node:child_process";
import { cpus, loadavg, type as osType, totalmem } from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Runnable processes over the last minute when the run began: above the number of cores, times are too long. */
  readonly loadAtStart: number;
  loadAtEnd: number;
}

export function machineNow(): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${osType()} ${process.arch}`,
    node: process.version,
    loadAtStart: loadNow(),
    loadAtEnd: loadNow(),
  };
}

export function loadNow(): number {
  return Math.round((loadavg()[0] as number) * 10) / 10;
}

export function commitNow(): string {
  try {
    const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
    const dirty = execFileSync("git", ["status", "--porcelain", "--", "compiler", "runtime", "bench", "policies"], {
      encoding: "utf8",
    });
    return dirty.split("\n").some((line) => line !== "" && !line.includes("bench/results"))
      ? `${commit}+changes`
      : commit;
  } catch {
    return "unknown";
  }
}
