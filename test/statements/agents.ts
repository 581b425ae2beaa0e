/** What counts as an agent of the policy where a person should stand. */
import type { PolicyData } from "./policy.ts";

/** Case does not count, nor which of `-` and `_` is written. */
const same = (one: string, other: string): boolean => plain(one) === plain(other);

function plain(name: string): string {
  return [...name].map((letter) => (letter === "-" ? "_" : letter.toLowerCase())).join("");
}

/** A role, an agent file by its name with or without `AGENT_` and `.md`, an agent type, an agent of handoffs. */
export function isAgentName(policy: PolicyData, name: string): boolean {
  const files = Object.keys(policy.agents).flatMap((file) => [file, `AGENT_${file}`, `AGENT_${file}.md`]);
  const others = [policy.roles, policy.manifests, policy.handoff.agents ?? {}].flatMap((table) => Object.keys(table));
  return [...files, ...others].some((known) => same(known, name));
}
