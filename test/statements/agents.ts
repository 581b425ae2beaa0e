/** What counts as an agent of the policy where a person should stand. */
import { FOLDS, OTHERS } from "../../compiler/governance/lower/folds.ts";
import type { PolicyData } from "./policy.ts";

/** Unicode's data, and nothing else: letters, and the characters that stand for them. */
const table = Object.entries(JSON.parse(FOLDS) as Record<string, string>);
const others = new RegExp(OTHERS.replaceAll("\\x{", "\\u{"), "gu");

/** As people read a name: look-alikes are one letter, in any case, and what is no letter or digit is not seen. */
export function asRead(name: string): string {
  const letters = [...name].map((c) => table.find(([, characters]) => [...characters].includes(c))?.[0] ?? c);
  return letters.join("").replace(others, "");
}

const read = new Map<string, string>();

function remembered(name: string): string {
  const known = read.get(name) ?? asRead(name);
  read.set(name, known);
  return known;
}

/** A role, an agent file by its name with or without `AGENT_` and `.md`, an agent type, an agent of handoffs. */
export function isAgentName(policy: PolicyData, name: string): boolean {
  const files = Object.keys(policy.agents).flatMap((file) => [file, `AGENT_${file}`, `AGENT_${file}.md`]);
  const names = [policy.roles, policy.manifests, policy.handoff.agents ?? {}].flatMap((part) => Object.keys(part));
  return [...files, ...names].some((known) => remembered(known) === remembered(name));
}
