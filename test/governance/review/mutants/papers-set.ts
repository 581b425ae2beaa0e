/** What is handed over, and which scripts run: the contracts of handoff.yaml and exec.yaml, with gates of the house. */

import { by, type Documents, each, gone, less, more, type Place, swap, to } from "./edits.ts";
import type { Request, World } from "./requests.ts";

const DOCUMENTS: Documents = {
  "roles.yaml": { roles: [{ role_id: "CLERK" }] },
  "tool_registry.yaml": { tools: [{ tool_name: "read", enabled: true, implementation_status: "implemented" }] },
  "lanes.yaml": { lanes: [{ lane_id: "DESK", allowed_callers: { roles: ["CLERK"] } }] },
  "agents/AGENT_LEAD.md": "---\nsubagents: [WORK, HELP]\n---\n\nAGENT_TYPE: 1\n",
  "agents/AGENT_WORK.md": "AGENT_TYPE: 2\n",
  "agents/AGENT_HELP.md": "AGENT_TYPE: 2\n",
  "handoff.yaml": {
    required_fields: ["story"],
    forbidden_mutations: ["style"],
    placeholders: ["soon"],
    agents: { master: ["LEAD"], sub: ["WORK"] },
    forbidden_paths: ["rules"],
  },
  "exec.yaml": {
    modes: ["press", "repair"],
    inline_modes: ["repair"],
    staging_root: "/srv/queue",
    script_extensions: [".py"],
    hat_lifetime_seconds: 3600,
  },
  "house/handoff.rego": `package portcullis.ext.handoff

deny contains {"gate": "LATE", "reason": "late"} if input.record.late == true

must contains "SIGNED" if input.record.signed_by in data.house.signers
`,
  "house/exec.rego": `package portcullis.ext.exec

deny contains {"gate": "MODE_OFF", "reason": "off"} if {
	input.mode == "press"
	input.kind == "inline"
	input.session.valid == false
}
`,
  "house/data.yaml": { signers: ["ann"] },
};

const place = (kind: string, file: string, path: string, edit: Place["edit"]): Place => ({ kind, file, path, edit });

const PLACES: readonly Place[] = [
  place("handoff", "handoff.yaml", "required_fields", each(more("page"), less, gone)),
  place("handoff", "handoff.yaml", "forbidden_mutations", each(more("page"), less, gone)),
  place("handoff", "handoff.yaml", "placeholders", each(more("later"), less, gone)),
  place("handoff", "handoff.yaml", "agents/master", more("HELP")),
  place("handoff", "handoff.yaml", "agents/sub", each(more("HELP"), to(["HELP"]))),
  place("handoff", "handoff.yaml", "agents", to({ master: ["WORK"], sub: ["LEAD"] })),
  place("handoff", "handoff.yaml", "forbidden_paths", each(more("pages"), to(["rules/deep"]), less, gone)),
  place("handoff", "handoff.yaml", "", gone),
  place("exec", "exec.yaml", "modes", more("night")),
  place("exec", "exec.yaml", "inline_modes", each(more("press"), less)),
  place("exec", "exec.yaml", "staging_root", to("/srv", "/srv/queue/deep", "/tmp")),
  place("exec", "exec.yaml", "script_extensions", each(more(".sh"), to([".sh"]))),
  place("exec", "exec.yaml", "hat_lifetime_seconds", each(by(1, -1), gone)),
  place("exec", "exec.yaml", "", gone),
  place("rego", "house/handoff.rego", "", swap("late == true", 'late == "yes"')),
  place("rego", "house/handoff.rego", "", swap("late == true", "late")),
  place(
    "rego",
    "house/handoff.rego",
    "",
    swap("input.record.signed_by in data.house.signers", "input.record.signed_by"),
  ),
  place("rego", "house/handoff.rego", "", swap("data.house.signers", '["bob"]')),
  place("rego", "house/handoff.rego", "", gone),
  place("rego", "house/exec.rego", "", swap('"press"', '"repair"')),
  place("rego", "house/exec.rego", "", swap("\tinput.session.valid == false\n", "")),
  place("rego", "house/exec.rego", "", swap("\tinput.session.valid == false\n", "\tnot input.session.valid\n")),
  place("rego", "house/exec.rego", "", swap("\n\ndeny", '\n\nmust contains "CALM" if input.mode != "repair"\n\ndeny')),
  place("rego", "house/exec.rego", "", gone),
  place("data", "house/data.yaml", "signers", each(more("bob"), to(["bob"]), less)),
];

