/** What only a host can find out about a call: where its files lie, who approved it, what came before it, what time it is. */

export {
  APPROVAL_TYPE,
  type ApprovalNonce,
  approvalBytes,
  type FoundApproval,
  findApproval,
  type SignatureFacts,
} from "./approval-facts.ts";
export { callDigest, NotCanonical } from "./call-digest.ts";
export {
  type ApprovalSource,
  type CallFacts,
  callFacts,
  type FactHost,
  type FactPolicy,
} from "./call-facts.ts";
export { historyKey } from "./limit-uses.ts";
export { LONGEST_NAME, lookAlike, lookAlikeAmong } from "./look-alikes.ts";
export type { PathArguments, PathFacts, PathResolver, ResolvedPath } from "./path-facts.ts";
