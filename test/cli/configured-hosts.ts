/** What suites of `init --for` share: whether hosts can be configured here, and a hook that is. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pages/page.ts";

/** The program itself is what a hook starts, by a POSIX shell and `timeout`. */
export const canConfigure =
  process.platform !== "win32" &&
  existsSync("/usr/bin/timeout") &&
  existsSync(join(root, "compiler/dist/bin/start.js"));

/** Options of a hook that decides `Bash` by the example's policy. `state`: the folder in which it keeps history and approvals. */
export const hookWords = (state: string): string[] => [
  ...["--policy", join(root, "generated/bundle.tar.gz"), "--unsigned", "--role", "WRITER", "--lane", "DRAFTING"],
  ...["--lineage", "news_desk", "--scope", "story_id=s-1", "--scope", "run_id=r-1", "--map", "Bash=draft.create"],
  ...["--history", join(state, "history"), "--approvals", join(state, "approvals"), "--yes"],
];
