/** Every lane with every tool that it holds, and who may enter it. */

import type { PolicyTables } from "../bundles.ts";

export interface Grant {
  readonly lane: string;
  readonly tool: string;
  readonly roles: readonly string[];
}

export function grantsOf(
  { lanes, tools }: PolicyTables,
  wanted: (tool: PolicyTables["tools"][string]) => boolean,
): Grant[] {
  return Object.entries(lanes).flatMap(([lane, entry]) => {
    const roles = Object.keys(entry.roles);
    return Object.keys(entry.tools).flatMap((tool) => {
      const found = tools[tool];
      return found !== undefined && wanted(found) ? [{ lane, tool, roles }] : [];
    });
  });
}
