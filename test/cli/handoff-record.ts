/** A handoff that is accepted where a report lies at `path`. */
export const acceptedRecord = (path = "docs/report.md"): Record<string, unknown> => ({
  handoff_id: "H1",
  task_id: "T1",
  from_agent: "SUB",
  to_agent: "MASTER",
  input_scope: "docs",
  actions_taken: ["wrote the report"],
  artifacts: [{ path, kind: "report" }],
  result: "PASS",
  next_action: { owner: "MASTER", action: "read it", input: "docs/report.md" },
  rulebook_update: { applied: false },
});