const RECORD = {
  ...{ handoff_id: "h-1", task_id: "t-1", from_agent: "WORK", to_agent: "LEAD", input_scope: "the task" },
  ...{ actions_taken: ["did it"], artifacts: [{ path: "report.md", kind: "report", status: "PASS" }], result: "PASS" },
  next_action: { owner: "LEAD", action: "review it", input: "report.md" },
  rulebook_update: { applied: true, evidence_run_id: "run-1" },
  ...{ story: "s-1", signed_by: "ann" },
};
const FOUND = { exists: true, file: true, contained: true };
const ARTIFACTS = { "report.md": FOUND, "rules/a.md": FOUND, "pages/a.md": FOUND, "rules/deep/a.md": FOUND };

function* handoffs(): Generator<Request> {
  const { story: _, ...bare } = RECORD;
  const agents = ["LEAD", "WORK", "HELP", "stranger"];
  const files = ["rules/a.md", "pages/a.md", "rules/deep/a.md"];
  const records: object[] = [
    ...[RECORD, bare, { ...RECORD, page: 1 }],
    ...agents.flatMap((from_agent) => agents.map((to_agent) => ({ ...RECORD, from_agent, to_agent }))),
    ...["style", "page", "rules/x", "pages/x", "rules/deep/x"].map((one) => ({
      ...RECORD,
      attempted_mutations: [one],
    })),
    ...["soon", "later"].map((word) => ({ ...RECORD, next_action: { ...RECORD.next_action, action: `${word} it` } })),
    ...files.map((path) => ({ ...RECORD, artifacts: [{ path, kind: "report", status: "PASS" }] })),
    ...["ann", "bob", "", null].flatMap((signed_by) =>
      [undefined, true, false, "yes"].map((late) => ({ ...RECORD, signed_by, late })),
    ),
    ...["FAIL", "BLOCKED"].map((result) => ({ ...RECORD, result, rulebook_update: { applied: false } })),
  ];
  for (const record of records) yield ["handoff", { record, artifacts: ARTIFACTS }];
}

function* scripts(): Generator<Request> {
  for (const mode of ["press", "repair", "night", "stranger"]) {
    for (const valid of [undefined, true, false]) yield ["exec", { mode, kind: "inline", session: { valid } }];
    for (const path of ["/srv/queue", "/srv", "/srv/queue/deep", "/tmp"])
      for (const extension of [".py", ".sh", ".js"])
        for (const age of [0, 3599, 3600, 3601, 1_000_000]) {
          const contract = { contract_id: "c-1", mode, declared_targets: ["a"], declared_operations: ["WRITE"] };
          yield [
            "exec",
            {
              ...{ mode, kind: "script", session: { valid: true } },
              script: { path: `${path}/c-1/run${extension}`, sha256: "ab" },
              contract: { ...contract, status: "open", signature_valid: true, expired: false },
              hat: {
                ...{ ...contract, script_sha256: "ab", timestamp: "2026-01-01T00:00:00Z" },
                ...{ signature_valid: true, age_seconds: age },
              },
            },
          ];
        }
  }
}

export const PAPERS: World = {
  pairs: true,
  documents: DOCUMENTS,
  places: PLACES,
  roles: ["CLERK"],
  lanes: ["DESK"],
  tools: [],
  call: {},
  others: {},
  byTool: {},
  types: [],
  chains: 0,
  personas: ["LEAD", "WORK", "HELP"],
  more: [...handoffs(), ...scripts()],
};
