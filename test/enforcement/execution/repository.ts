/** Real git repositories in temporary folders, untouched by the configuration of the machine. */

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { write } from "../../cli/terminal.ts";

export interface TestRepository {
  readonly top: string;
  /** Runs git; its output, trimmed. */
  git(...args: string[]): string;
  /** Writes a file below the top. */
  write(path: string, content: string): string;
  /** Commits everything that there is; the commit's hash. */
  commit(): string;
}

export function openTestRepository(top: string): TestRepository {
  const outer = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const env = { ...outer, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull };
  const person = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"];
  const git = (...args: string[]): string =>
    execFileSync("git", [...person, ...args], { cwd: top, env, stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trim();
  return {
    top,
    git,
    write: (path, content) => write(join(top, path), content),
    commit() {
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "--no-verify", "-m", "c");
      return git("rev-parse", "HEAD");
    },
  };
}

export function makeRepository(top: string): TestRepository {
  mkdirSync(top, { recursive: true });
  const repository = openTestRepository(top);
  repository.git("init", "-q", "-b", "main");
  return repository;
}
