/** Public repositories at one commit each, that are fetched and never copied into this one. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export interface Pinned {
  readonly name: string;
  readonly url: string;
  readonly commit: string;
}

/** The folder of a checkout below `dir`, under the repository's name, cloned if it is not there; `undefined`, and said, where it cannot be had. */
export function checkedOut({ name, url, commit }: Pinned, dir: string): string | undefined {
  const checkout = join(dir, name);
  if (existsSync(checkout)) return checkout;
  mkdirSync(checkout, { recursive: true });
  const git = (...args: string[]): boolean => spawnSync("git", args, { cwd: checkout }).status === 0;
  if (git("init", "-q") && git("fetch", "-q", "--depth=1", url, commit) && git("checkout", "-q", "FETCH_HEAD"))
    return checkout;
  rmSync(checkout, { recursive: true });
  console.log(`skipped ${name}: not in ${dir}, and ${url} gave nothing`);
  return undefined;
}
