import type { PolicyTables } from "../../bundles.ts";

export interface AgentNames {
  /** How a name is read: empty where it has no letter or digit. */
  readonly read: (name: string) => string;
  /** Whether a name is a person's: it reads like no role or agent, and in one way. */
  readonly isPerson: (name: string) => boolean;
}

/** Look-alikes are one letter, in any case, and other characters than letters and digits do not count. */
export function agentNames({ roles, manifests, handoff, agents, names: given }: PolicyTables): AgentNames {
  const table = new Map(
    Object.entries(given?.folds ?? {}).flatMap(([letters, all]) => [...all].map((one) => [one, letters] as const)),
  );
  const [others, apart] = [given?.others, given?.apart].map(
    (pattern) => new RegExp((pattern ?? ".").replaceAll("\\x{", "\\u{"), "gu"),
  ) as [RegExp, RegExp];
  const looks = (name: string): string => [...name].map((character) => given?.second[character] ?? character).join("");
  const read = (name: string): string => {
    let letters = "";
    for (const character of name) letters += table.get(character) ?? character;
    return letters.replace(others, "");
  };
  const tables = [roles, manifests, handoff?.agents ?? {}, agents];
  const names = tables
    .flatMap((table) => Object.keys(table))
    .flatMap((name) => [name, `AGENT_${name}`, `AGENT_${name}.md`]);
  const known = new Set(names.flatMap((name) => [read(name), read(looks(name))]));
  const isPerson = (name: string): boolean => {
    const letters = read(name);
    return letters !== "" && name.search(apart) < 0 && !known.has(letters) && !known.has(read(looks(name)));
  };
  return { read, isPerson };
}
