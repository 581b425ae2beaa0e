/** Gemini CLI: extensions of the user, whose hooks run beside this one and may change a call, and whose commands no hook is asked about. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { filesBelow, namesIn } from "./folders.ts";
import { settingsOf } from "./json-hooks.ts";
import { ownHookProblems } from "./project.ts";

export const UNASKED =
  "holds a command (`!{`, or an escape that gives it), and Gemini CLI asks no hook about it: take it out, or the file away";
/** It runs when an agent that is elsewhere is loaded. Whom a person has agreed to is known by the address alone. */
export const UNASKED_AUTH =
  "may hold a command (`!…` in `auth`), and Gemini CLI asks no hook about it: take it out, or the file away";

/** Never throws. `settings`: the host's own. `command`: what a text of a command must not hold. */
export function extensionProblems(settings: string, command: RegExp): string[] {
  const places = extensions(dirname(settings));
  const hooks = places
    .map((place) => join(place, "hooks/hooks.json"))
    .filter(existsSync)
    .flatMap((file) => hookProblems(file).map((problem) => `\`${file}\`: ${problem}`));
  const commands = places
    .flatMap((place) => filesBelow(join(place, "commands")))
    .filter((file) => file.endsWith(".toml") && command.test(readFileSync(file, "utf8")))
    .map((file) => `\`${file}\` ${UNASKED}`);
  return [...hooks, ...commands];
}

/** Where extensions lie; `folder`: of the user's settings. */
export function extensions(folder: string): string[] {
  const at = join(folder, "extensions");
  return namesIn(at).flatMap((name) => placesOf(join(at, name)));
}

function hookProblems(file: string): string[] {
  try {
    return ownHookProblems(readFileSync(file, "utf8"), ["BeforeTool"]);
  } catch (error) {
    return [(error as Error).message];
  }
}

/** An extension that is linked lies elsewhere. */
function placesOf(extension: string): string[] {
  try {
    const { type, source } = settingsOf(readFileSync(join(extension, ".gemini-extension-install.json"), "utf8"));
    return type === "link" && typeof source === "string" ? [extension, resolve(source)] : [extension];
  } catch {
    return [extension];
  }
}
