/** Gemini CLI: in a folder that a person does not trust, it asks no hook, the user's own neither. Its tools run all the same. */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { settingsOf } from "./json-hooks.ts";

/** Never throws. `settings`: the host's own. */
export function trustProblems(settings: string, projects: readonly string[]): string[] {
  const named = process.env["GEMINI_CLI_TRUSTED_FOLDERS_PATH"] ?? "";
  const file = named === "" ? join(dirname(settings), "trustedFolders.json") : named;
  if (!existsSync(file)) return [];
  try {
    const rules = Object.entries(settingsOf(readFileSync(file, "utf8")));
    return projects
      .filter((project) => ruleOf(rules, project) === "DO_NOT_TRUST")
      .map((project) => `\`${file}\`: \`${project}\` is not trusted, so that no hook is asked there`);
  } catch (error) {
    return [`\`${file}\`: ${(error as Error).message}`];
  }
}

/** As the host has it: of the rules for a folder around the project, the one whose path is written longest. */
function ruleOf(rules: readonly (readonly [path: string, trust: unknown])[], project: string): unknown {
  const around = rules.filter(([path, trust]) =>
    isAround(realOf(trust === "TRUST_PARENT" ? dirname(path) : path), project),
  );
  return around.sort(([a], [b]) => b.length - a.length)[0]?.[1];
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function isAround(folder: string, project: string): boolean {
  const way = relative(folder, project);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
