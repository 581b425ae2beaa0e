/** A file that is a hook of ours and nothing else. */

import type { Configured, Hook } from "./agent-host.ts";
import type { HookCommand } from "./command.ts";

export const NOT_OURS = "it is not as `init --for` writes it";

/** The hook of a text that is exactly what is written for it. */
export function ours(
  command: HookCommand | undefined,
  { seconds, hearsEnds }: Pick<Hook, "seconds" | "hearsEnds">,
  write: (hook: Hook) => string,
  text: string,
): Configured {
  const hook = command && { command, seconds, hearsEnds };
  if (hook === undefined || write(hook) !== text) return { hooks: [], problems: [NOT_OURS] };
  return { hooks: [hook], problems: [] };
}
