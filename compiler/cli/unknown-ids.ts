/**
 * Names of a command line that the policy does not have. With another role, lane or tool every call would be denied; with another flag
 * or key of the scope, what the policy prohibits would go through.
 */

import type { ToolMap } from "@portcullis/enforcement/gateway";
import { authoredWords, type OpenedPolicy, policyNames } from "@portcullis/governance/review";
import { nearest } from "@portcullis/rego/diagnostics";
import type { CallerFlags } from "./caller-options.ts";

type Named = Partial<Pick<CallerFlags, "role" | "lane" | "lineage" | "flag" | "scope">>;

/** A sentence each, with the id that is likest. What is not named is not looked for. */
export function unknownIds(
  opened: OpenedPolicy,
  { role, lane, lineage, flag = [], scope = [] }: Named,
  tools: ToolMap,
): string[] {
  const names = policyNames(opened);
  if (names === undefined) return [`\`${opened.name}\` holds no policy set`];
  const unknown = (what: string, id: string, known: Known, isOpen = false): string[] => {
    if (known.has(id)) return [];
    const near = nearest(id, known.keys());
    if (near === undefined && isOpen) return [];
    return [`the policy has no ${what} \`${id}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`];
  };
  const given = [...tools.values()];
  // Rules of the authors' own may ask for other names.
  const written = authoredWords(opened);
  const [flags, keys] = [new Set(written), new Set(written)];
  for (const of of [...names.lanes.values(), ...names.tools.values()]) {
    const raised = "prohibits" in of ? of.prohibits : of.prohibitedFlags;
    const required = "requires" in of ? of.requires : of.scopeKeys;
    for (const { name } of raised) flags.add(name);
    for (const { name } of [...raised, ...required]) keys.add(name);
  }
  return [
    ...(role === undefined ? [] : unknown("role", role, names.roles)),
    ...(lane === undefined ? [] : unknown("lane", lane, names.lanes)),
    ...given.flatMap(({ tool }) => unknown("tool", tool, names.tools)),
    ...(lineage === undefined || names.manifests.size === 0
      ? []
      : lineage.split(",").flatMap((type) => unknown("manifest of", type.trim(), names.manifests))),
    ...[...flag, ...given.flatMap((tool) => tool.flags)].flatMap((id) =>
      unknown("flag", id, flags, written === undefined),
    ),
    // A key that nothing asks for is no fault, unless another was meant.
    ...[...scope.map((pair) => pair.replace(/=.*/s, "")), ...given.flatMap((tool) => [...tool.scope.keys()])].flatMap(
      (key) => unknown("key of a scope", key, keys, true),
    ),
  ];
}

interface Known {
  has(id: string): boolean;
  keys(): Iterable<string>;
}
