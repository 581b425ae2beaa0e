/** Settings of a machine's administrator, which count before the user's: with some of them the host asks no hook of the user. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentHost } from "./agent-host.ts";

/** `own`: the file with the hook, and `root` where the machine's files stand. Never throws. */
export function administratorProblems(host: AgentHost, own: string, root?: string): string[] {
  return administratorFiles(host, root).flatMap((file) =>
    problemsOf(host, file, file === own).map((problem) => `\`${file}\`: ${problem}`),
  );
}

/** Those that are there. */
export function administratorFiles({ managed }: AgentHost, root = "/"): string[] {
  return (managed?.files ?? [])
    .flatMap((name) => (name.endsWith("/") ? jsonFilesIn(join(root, name)) : join(root, name)))
    .filter(existsSync);
}

function problemsOf({ managed }: AgentHost, file: string, isOwn: boolean): readonly string[] {
  try {
    return managed?.read(readFileSync(file, "utf8"), file, isOwn) ?? [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function jsonFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.map((name) => join(folder, name));
}

/** Claude Code's, by its own words. */
export function claudeManaged(settings: Readonly<Record<string, unknown>>, isOwn: boolean): string[] {
  const only = settings["strictPluginOnlyCustomization"];
  const locks = only === true || (Array.isArray(only) && only.includes("hooks"));
  return [
    ...(settings["disableAllHooks"] === true ? ["`disableAllHooks` is on, so that no hook is asked"] : []),
    ...(settings["allowManagedHooksOnly"] === true && !isOwn
      ? ["`allowManagedHooksOnly` is on, so that no other hook is asked: this one belongs there"]
      : []),
    ...(locks && !isOwn ? ["`strictPluginOnlyCustomization` keeps hooks of the user off: this one belongs there"] : []),
  ];
}
