/** What a project has a host start without a call of a tool. No hook is asked about it, so a person is told. */

import { join } from "node:path";
import { isJsonObject } from "@portcullis/rego/value";
import type { AgentHost } from "./agent-host.ts";
import { filesBelow, isFile } from "./folders.ts";
import { settingsIn } from "./servers.ts";

/** Never throws. `folders`: of projects. */
export function startNotes({ title, starts = [] }: AgentHost, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    starts.flatMap(({ path, members }) =>
      filesAt(join(folder, path)).flatMap((file) => {
        const named = members?.filter((name) => namesProgram(settingsOf(file)[name])).map((name) => `\`${name}\``);
        if (named?.length === 0) return [];
        const what = named === undefined ? "it" : `what ${named.join(", ")} names`;
        return [`\`${file}\`: ${title} runs ${what} without a call of a tool, and asks no hook about it`];
      }),
    ),
  );
}

function filesAt(path: string): string[] {
  return path.endsWith("/") ? filesBelow(path) : [path].filter(isFile);
}

/** `true`, which stands for programs that the host knows, or a text, an object or a list with something in it. */
function namesProgram(value: unknown): boolean {
  return value === true || Object.keys(Object(value) as object).length > 0;
}

/** Nothing for a file that cannot be read: where that matters, it is refused. */
function settingsOf(file: string): Readonly<Record<string, unknown>> {
  try {
    const settings = settingsIn(file);
    return isJsonObject(settings) ? settings : {};
  } catch {
    return {};
  }
}
