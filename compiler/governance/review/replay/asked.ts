/** What a logged decision was about, and what it said. */

import type { ReplayGroup } from "./tally.ts";

/** Whether an answer allows; `undefined` for one without a verdict. */
export function verdictOf(answer: unknown): boolean | undefined {
  if (typeof answer === "boolean") return answer;
  if (typeof answer !== "object" || answer === null) return undefined;
  const { allowed, decision } = answer as { readonly allowed?: unknown; readonly decision?: unknown };
  const verdict = allowed ?? decision;
  return typeof verdict === "boolean" ? verdict : undefined;
}

/** Who asked for what: of the request itself, or of the identity that a gateway adds to it. */
export function askedBy(input: string): Pick<ReplayGroup, "role" | "lane" | "tool" | "agent"> {
  const request = JSON.parse(input) as { readonly [name: string]: unknown } | null;
  const asked: { [name in "role" | "lane" | "tool" | "agent"]?: string } = {};
  for (const members of [request, request?.["identity"]]) {
    if (typeof members !== "object" || members === null) continue;
    const { role, lane, tool, lineage, persona } = members as { readonly [name: string]: unknown };
    const last = Array.isArray(lineage) ? (lineage.at(-1) as { readonly agent_type?: unknown } | null) : undefined;
    for (const [name, value] of Object.entries({ role, lane, tool, agent: last?.agent_type ?? persona }))
      if (typeof value === "string") asked[name as keyof typeof asked] ??= value;
  }
  return asked;
}
