/** Folders in which a host may be started, or from which it reads settings, and the files below a folder. Never throws. */

import { existsSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentHost } from "./agent-host.ts";

/** Without the settings of a project that anybody works on. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * A project, the folders around it up to the root of its repository, and those below it that hold something the host reads. A
 * person may start the host in each of them, and some hosts read those around it as well.
 */
export function projectFolders(host: AgentHost, project: string): string[] {
  const names = namesRead(host);
  const below = foldersBelow(project, (name) => names.has(name) || name.startsWith(".env"), PASSED_OVER);
  return [...around(project), ...new Set([project, ...below])];
}

/** The folders around one, to the root of the repository. The home folder has the user's own settings. */
function around(project: string): string[] {
  const folders = foldersAround(project);
  const root = [project, ...folders].findIndex((folder) => existsSync(join(folder, ".git")));
  return folders.slice(0, Math.max(root, 0)).filter((folder) => folder !== homedir());
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
  const found: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = entriesOf(at);
    if (entries.some(({ name }) => isWanted(name))) found.push(at);
    for (const entry of entries)
      if (entry.isDirectory() && !passedOver.has(entry.name)) waiting.push(join(at, entry.name));
  }
  return found.sort();
}

/** A folder that cannot be read is one for the host, too. */
function entriesOf(folder: string): { readonly name: string; isDirectory(): boolean }[] {
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
