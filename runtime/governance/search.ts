/** Searches: requests that leave one id out, and ask for which it would be allowed. */

import type { Id, PolicyIds, RequestOf } from "./policy-ids.ts";

/** What can be searched for. */
export type SearchedMember = "role" | "lane" | "tool";

/** The decisions that a search asks. */
export type SearchedKind = "lane" | "tool" | "call";

/** A request of a call, with any of its members left out; what stands at the member that is searched for is not read. */
export type SearchRequest<Ids extends PolicyIds> = Partial<RequestOf<Ids, "call">>;

/** Ids that a search finds. */
export type FoundId<Ids extends PolicyIds, Member extends SearchedMember> = Id<Ids, `${Member}s`>;

/** Members that requests of a decision may have. A call may have any. */
const LANE: readonly string[] = ["role", "lane"];
const IDS: readonly string[] = [...LANE, "tool"];
const TOOL: readonly string[] = [...IDS, "scope", "args"];

/**
 * The decision that a search asks: `kind`, or the first of lane, tool and call whose requests may have all members that this one
 * has. `undefined` for another, and for one that does not read what is searched for: it would allow any text.
 */
export function searchedKind(request: object, member: string, kind?: SearchedKind): SearchedKind | undefined {
  const members = Object.entries(request).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const fits = (most: readonly string[]): boolean => members.every((name) => most.includes(name));
  const asked = kind ?? (fits(LANE) ? "lane" : fits(TOOL) ? "tool" : "call");
  if (asked === "lane") return LANE.includes(member) ? asked : undefined;
  return ["tool", "call"].includes(asked) && IDS.includes(member) ? asked : undefined;
}
