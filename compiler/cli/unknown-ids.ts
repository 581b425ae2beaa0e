/** Ids of a command line that the policy does not have: every call would be denied. */

import type { ToolMap } from "@portcullis/enforcement/gateway";
import { type OpenedPolicy, policyNames } from "@portcullis/governance/review";
import { nearest } from "@portcullis/rego/diagnostics";
import type { CallerFlags } from "./caller-options.ts";

type Named = Partial<Pick<CallerFlags, "role" | "lane" | "lineage">>;

/** A sentence each, with the id that is likest. What is not named is not looked for. */
export function unknownIds(opened: OpenedPolicy, { role, lane, lineage }: Named, tools: ToolMap): string[] {
  const names = policyNames(opened);
  if (names === undefined) return [`\`${opened.name}\` holds no policy set`];
  const unknown = (what: string, id: string, known: ReadonlyMap<string, unknown>): string[] => {
    if (known.has(id)) return [];
    const near = nearest(id, known.keys());
    return [`the policy has no ${what} \`${id}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`];
  };
  return [
    ...(role === undefined ? [] : unknown("role", role, names.roles)),
    ...(lane === undefined ? [] : unknown("lane", lane, names.lanes)),
    ...[...tools.values()].flatMap(({ tool }) => unknown("tool", tool, names.tools)),
    ...(lineage === undefined || names.manifests.size === 0
      ? []
      : lineage.split(",").flatMap((type) => unknown("manifest of", type.trim(), names.manifests))),
  ];
}
