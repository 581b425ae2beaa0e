/** Folders in which a host may be started, or from which it reads settings, and the files below a folder. Never throws. */

import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { AgentHost } from "./agent-host.ts";

/** Without the settings of a project that anybody works on. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * A project, the folders around it up to the root of its repository, and those below it that hold something the host reads. A
 * person may start the host in each of them, and some hosts read those around it as well.
 */
export function projectFolders(host: AgentHost, project: string): string[] {
  const names = namesRead(host);
  const below = foldersBelow(
    project,
    (name) => names.has(name.toLowerCase()) || name.toLowerCase().startsWith(".env"),
    PASSED_OVER,
  );
  const around = foldersAround(project);
  const roots = [project, ...around].findIndex((folder) => existsSync(join(folder, ".git")));
  const folders = [...around.slice(0, Math.max(roots, 0)), ...new Set([project, ...below])];
  const root = [project, ...around][roots];
  const main = root === undefined ? undefined : mainCheckout(root);
  const ofMain = main === undefined ? [] : folders.map((folder) => join(main, relative(root as string, folder)));
  // The home folder has the user's own settings.
  return [...folders, ...ofMain].filter((folder) => folder === project || folder !== homedir());
}

/** Where a linked work tree (`git worktree`) comes from: Claude Code and Codex read settings there, too. */
function mainCheckout(root: string): string | undefined {
  try {
    const [, folder = ""] = /^gitdir: (.*)$/m.exec(readFileSync(join(root, ".git"), "utf8")) ?? [];
    const common = readFileSync(resolve(root, folder, "commondir"), "utf8").trim();
    return dirname(resolve(root, folder, common));
  } catch {
    // A repository of its own, a submodule, or none.
    return undefined;
  }
}

/** The user's, which has the host's settings. */
export function folderOf({ folder: [variable, ofHome, ofVariable = ""] }: AgentHost): string {
  const named = process.env[variable] ?? "";
  return named === "" ? join(homedir(), ofHome) : join(named, ofVariable);
}

/** To the root of the file system. */
export function foldersAround(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...foldersAround(parent)];
}

function namesRead({ folder: [, ofHome], projectFiles, programs = [], servers }: AgentHost): ReadonlySet<string> {
  const paths = [ofHome, ...projectFiles, ...programs.map((program) => program.folder), ...servers.ofProject];
  return new Set(paths.map((path) => path.split("/")[0] ?? ""));
}

/** All that have a file or a folder of such a name, a project itself among them. */
export function foldersBelow(
  folder: string,
  isWanted: (name: string) => boolean,
  passedOver: ReadonlySet<string> = new Set(),
): string[] {
  const found = new Set<string>();
  for (const [at, { name }] of entriesBelow(folder, passedOver)) if (isWanted(name)) found.add(at);
  return [...found].sort();
}

/** Links to folders that do not lie in this one. */
export function linksOut(folder: string): string[] {
  const found: string[] = [];
  for (const [at, entry] of entriesBelow(folder)) {
    const path = join(at, entry.name);
    if (!entry.isSymbolicLink() || statOf(path)?.isDirectory() !== true) continue;
    if (!`${realpathSync(path)}${sep}`.startsWith(`${folder}${sep}`)) found.push(path);
  }
  return found.sort();
}

/** Links are not followed. */
function* entriesBelow(folder: string, passedOver: ReadonlySet<string> = new Set()): Generator<[at: string, Dirent]> {
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const entry of entriesOf(at)) {
      yield [at, entry];
      if (entry.isDirectory() && !passedOver.has(entry.name)) waiting.push(join(at, entry.name));
    }
}

/** A folder that cannot be read is one for the host, too. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name);
}

/** Also through links to folders, which hosts follow: each folder once. */
export function filesBelow(folder: string, read: Set<string> = new Set()): string[] {
  if (!statOf(folder)?.isDirectory()) return [];
  const real = realpathSync(folder);
  if (read.has(real)) return [];
  read.add(real);
  return namesIn(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (isFile(path) ? [path] : filesBelow(path, read)));
}

/** In any letters: there are file systems to which they are all one. */
export function endsIn(path: string, ending: string): boolean {
  return path.toLowerCase().endsWith(ending);
}

export function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

/** What cannot be reached, such as a link to itself, is not there for the host either. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
