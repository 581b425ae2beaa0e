/** Which sources were measured. */

import { execFileSync } from "node:child_process";

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
