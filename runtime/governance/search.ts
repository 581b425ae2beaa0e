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

/** Ids that a lane decision reads, those of a tool and a call, and what requests of a tool may have. A call may have any member. */
const LANE = ["role", "lane"];
const IDS = [...LANE, "tool"];
const TOOL = [...IDS, "scope", "args"];

/**
 * The decision that a search asks: `kind`, or the first of lane, tool and call whose requests may have all members that this one
 * has. `undefined` for another, and for one that does not read what is searched for: it would allow any text.
 */
export function searchedKind(request: object, member: string, kind?: SearchedKind): SearchedKind | undefined {
  const hasOther = (known: readonly string[]): boolean =>
    Object.entries(request).some(([name, value]) => value !== undefined && !known.includes(name));
  const asked = kind ?? (hasOther(TOOL) ? "call" : hasOther(LANE) ? "tool" : "lane");
  const read = { lane: LANE, tool: IDS, call: IDS }[asked];
  return read?.includes(member) ? asked : undefined;
}
