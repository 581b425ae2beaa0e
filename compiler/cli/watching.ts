/** `--watch`: the command once, and again whenever a file of its folders is not what it was. It ends with Ctrl-C. */

import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "@portcullis/documents/node";
import { CliError } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

/** Files are written in pieces, and several at once: a change is over when nothing has happened for so long. */
const SETTLE_MS = 80;
/** The system's notices are only a reason to look. Where they are missing (some mounts, a folder that was replaced), this is. */
const LOOK_MS = 1_500;

/** Never returns while it watches. A fault of one run is printed, and the next change is waited for. */
export async function watching(terminal: Terminal, dirs: readonly string[], run: () => Promise<void>): Promise<void> {
  let before = snapshot(dirs);
  await guarded(terminal, run);
  terminal.err(terminal.paint.dim(`watching ${dirs.join(", ")}; Ctrl-C ends it\n`));
  for (;;) {
    await somethingHappened(dirs);
    const now = snapshot(dirs);
    const changed = differences(before, now);
    if (changed.length === 0) continue;
    before = now;
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : "";
    terminal.err(terminal.paint.dim(`\nchanged: ${changed.slice(0, 3).join(", ")}${more}\n`));
    await guarded(terminal, run);
  }
}

async function guarded(terminal: Terminal, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`${terminal.paint.red("error:")} ${error.message}\n`);
  }
}

/** Resolves a while after the system has told of a change, and at the latest after `LOOK_MS`. */
function somethingHappened(dirs: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = [];
    const done = (): void => {
      clearTimeout(settled);
      clearTimeout(latest);
      for (const watcher of watchers) watcher.close();
      resolve();
    };
    let settled: NodeJS.Timeout | undefined;
    const latest = setTimeout(done, LOOK_MS);
    const wake = (): void => {
      clearTimeout(settled);
      settled = setTimeout(done, SETTLE_MS);
    };
    for (const dir of dirs) {
      try {
        watchers.push(watch(dir, { recursive: true }, wake).on("error", wake));
      } catch {
        // The folder is not there at present: it is looked for again.
      }
    }
  });
}

/** Size and time of every file. */
function snapshot(dirs: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const dir of dirs)
    for (const path of listed(dir)) {
      try {
        const { size, mtimeMs } = statSync(path);
        files.set(path, `${size} ${mtimeMs}`);
      } catch {
        // Gone since it was listed.
      }
    }
  return files;
}

function listed(dir: string): string[] {
  try {
    return statSync(dir).isDirectory() ? nodeHost.listFiles(dir).map((path) => join(dir, path)) : [dir];
  } catch {
    return [];
  }
}

function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
}
