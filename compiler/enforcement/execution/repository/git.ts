/**
 * Git, asked safely. The repository belongs to whom the question is about, so git never sees it: it runs in a folder of ours,
 * with a configuration and a home of ours, and is lent the store of objects alone. No configuration, hook, attribute, graft,
 * replaced object or index of the repository has a say, and no rules of the user's. Any failure is an exception.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { SESSION_SECRET } from "../session.ts";

/** Git could not answer, or what it answered does not hold; the message is git's own last line, or ours. */
export class GitError extends Error {
  override readonly name = "GitError";
}

/** A repository's hash: `sha1` names objects with 40 digits, `sha256` with 64. */
export type HashName = "sha1" | "sha256";

const ABSENT = "`git` is not on the PATH, and nothing is known of a repository without it: install it";

const LARGEST_ANSWER = 1 << 30;
const LONGEST_WAIT = 2 * 60_000;

export interface Git {
  /** A folder of ours that is the work tree; empty at first. */
  readonly workTree: string;
  /** A folder of ours that is the git folder. */
  readonly gitDir: string;
  /** Output of a command. Status 1 is an answer for some. Throws GitError. */
  run(args: readonly string[], options?: RunOptions): Buffer;
  /** What a command with `-z` lists, each piece a string with one character a byte. Throws GitError. */
  list(args: readonly string[], options?: RunOptions): string[];
}

interface RunOptions {
  readonly input?: Uint8Array;
  readonly allowed?: readonly number[];
  /** A complaint is a failure, whatever the status: git calls an object that it cannot read missing, and complains. */
  readonly isStrict?: boolean;
  /** With the user's own name, key and configuration: a commit is a person's. */
  readonly isPersonal?: boolean;
}

/** Lends a store of objects to `work`. What git needs besides lies in a temporary folder, which is gone afterwards. */
export function withGit<T>(objects: string, hash: HashName, work: (git: Git) => T): T {
  const scratch = mkdtempSync(join(tmpdir(), "portcullis-close-"));
  try {
    return work(gitIn(scratch, objects, hash));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function gitIn(scratch: string, objects: string, hash: HashName): Git {
  const gitDir = join(scratch, "git");
  const workTree = join(scratch, "tree");
  mkdirSync(join(gitDir, "refs"), { recursive: true });
  mkdirSync(join(gitDir, "objects"));
  mkdirSync(workTree);
  writeFileSync(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(gitDir, "config"), configuration(hash));
  const places = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: join(gitDir, "index"),
    GIT_OBJECT_DIRECTORY: objects,
  };
  // A user's own rules and attributes lie below a home.
  const own = { ...cleanEnvironment(), HOME: scratch, XDG_CONFIG_HOME: scratch, ...OWN, ...places };
  const run = (args: readonly string[], options: RunOptions = {}): Buffer => {
    const { input = "", allowed = [0], isStrict = false, isPersonal = false } = options;
    const { status, stdout, stderr, error } = spawnSync("git", ["--no-pager", ...args], {
      cwd: workTree,
      env: isPersonal ? { ...cleanEnvironment(PERSONAL), ...places } : own,
      input,
      maxBuffer: LARGEST_ANSWER,
      timeout: LONGEST_WAIT,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const said = String(stderr ?? "")
      .trim()
      .split("\n")
      .pop();
    const isAnswer = error === undefined && status !== null && allowed.includes(status);
    if (isAnswer && !(isStrict && said)) return stdout;
    const isAbsent = (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
    throw new GitError(isAbsent ? ABSENT : said || error?.message || "git failed");
  };
  // The last NUL ends the last piece.
  const list: Git["list"] = (args, options) => run(args, options).toString("latin1").split("\0").slice(0, -1);
  return { workTree, gitDir, run, list };
}

function configuration(hash: HashName): string {
  return `[core]\n\trepositoryformatversion = 1\n\tignorecase = false\n[extensions]\n\tobjectformat = ${hash}\n[protocol]\n\tallow = never\n`;
}

/** Who a person is, to git. */
const PERSONAL = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$|^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/;

const OWN = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull };

/** No secret, and no variable of git's from outside but those that are kept. */
function cleanEnvironment(kept = /^$/): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean => name !== SESSION_SECRET && (!/^GIT_/i.test(name) || kept.test(name));
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name))),
    LC_ALL: "C",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  };
}
