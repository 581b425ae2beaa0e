/** Programs from npm that are never a dependency of ours: kept in a folder of the person who runs them. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export class Absent extends Error {}

const cache = process.env["PORTCULLIS_HOSTS"] ?? join(homedir(), ".cache", "portcullis-hosts");

/** The folder of a package of npm, installed there the first time. Never a dependency of ours. */
export function installed(name: string, spec: string): string {
  const folder = join(cache, name);
  if (existsSync(join(folder, "installed"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  try {
    const options = { cwd: folder, stdio: "pipe", timeout: 300_000 } as const;
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", spec], options);
  } catch (error) {
    throw new Absent(`\`npm install ${spec}\` failed: ${String((error as Error).message).split("\n")[0]}`);
  }
  writeFileSync(join(folder, "installed"), "");
  return folder;
}
