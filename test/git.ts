/** Git, for suites over real repositories. A clone needs it; a copy of a clone, in a container say, may do without. */

import { spawnSync } from "node:child_process";
import { beforeEach } from "vitest";

export const hasGit = spawnSync("git", ["--version"]).status === 0;

const WITHOUT_GIT = "SKIPPED, NOT TESTED: there is no git on the PATH (apt-get install git)";
if (!hasGit) console.warn(WITHOUT_GIT);

/** To be called by what lays out repositories, before it does: each test of the file is skipped where there is no git. */
export function useGit(): void {
  beforeEach(({ skip }) => skip(!hasGit, WITHOUT_GIT));
}
