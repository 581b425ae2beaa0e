/** The real `opa`, where one is installed: in `$OPA`, on the path, or where `go install` puts it. */

import { execFileSync, spawnSync } from "node:child_process";
import { homedir } from "node:os";

function find(): string | undefined {
  for (const candidate of [process.env["OPA"], "opa", `${homedir()}/go/bin/opa`]) {
    if (!candidate) continue;
    const found = spawnSync(candidate, ["version"], { encoding: "utf8" });
    if (found.status === 0 && /^Version: 1\./m.test(found.stdout)) return candidate;
  }
  return undefined;
}

export const opa = find();

/** Runs `opa` with arguments; what it wrote, and whether it was content. */
export function runOpa(args: readonly string[], input?: string): { ok: boolean; stdout: string; stderr: string } {
  const done = spawnSync(opa as string, args, { encoding: "utf8", input, maxBuffer: 1 << 28 });
  return { ok: done.status === 0, stdout: done.stdout, stderr: done.stderr };
}

export function opaText(args: readonly string[]): string {
  return execFileSync(opa as string, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}
