import type { PolicyTables } from "../../bundles.ts";

/** Whether a name is that of a role or an agent, in any case and with `-` for `_`: then it is no person's. */
export function agentNames({ roles, manifests, handoff, agents }: PolicyTables): (name: string) => boolean {
  const names = [roles, manifests, handoff?.agents ?? {}].flatMap((table) => Object.keys(table));
  const files = Object.keys(agents).flatMap((name) => [name, `AGENT_${name}`, `AGENT_${name}.md`]);
  const folded = new Set([...names, ...files].map(fold));
  return (name) => folded.has(fold(name));
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}
