/** What an evaluation that fails answers, by entrypoint: the denial that says no more than that there is no decision. */

const denied = { allowed: false, gate: "INTERNAL_ERROR", reason: "no_decision" } as const;

export const faults: Readonly<Record<string, unknown>> = {
  "portcullis/lane/decision": denied,
  "portcullis/tool/decision": denied,
  "portcullis/call/decision": denied,
  "portcullis/lineage/decision": denied,
  "portcullis/handoff/decision": { ...denied, violations: [] },
  "portcullis/subagent/decision": { ...denied, allowlistedSubagents: [], delegatedSubagents: [] },
  // Replies and codes of the contract for what is malformed: blocked for input, and refused before it runs.
  "portcullis/close/decision": {
    ...denied,
    reply: "I",
    code: "CT-GATE-I-004",
    commit_blocked: true,
    undeclared: [],
  },
  "portcullis/exec/decision": { ...denied, reply: "D", code: "EN-EXEC-D-001" },
  "portcullis/mcp/call": denied,
  "portcullis/offer/mcp": denied,
  "portcullis/authzen/evaluation": { decision: false, context: { gate: "INTERNAL_ERROR", reason: "no_decision" } },
  "portcullis/envoy/authz": {
    ...denied,
    http_status: 403,
    headers: { "content-type": "application/json" },
    body: '{"gate":"INTERNAL_ERROR","reason":"no_decision"}',
    dynamic_metadata: { gate: "INTERNAL_ERROR", reason: "no_decision" },
  },
};
