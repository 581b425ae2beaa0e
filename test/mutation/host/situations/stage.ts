/** A repository to do things in, and what somebody does who writes git's files by hand. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { TestRepository } from "../../../enforcement/execution/repository.ts";

export type Expected = readonly string[] | "refused";

/** A repository with a baseline of `docs/a`, `src/b` and rules. */
export interface Stage {
  readonly repository: TestRepository;
  readonly top: string;
  readonly baseline: string;
  readonly git: (...path: string[]) => string;
  /** A path outside of the repository. */
  readonly beside: (name: string) => string;
}
export interface Made {
  readonly expected: Expected;
  readonly committed?: number | null;
  /** Takes long, and is asked last. */
  readonly isSlow?: boolean;
  /** What the refusal says. */
  readonly says?: string;
  readonly folder?: string;
  readonly top?: string;
  readonly baseline?: string;
  /** The index that git tells a hook of. */
  readonly index?: string;
}

/** What is done on the stage, and what the specification says of it, by a name. */
export type Situations = Readonly<Record<string, (at: Stage) => Made>>;

export const mkfifo = (path: string): void => void execFileSync("mkfifo", [path]);

/** Stores an object under its name, whatever is in it. */
export function store(top: string, type: string, body: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const hash = createHash("sha1").update(whole).digest("hex");
  mkdirSync(join(top, ".git/objects", hash.slice(0, 2)), { recursive: true });
  writeFileSync(join(top, ".git/objects", hash.slice(0, 2), hash.slice(2)), deflateSync(whole));
  return hash;
}

export type Row = readonly [mode: string, name: string, hash: string];
export const rows = (...entries: readonly Row[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name, hash]) => [Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(hash, "hex")]),
  );

export const SIGNED = "t <t@e.org> 1770000000 +0000";
export const TIME = 1_770_000_000_000;

export function storeCommit(top: string, tree: string, committer = `committer ${SIGNED}\n`): string {
  return store(top, "commit", Buffer.from(`tree ${tree}\nauthor ${SIGNED}\n${committer}\nc\n`));
}

/** Checks out a commit of a tree that git would not write. */
export function headOf(at: Stage, body: Buffer): void {
  writeFileSync(at.git("refs/heads/main"), `${storeCommit(at.top, store(at.top, "tree", body))}\n`);
}

/** The baseline's own tree with one more entry, which stays in no index and on no disk. */
export function headWith(at: Stage, ...more: readonly Row[]): void {
  const tree = execFileSync("git", ["cat-file", "tree", "HEAD^{tree}"], { cwd: at.top });
  headOf(at, Buffer.concat([tree, rows(...more)]));
}

export const blobOf = (at: Stage): string => at.repository.git("rev-parse", "HEAD:docs/a");
