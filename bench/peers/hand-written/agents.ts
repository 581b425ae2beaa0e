import type { PolicyTables } from "../../bundles.ts";

/** How a name is read, and whether one as it is read is that of a role or an agent: then it is no person's. */
export interface AgentNames {
  readonly read: (name: string) => string;
  readonly has: (read: string) => boolean;
}

/** Look-alikes are one letter, in any case, and other characters than letters and digits do not count. */
export function agentNames({ roles, manifests, handoff, agents, names: given }: PolicyTables): AgentNames {
  const table = new Map(
    Object.entries(given?.folds ?? {}).flatMap(([letters, all]) => [...all].map((one) => [one, letters] as const)),
  );
  const others = new RegExp((given?.others ?? ".").replaceAll("\\x{", "\\u{"), "gu");
  const read = (name: string): string => {
    let letters = "";
    for (const character of name) letters += table.get(character) ?? character;
    return letters.replace(others, "");
  };
  const names = [roles, manifests, handoff?.agents ?? {}].flatMap((part) => Object.keys(part));
  const files = Object.keys(agents).flatMap((name) => [name, `AGENT_${name}`, `AGENT_${name}.md`]);
  const known = new Set([...names, ...files].map(read));
  return { read, has: (name) => known.has(name) };
}
