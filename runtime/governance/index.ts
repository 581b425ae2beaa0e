/** Decisions, as types and as what the library answers. Guards and audits are exported by the package. */

export { FAULTS } from "./answers.ts";
export { DECISION_KINDS, type Decision, type DecisionKind, type DecisionKinds, entrypointOf } from "./decision.ts";
export type {
  DecisionOf,
  EntrypointInput,
  EntrypointPath,
  EntrypointValue,
  KnownAs,
  known,
  PolicyIds,
  RequestOf,
} from "./policy-ids.ts";
export {
  type FoundId,
  type SearchedKind,
  type SearchedMember,
  type SearchRequest,
  searchedKind,
} from "./search.ts";
