/** `mcp` of portcullis.yaml → `data.portcullis.policy.offers`, which `offer.rego` of the library reads. */

import type { Offered, Offers } from "../model/index.ts";
import { type Names, type Table, table } from "./tables.ts";

interface Listed {
  readonly names: Names;
  /** What stands before `*`. */
  readonly prefixes: readonly string[];
}

type OfferedData = { readonly open: true } | { readonly open: false; readonly lanes: Table<Listed> };

/** What is not listed is absent. */
export interface OfferData {
  readonly resources?: OfferedData | undefined;
  readonly prompts?: OfferedData | undefined;
}

export function offerData({ resources, prompts }: Offers): OfferData {
  return { resources: resources && offeredData(resources), prompts: prompts && offeredData(prompts) };
}

/** Several rows of one lane add up. */
function offeredData(offered: Offered): OfferedData {
  if (offered.kind === "All") return { open: true };
  const lanes = new Map<string, string[]>();
  for (const { lane, names } of offered.rows)
    lanes.set(lane.name, [...(lanes.get(lane.name) ?? []), ...names.map(({ name }) => name)]);
  return {
    open: false,
    lanes: table(lanes, (all) => ({
      names: table(new Map(all.filter((name) => !name.endsWith("*")).map((name) => [name, true as const])), () => true),
      prefixes: [...new Set(all.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)))].sort(),
    })),
  };
}
