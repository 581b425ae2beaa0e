/**
 * Gemini CLI: commands behind tools that the hook hears of by name alone, which a project could put in the place of the user's; and a
 * file that it writes itself, wherever that is: what the project says to the model is in it.
 */

import { isJsonObject } from "@portcullis/rego/value";
import { settingsOf } from "./json-hooks.ts";

/** The last one starts a server whose name is `mcp`. */
const COMMANDS = ["tools.discoveryCommand", "tools.callCommand", "mcp.serverCommand"] as const;
const LOG = "telemetry.outfile";

/** What is wrong with a project's settings. Settings that cannot be read have none. */
export function toolProblems(text: string): string[] {
  let settings: Readonly<Record<string, unknown>>;
  try {
    settings = settingsOf(text);
  } catch {
    return [];
  }
  const isThere = (name: string): boolean => {
    const [group = "", member = ""] = name.split(".");
    return isJsonObject(settings[group]) && settings[group][member] !== undefined;
  };
  return [
    ...COMMANDS.filter(isThere).map(
      (name) => `\`${name}\` says what stands behind tools that are decided by name: move it into your own settings`,
    ),
    ...[LOG]
      .filter(isThere)
      .map(
        (name) =>
          `\`${name}\` names a file, anywhere, that is written without a call of a tool: move it into your own settings`,
      ),
  ];
}
