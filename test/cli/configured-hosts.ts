/** What suites of `init --for` share: whether hosts can be configured here, a hook that is, and a project. */

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { root } from "../pages/page.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

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

/** A folder for a suite, with a policy and a project in it that is empty before each test. */
export function emptyProject(): { readonly folder: string; readonly project: string } {
  const place = { folder: "", project: "" };
  beforeAll(() => {
    place.folder = temporaryFolder();
    place.project = join(place.folder, "project");
    mkdirSync(join(place.folder, "policy/approvals"), { recursive: true });
  });
  afterAll(() => removeFolder(place.folder));
  beforeEach(() => {
    for (const at of [place.project, join(place.folder, "host")]) rmSync(at, { recursive: true, force: true });
    mkdirSync(place.project);
  });
  return place;
}
