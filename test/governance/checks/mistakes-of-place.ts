/** Mistakes in names and places of files, and parts that are not read: what follows from one is not told again. */

import { CHARTER, type Mistake, ROLES, roles, swap, WARD_DESK } from "./hospital.ts";

/** Tests that name roles and lanes of the set. */
const MATRIX = `decision: lane
matrices:
  - name: who works where
    axes: { role: { every: roles }, lane: { every: lanes } }
    allow:
      - { role: [PHYSICIAN, NURSE], lane: WARD }
      - { role: PHYSICIAN, lane: PHARMACY }
`;
const named = (files: Mistake["files"]): Mistake["files"] => ({ "tests/lane.yaml": MATRIX, ...files });

export const MISTAKES_OF_PLACE: readonly Mistake[] = [
  {
    name: "a key twice, in a file whose names tests use",
    files: named(roles("class: human", "class: human\n    class: agent")),
    found: "sources/duplicate-key roles.yaml:4:5 class",
  },
  {
    name: "several documents, in a file whose names tests use",
    files: named({ "roles.yaml": `${ROLES}---\nroles: []\n` }),
    found: "sources/several-documents roles.yaml:8:1 ---",
  },
  {
    name: "a list that is a mapping, in a file whose names tests use",
    files: named({ "lanes.yaml": "lanes:\n  WARD: {}\n" }),
    found: "sources/wrong-type lanes.yaml:2:3 WARD",
  },
  {
    name: "a file with a second extension, which its window does not show",
    files: named({ "roles.yaml": null, "roles.yaml.txt": ROLES }),
    found: "sources/misnamed-file roles.yaml.txt:1:1",
    help: "did you mean `roles.yaml`?",
  },
  {
    name: "no roles at all, of which tests speak",
    files: named({ "roles.yaml": null }),
    found: "model/absent-part",
  },
  {
    name: "lanes without one",
    files: named({ "lanes.yaml": "lanes:\n" }),
    found: "model/empty-part",
  },
  {
    name: "tools without one",
    files: { "tool_registry.yaml": "tools: []\n", "dose.rego": null },
    found: "model/empty-part",
  },
  {
    name: "an id in quotes of a word processor",
    files: named(roles("role_id: NURSE", "role_id: \u201cNURSE\u201d")),
    found: "model/confusable-id roles.yaml:5:14 \u201cNURSE\u201d",
  },
  {
    name: "an id with a blank at its end, which rules and tests name without it",
    files: named(roles("role_id: PHYSICIAN", 'role_id: "PHYSICIAN "')),
    found: 'model/invalid-id roles.yaml:2:14 "PHYSICIAN "',
  },
  {
    name: "decision tests in a folder `test`",
    files: { "tests/lane.yaml": null, "test/lane.yaml": MATRIX },
    found: "sources/misnamed-file test/lane.yaml:1:1",
    help: "did you mean `tests/lane.yaml`?",
  },
  {
    name: "a record in a folder of samples whose name is in capitals",
    files: { "handoff-samples/Negative/gate_owner_missing.json": "{}" },
    found: "sources/misnamed-file handoff-samples/Negative/gate_owner_missing.json:1:1",
    help: "did you mean `handoff-samples/negative/gate_owner_missing.json`?",
  },
  {
    name: "a record in a folder below the samples",
    files: { "handoff-samples/positive/old/a.json": "{}" },
    found: "sources/misnamed-file handoff-samples/positive/old/a.json:1:1",
    help: "did you mean `handoff-samples/positive/a.json`?",
  },
  {
    name: "a record whose extension is in capitals, in a folder of another spelling",
    files: { "depot/handoff_samples/negatives/a.JSON": "{}" },
    found: "sources/misnamed-file depot/handoff_samples/negatives/a.JSON:1:1",
    help: "did you mean `depot/handoff-samples/negative/a.json`?",
  },
  {
    name: "an instruction file in a folder, in small letters",
    files: { "AGENT_CHARTER.md": null, "agents/agent_CHARTER.md": CHARTER },
    found: "sources/misnamed-file agents/agent_CHARTER.md:1:1",
    help: "did you mean `agents/AGENT_CHARTER.md`?",
  },
  {
    name: "an instruction file without the beginning of its name",
    files: { "AGENT_CHARTER.md": null, "CHARTER.md": CHARTER },
    found: "model/subagent-undefined AGENT_WARD_DESK.md:2:13 CHARTER",
    help: "its file would be `AGENT_CHARTER.md`",
  },
  {
    name: "a manifest outside of `manifests`",
    files: { "manifests/clerk.toml": null, "clerk.toml": 'agent_type = "clerk"\n' },
    found: "model/spawn-target-undefined manifests/desk.yaml:2:13 clerk",
    help: "a manifest is `manifests/clerk.yaml`, or anywhere `clerk.manifest.yaml`; .toml too",
  },
  {
    name: "settings in a folder of the set too",
    files: { "hospital/portcullis.yaml": "version: x\n" },
    found: "model/duplicate-file hospital/portcullis.yaml:1:1 version: x",
  },
  {
    name: "front matter below the title",
    files: { "AGENT_WARD_DESK.md": `# Ward desk\n\n${WARD_DESK}` },
    found: "sources/late-front-matter AGENT_WARD_DESK.md:3:1 ---",
  },
  {
    name: "a row for the type that is not set bold",
    files: { "AGENT_CHARTER.md": swap(CHARTER, "AGENT_TYPE: 2", "| AGENT_TYPE | 2 |") },
    found: "model/unreadable-agent-type AGENT_CHARTER.md:3:1 | AGENT_TYPE | 2 |",
    help: "write `| **AGENT_TYPE** | TYPE 2 |`",
  },
  {
    name: "a row for the class that is not set bold",
    files: { "AGENT_CHARTER.md": swap(CHARTER, "AGENT_CLASS: TASK", "| AGENT_CLASS | task |") },
    found: "model/class-not-task AGENT_CHARTER.md:1:1 # Charter",
    help: "write `| **AGENT_CLASS** | TASK |`",
  },
  {
    name: "the type in the front matter",
    files: { "AGENT_GUIDE.md": "---\nAGENT_TYPE: 0\n---\n# Guide\n" },
    found: "model/agent-without-type AGENT_GUIDE.md:1:1 ---",
    help: "front matter does not declare it: write `AGENT_TYPE: n` below it, n from 0 to 2",
  },
  {
    name: "data in a file with another name",
    files: { "hospital/data.yaml": null, "hospital/doses.yaml": "limit: 10\n" },
    found: "pipeline/undefined-data dose.rego:6:28 hospital",
    help: "define it in a rule or in `hospital/data.yaml`, or promise it as host data: `rego: { host_data: [path] }` in portcullis.yaml",
  },
];
