/** What a fault says of a limit: which one, how far the evaluation got, and what gives more. */

import type { Limits } from "./instance.ts";

/** What an evaluation took before it failed. */
export interface Taken {
  readonly steps: number;
  /** Bytes. */
  readonly memory: number;
}

/** The message of a fault by a limit, from the module's own. */
export function limitText(code: "budget" | "memory", message: string, limits: Limits, taken: Taken): string {
  const [steps, memory] = (["steps", "memory"] as const).map(
    (name) => `${taken[name].toLocaleString("en")} of ${limits[name].toLocaleString("en")}`,
  );
  const name = code === "budget" ? "steps" : "memory";
  return `${message}: ${steps} steps, ${memory} bytes; raise \`limits.${name}\` (\`--limits ${name}=…\`), or let rules do less`;
}
