/** Gemini CLI: commands behind tools that the hook hears of by name alone, which a project could put in the place of the user's. */

import { isJsonObject } from "@portcullis/rego/value";
import { settingsOf } from "./json-hooks.ts";

/** The last one starts a server whose name is `mcp`. */
const COMMANDS = ["tools.discoveryCommand", "tools.callCommand", "mcp.serverCommand"] as const;

/** What is wrong with a project's settings. Settings that cannot be read have none. */
export function toolProblems(text: string): string[] {
  let settings: Readonly<Record<string, unknown>>;
  try {
    settings = settingsOf(text);
  } catch {
    return [];
  }
  return COMMANDS.filter((name) => {
    const [group = "", member = ""] = name.split(".");
    return isJsonObject(settings[group]) && settings[group][member] !== undefined;
  }).map(
    (name) => `\`${name}\` says what stands behind tools that are decided by name: move it into your own settings`,
  );
}
