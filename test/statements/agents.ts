/** What counts as an agent of the policy where a person should stand. */
import { APART, FOLDS, OTHERS, SECOND } from "../../compiler/governance/lower/folds.ts";
import type { PolicyData } from "./policy.ts";

/** Unicode's data, and nothing else: what each character stands for. */
const table = new Map(
  Object.entries(JSON.parse(FOLDS) as Record<string, string>).flatMap(([letters, characters]) =>
    [...characters].map((character) => [character, letters] as const),
  ),
);
const others = new RegExp(OTHERS.replaceAll("\\x{", "\\u{"), "gu");
const apart = new RegExp(APART.replaceAll("\\x{", "\\u{"), "u");

/** As people read a name: look-alikes are one letter, in any case, and a character other than a letter or digit is not seen. */
export function asRead(name: string): string {
  const letters = [...name].map((c) => table.get(c) ?? c);
  return letters.join("").replace(others, "");
}

/** As it is spelled, and as it looks: `ß` is `ss`, and looks like `B`. */
const readings = (name: string): readonly [string, string] => [
  asRead(name),
  asRead([...name].map((c) => SECOND[c] ?? c).join("")),
];

const read = new Map<string, readonly [string, string]>();

function remembered(name: string): readonly [string, string] {
  const known = read.get(name) ?? readings(name);
  read.set(name, known);
  return known;
}

/** People are what the policy does not know, by a name that can be read in one way. */
export function isPersonName(policy: PolicyData, name: string): boolean {
  return !apart.test(name) && asRead(name) !== "" && !isAgentName(policy, name);
}

/** A role, an agent file, an agent type, an agent of handoffs: by its name, with or without `AGENT_` and `.md`. */
function isAgentName(policy: PolicyData, name: string): boolean {
  const tables = [policy.roles, policy.manifests, policy.handoff.agents ?? {}, policy.agents];
  const names = tables
    .flatMap((table) => Object.keys(table))
    .flatMap((name) => [name, `AGENT_${name}`, `AGENT_${name}.md`]);
  const asked = remembered(name);
  return names.some((known) => remembered(known).some((one) => asked.includes(one)));
}
