/** The decisions of the library. Everything that lists or names them derives from this list. */
export const DECISION_KINDS = ["lane", "tool", "subagent", "lineage", "handoff", "exec", "close", "call"] as const;

/** The name of a decision of the library: the `<kind>` of `portcullis/<kind>/decision`. */
export type DecisionKind = (typeof DECISION_KINDS)[number];
