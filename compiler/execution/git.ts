/**
 * Git, asked safely. The repository belongs to whom the question is about: its configuration may name programs to run and
 * rules that hide changes, so neither that configuration nor the environment has a say here. Any failure is an exception.
 */

import { execFileSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { SESSION_SECRET } from "./session.ts";

/** Git could not answer; the message is git's own last line, or ours. */
export class GitError extends Error {
  override readonly name = "GitError";
}

/** Settings that no repository's configuration may change. */
const SETTINGS = [
  // No programs.
  "core.fsmonitor=false",
  `core.hooksPath=${devNull}`,
  "protocol.allow=never",
  // A repository does not define what counts as a change.
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  "core.ignoreCase=false",
  "core.ignoreStat=false",
  "core.sparseCheckout=false",
  "core.splitIndex=false",
  "core.untrackedCache=false",
  "index.sparse=false",
  "core.quotePath=false",
  ...(process.platform === "win32" ? [] : ["core.fileMode=true", "core.symlinks=true"]),
];

const LARGEST_ANSWER = 1 << 30;
const LONGEST_WAIT = 10 * 60_000;

export interface Repository {
  /** Canonical path of the work tree. */
  readonly top: string;
  /** Output of a git command, split at its NULs. Throws GitError. */
  list(args: readonly string[], index?: string): Buffer[];
  /** Output of a git command. Throws GitError. */
  run(args: readonly string[], index?: string): Buffer;
}

/** The repository around a folder, which must be canonical. Throws GitError when there is none. */
export function openRepository(folder: string): Repository {
  const top = workTreeAround(folder);
  if (top === undefined) throw new GitError(`\`${folder}\` is not in a git repository`);
  const environment = { ...cleanEnvironment(), GIT_DIR: join(top, ".git"), GIT_WORK_TREE: top };
  const ask = (settings: readonly string[], args: readonly string[], index?: string): Buffer =>
    git(top, settings, args, index === undefined ? environment : { ...environment, GIT_INDEX_FILE: index });
  const settings = [...SETTINGS, ...filtersOff(ask(SETTINGS, ["config", "--null", "--name-only", "--list"]))];
  const run = (args: readonly string[], index?: string): Buffer => ask(settings, args, index);
  return { top, run, list: (args, index) => splitAtNul(run(args, index)) };
}

/** The nearest folder upwards with a `.git`. Git itself would ask the configuration, which can point elsewhere. */
function workTreeAround(folder: string): string | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    try {
      lstatSync(join(dir, ".git"));
      return dir;
    } catch {
      if (dirname(dir) === dir) return undefined;
    }
  }
}

/** Clean filters are programs that decide which content git sees of a file. */
function filtersOff(names: Buffer): string[] {
  const drivers = new Set<string>();
  for (const name of splitAtNul(names)) {
    const match = /^filter\.(.+)\.[^.]+$/s.exec(name.toString("utf8"));
    if (match !== null) drivers.add(match[1] as string);
  }
  return [...drivers].flatMap((driver) => {
    // `-c` takes everything up to the first `=` for the name.
    if (driver.includes("=")) throw new GitError(`the name of the filter \`${driver}\` holds a \`=\``);
    return [`filter.${driver}.clean=`, `filter.${driver}.process=`, `filter.${driver}.required=false`];
  });
}

/** No variable of git's, and no secret, from outside. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name) && name !== SESSION_SECRET);
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    // A replaced object would let another tree stand in for the baseline's.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  };
}

function git(
  cwd: string,
  settings: readonly string[],
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Buffer {
  const options = settings.flatMap((setting) => ["-c", setting]);
  try {
    return execFileSync("git", ["--no-pager", "--literal-pathspecs", ...options, ...args], {
      cwd,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: LARGEST_ANSWER,
      timeout: LONGEST_WAIT,
      windowsHide: true,
    });
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? "").trim();
    throw new GitError(said.split("\n").at(-1) || `git ${args[0]} failed: ${(error as Error).message.split("\n")[0]}`);
  }
}

function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    const stop = end < 0 ? bytes.length : end;
    parts.push(bytes.subarray(start, stop));
    start = stop + 1;
  }
  return parts;
}
