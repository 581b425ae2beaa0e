/** Reviews of a compiled policy: explanations of answers, differences between policies, proofs over the decision space. */

export { bundleData } from "./bundle-data.ts";
export { unloadedModules } from "./bundle-modules.ts";
export type { Answer, IdSpace, Space, SpaceName } from "./decision-space.ts";
export type { FoundChange } from "./diff/beyond.ts";
export type { ContentChange } from "./diff/contents.ts";
export { CHANGE_KINDS, type Change, type ChangeKind } from "./diff/decisions.ts";
export type { BothPlaces } from "./diff/places.ts";
export type { RuleChange } from "./diff/rule-words.ts";
export type { Unseen } from "./diff/unseen.ts";
export { type DiffOptions, diffPolicies, type PolicyDiff } from "./diff.ts";
export type { Path } from "./explain/edit.ts";
export type { Decider, Step, StepStatus, Told } from "./explain/explainer.ts";
export { isTable, type Place, type Places } from "./explain/places.ts";
export type { Read } from "./explain/reads.ts";
export type { Change as RemedyChange, Remedy } from "./explain/remedy-words.ts";
export {
  type ExplainInput,
  type ExplainProblem,
  type ExplainRequest,
  type Explanation,
  explain,
  prepareExplain,
  type Remedies,
} from "./explain.ts";
export { type ExploreCoverage, type ExploreFinding, exploreFacts } from "./explore/facts.ts";
export { explorePage, isExplorePage, type PageAssets } from "./explore/page.ts";
export type { RegoProblem } from "./host-data-policy.ts";
export {
  type GrantedTool,
  type Grants,
  type ListOptions,
  type ListProblem,
  listGrants,
  type ReachedTool,
} from "./list.ts";
export { type OpenedPolicy, openBundle, type PolicyLoader } from "./opened-policy.ts";
export { isOwnModule, NOT_OWN } from "./own-module.ts";
export { authoredWords, bundleFacts, policyNames } from "./policy-names.ts";
export { type Counterexample, isProved, type Property } from "./prove/property.ts";
export type { Solver } from "./prove/symbolic/solver.ts";
export { type Proof, type ProveOptions, type ProveProblem, prove, proveNoMore } from "./prove.ts";
export { verdictOf } from "./replay/asked.ts";
export { REPLAY_KINDS, type ReplayGroup, type ReplayKind, type ReplayTally, Tally } from "./replay/tally.ts";
export { type LogPart, replay } from "./replay.ts";
export { UsedGrants } from "./used-grants.ts";
export type { Watch } from "./watch.ts";
