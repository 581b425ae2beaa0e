/** Writes a random repository to a disk with few programs: one import for its commits, one for its index. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Files, Item } from "./model.ts";
import type { RandomRepository } from "./random-repository.ts";

/** Writes it below `top`, which is made anew; gives the baseline's name. */
export function writeRepository(top: string, repository: RandomRepository): string {
  rmSync(top, { recursive: true, force: true });
  const gitDir = join(top, ".git");
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "info"])
    mkdirSync(join(gitDir, folder), { recursive: true });
  const version = repository.sha256 ? "1\n[extensions]\n\tobjectformat = sha256" : "0";
  writeFileSync(join(gitDir, "config"), `[core]\n\trepositoryformatversion = ${version}\n`);
  writeFileSync(join(gitDir, "HEAD"), "ref: refs/heads/main\n");
  const git = gitIn(top);
  const limit = repository.packed ? "fastimport.unpackLimit=1" : "fastimport.unpackLimit=10000";
  git(["-c", limit, "fast-import", "--quiet", "--force"], history(repository));
  const refOf = (name: string): string => readFileSync(join(gitDir, "refs/heads", name), "utf8").trim();
  const [baseline, head] = [refOf("base"), refOf("main")];
  writeIndex(top, git, repository);
  if (repository.detached) writeFileSync(join(gitDir, "HEAD"), `${head}\n`);
  if (repository.packedRefs) {
    rmSync(join(gitDir, "refs/heads/main"));
    writeFileSync(
      join(gitDir, "packed-refs"),
      `# pack-refs with: peeled fully-peeled sorted\n${head} refs/heads/main\n`,
    );
  }
  for (const [path, text] of repository.gitFiles) {
    if (path === "config.more") appendFileSync(join(gitDir, "config"), text);
    else writeFileSync(join(gitDir, path), text);
  }
  for (const [path, item] of repository.disk) lay(top, path, item);
  return baseline;
}

type RunGit = (args: readonly string[], input: Buffer) => void;

function gitIn(top: string): RunGit {
  const outer = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const env = { ...outer, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull };
  return (args, input) => void execFileSync("git", args, { cwd: top, env, input, stdio: ["pipe", "ignore", "pipe"] });
}

function history({ baseline, head, sha256 }: RandomRepository): Buffer {
  const commits = [commit("base", baseline, sha256), commit("main", head, sha256)];
  return Buffer.from(`${commits.join("")}done\n`, "latin1");
}

function commit(branch: string, files: Files, sha256: boolean): string {
  const from = branch === "main" ? "from refs/heads/base\n" : "";
  const lines = [...files].map(([path, item]) => {
    const mode = modeOf(item);
    const name = quoted(path);
    if (item.kind === "submodule") return `M ${mode} ${submoduleName(item, sha256)} ${name}\n`;
    return `M ${mode} inline ${name}\ndata ${item.content.length}\n${item.content}\n`;
  });
  return `commit refs/heads/${branch}\ncommitter t <t@example.org> 1770000000 +0000\ndata 1\nc\n${from}deleteall\n${lines.join("")}\n`;
}

/** As C writes strings, each odd byte by its number. */
function quoted(path: string): string {
  const inner = path.replace(/[^\w./-]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return `"${inner}"`;
}

function modeOf({ kind, executable }: Item): string {
  if (kind === "link") return "120000";
  if (kind === "submodule") return "160000";
  return executable ? "100755" : "100644";
}

/** Any commit: no repository has it. */
function submoduleName({ content }: Item, sha256: boolean): string {
  return createHash(sha256 ? "sha256" : "sha1")
    .update(content)
    .digest("hex");
}

function writeIndex(top: string, git: RunGit, { index, sha256, flags }: RandomRepository): void {
  for (const item of index.values()) if (item.kind !== "submodule") writeBlob(join(top, ".git/objects"), item, sha256);
  const rows = [...index].map(([path, item]) => `${modeOf(item)} ${objectName(item, sha256)} 0\t${path}\0`);
  git(["update-index", "-z", "--index-info"], Buffer.from(rows.join(""), "latin1"));
  for (const flag of new Set(flags.map((one) => one.flag))) {
    const paths = flags.filter((one) => one.flag === flag).map((one) => `${one.path}\0`);
    git(["update-index", flag, "-z", "--stdin"], Buffer.from(paths.join(""), "latin1"));
  }
}

/** As a file of its own, unless there is one. */
function writeBlob(store: string, item: Item, sha256: boolean): void {
  const name = objectName(item, sha256);
  const file = join(store, name.slice(0, 2), name.slice(2));
  if (existsSync(file)) return;
  const body = Buffer.from(item.content, "latin1");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`blob ${body.length}\0`), body])));
}

function objectName(item: Item, sha256: boolean): string {
  if (item.kind === "submodule") return submoduleName(item, sha256);
  const body = Buffer.from(item.content, "latin1");
  return createHash(sha256 ? "sha256" : "sha1")
    .update(`blob ${body.length}\0`)
    .update(body)
    .digest("hex");
}

function lay(top: string, path: string, item: Item): void {
  const place = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);
  mkdirSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from(dirname(path), "latin1")]), { recursive: true });
  const content = Buffer.from(item.content, "latin1");
  switch (item.kind) {
    case "file":
      writeFileSync(place, content);
      if (item.executable) chmodSync(place, 0o755);
      return;
    case "link":
      return symlinkSync(content, place);
    case "submodule":
      return void mkdirSync(place);
    case "other":
      // The only odd thing that anybody may make.
      return void execFileSync("sh", ["-c", 'mkfifo "$(printf "%b" "$1")"', "sh", octal(place)]);
  }
}

function octal(place: Buffer): string {
  return [...place].map((one) => `\\0${one.toString(8).padStart(3, "0")}`).join("");
}
