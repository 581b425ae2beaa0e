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
const TOOL: readonly string[] = [...LANE, "tool", "scope", "args"];

/** The first of lane, tool and call whose requests may have all members that this one has. */
export function searchedKind(request: { readonly [member: string]: unknown }): SearchedKind {
  const members = Object.keys(request).filter((name) => request[name] !== undefined);
  const fit = (most: readonly string[]): boolean => members.every((name) => most.includes(name));
  return fit(LANE) ? "lane" : fit(TOOL) ? "tool" : "call";
}
