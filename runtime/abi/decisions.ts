/** The decisions of the library. Everything that lists or names them derives from this list. */
export const DECISION_KINDS = ["lane", "tool", "subagent", "lineage", "handoff", "exec", "close", "call"] as const;

export type DecisionKind = (typeof DECISION_KINDS)[number];
