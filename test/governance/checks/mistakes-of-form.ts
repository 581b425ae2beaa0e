/** Mistakes in texts, shapes, names of files and ids; and the one finding on each. */

import {
  CHARTER,
  CLERK,
  deny,
  HANDOFF,
  LANES,
  lanes,
  type Mistake,
  ROLES,
  roles,
  SETTINGS,
  swap,
  TOOLS,
  tools,
} from "./hospital.ts";

export const MISTAKES_OF_FORM: readonly Mistake[] = [
  // YAML as a text
  {
    name: "a bracket is left open",
    files: roles("[WARD, PHARMACY]", "[WARD, PHARMACY"),
    found: "sources/invalid-yaml roles.yaml",
  },
  {
    name: "a tab indents",
    files: roles("    class: human", "\tclass: human"),
    found: "sources/tab-indentation roles.yaml:3:1",
  },
  {
    name: "a merge was not finished",
    files: roles("    class: human\n", "<<<<<<< HEAD\n    class: human\n=======\n    class: agent\n>>>>>>> other\n"),
    found: "sources/merge-conflict roles.yaml:3:1",
  },
  {
    name: "a merge was not finished in Rego",
    files: deny(
      '	not input.role == "PHYSICIAN"\n',
      '<<<<<<< HEAD\n	not input.role == "PHYSICIAN"\n=======\n>>>>>>> other\n',
    ),
    found: "sources/merge-conflict dose.rego:5:1",
  },
  {
    name: "a merge was not finished in an instruction file",
    files: {
      "AGENT_CHARTER.md": swap(
        CHARTER,
        "AGENT_TYPE: 2",
        "<<<<<<< HEAD\nAGENT_TYPE: 2\n=======\nAGENT_TYPE: 1\n>>>>>>> x",
      ),
    },
    found: "sources/merge-conflict AGENT_CHARTER.md:3:1",
  },
  {
    name: "a merge was not finished in TOML",
    files: { "manifests/clerk.toml": `<<<<<<< HEAD\n${CLERK}=======\n>>>>>>> x\n` },
    found: "sources/merge-conflict manifests/clerk.toml:1:1",
  },
  {
    name: "a key twice",
    files: roles("    class: human\n", "    class: human\n    class: agent\n"),
    found: "sources/duplicate-key roles.yaml:4:5 class",
  },
  {
    name: "two documents",
    files: { "roles.yaml": `${ROLES}---\n${ROLES}` },
    found: "sources/several-documents roles.yaml",
  },
  {
    name: "a tag",
    files: roles("class: human", "class: !!str human"),
    found: "sources/yaml-tag roles.yaml:3:18 human",
  },
  {
    name: "an alias without an anchor",
    files: roles("class: human", "class: *kind"),
    found: "sources/unknown-alias roles.yaml:3:12",
  },
  {
    name: "another version of YAML",
    files: { "roles.yaml": `%YAML 1.1\n---\n${ROLES}` },
    found: "sources/yaml-version roles.yaml:1:1",
  },
  {
    name: "quotes from a word processor",
    files: deny('"dose.release"', "“dose.release”"),
    found: "sources/confusable-character dose.rego:4:16 “",
  },
  // Shape
  {
    name: "a misspelt key",
    files: lanes("allowed_callers", "alowed_callers"),
    found: "sources/unknown-key lanes.yaml:3:5 alowed_callers",
    help: "did you mean `allowed_callers`?",
  },
  {
    name: "a key of nothing",
    files: lanes("lane_id: PHARMACY", "lane_id: PHARMACY\n    colour: red"),
    found: "sources/unknown-key lanes.yaml:6:5 colour",
  },
  {
    name: "yes for true",
    files: tools("enabled: true", "enabled: yes"),
    found: "sources/wrong-type tool_registry.yaml:3:14 yes",
    help: "write `true`, without quotes",
  },
  {
    name: "text for a list",
    files: lanes("roles: [PHYSICIAN] }", "roles: PHYSICIAN }"),
    found: "sources/wrong-type lanes.yaml:6:31 PHYSICIAN",
    help: "write `[PHYSICIAN]`",
  },
  {
    name: "a number for text",
    files: roles("role_id: NURSE", "role_id: 7"),
    found: "sources/wrong-type roles.yaml:5:14 7",
    help: "quote the value to make it text",
  },
  {
    name: "an id is missing",
    files: roles("  - role_id: NURSE\n    class: agent", "  - class: agent"),
    found: "sources/missing-key roles.yaml:5:5 class",
  },
  {
    name: "a value beside the few that may be",
    files: tools("approval: required", "approval: requierd"),
    found: "sources/bad-value tool_registry.yaml:12:15 requierd",
    help: "did you mean `required`?",
  },
  {
    name: "a setting out of range",
    files: { "portcullis.yaml": "lineage: { roots: [desk], max_chain: 0 }\n" },
    found: "sources/out-of-range portcullis.yaml:1:38 0",
  },
  {
    name: "a misspelt setting",
    files: { "portcullis.yaml": "linage: { roots: [desk] }\n" },
    found: "sources/unknown-key portcullis.yaml:1:1 linage",
    help: "did you mean `lineage`?",
  },
  {
    name: "the list is called otherwise",
    files: { "roles.yaml": swap(ROLES, "roles:", "role:") },
    found: "sources/unknown-key roles.yaml:1:1 role",
    help: "did you mean `roles`?",
  },
  // Files
  {
    name: "role.yaml",
    files: { "roles.yaml": null, "role.yaml": ROLES },
    found: "sources/misnamed-file role.yaml:1:1",
    help: "did you mean `roles.yaml`?",
  },
  {
    name: "Lanes.yaml",
    files: { "lanes.yaml": null, "Lanes.yaml": LANES },
    found: "sources/misnamed-file Lanes.yaml:1:1",
    help: "did you mean `lanes.yaml`?",
  },
  {
    name: "tools.yaml",
    files: { "tool_registry.yaml": null, "tools.yaml": TOOLS },
    found: "sources/misnamed-file tools.yaml:1:1",
    help: "did you mean `tool_registry.yaml`?",
  },
  {
    name: "tool-registry.yml",
    files: { "tool_registry.yaml": null, "tool-registry.yml": TOOLS },
    found: "sources/misnamed-file tool-registry.yml:1:1",
  },
  {
    name: "lanes.json",
    files: { "lanes.yaml": null, "lanes.json": "{}" },
    found: "sources/misnamed-file lanes.json:1:1",
  },
  {
    name: "agent_charter.md",
    files: { "AGENT_CHARTER.md": null, "agent_CHARTER.md": CHARTER },
    found: "sources/misnamed-file agent_CHARTER.md:1:1",
    help: "did you mean `AGENT_CHARTER.md`?",
  },
  {
    name: "portculis.yml",
    files: { "portcullis.yaml": null, "portculis.yml": SETTINGS },
    found: "sources/misnamed-file portculis.yml:1:1",
    help: "did you mean `portcullis.yaml`?",
  },
  {
    name: "handoffs.yaml",
    files: { "handoff.yaml": null, "handoffs.yaml": HANDOFF },
    found: "sources/misnamed-file handoffs.yaml:1:1",
    help: "did you mean `handoff.yaml`?",
  },
  {
    name: "lanes.yaml.yaml",
    files: { "lanes.yaml": null, "lanes.yaml.yaml": LANES },
    found: "sources/misnamed-file lanes.yaml.yaml:1:1",
    help: "did you mean `lanes.yaml`?",
  },
  {
    name: "lanes.ymal",
    files: { "lanes.yaml": null, "lanes.ymal": LANES },
    found: "sources/misnamed-file lanes.ymal:1:1",
    help: "did you mean `lanes.yaml`?",
  },
  {
    name: "clerk.manifests.yaml",
    files: { "clerk.manifests.yaml": "agent_type: clerk\n" },
    found: "sources/misnamed-file clerk.manifests.yaml:1:1",
    help: "did you mean `clerk.manifest.yaml`?",
  },
  {
    name: "clerk.mainfest.toml",
    files: { "clerk.mainfest.toml": 'agent_type = "clerk"\n' },
    found: "sources/misnamed-file clerk.mainfest.toml:1:1",
    help: "did you mean `clerk.manifest.toml`?",
  },
  {
    name: "AGENTS_CHARTER.md",
    files: { "AGENT_CHARTER.md": null, "AGENTS_CHARTER.md": CHARTER },
    found: "sources/misnamed-file AGENTS_CHARTER.md:1:1",
    help: "did you mean `AGENT_CHARTER.md`?",
  },
  {
    name: "a copy of the set inside the set",
    files: { "old/roles.yaml": ROLES, "old/lanes.yaml": LANES, "old/tool_registry.yaml": TOOLS },
    found: "sources/set-inside-set old/lanes.yaml:1:1",
  },
  // Ids
  {
    name: "a role twice",
    files: roles("  - role_id: NURSE", "  - role_id: PHYSICIAN\n  - role_id: NURSE"),
    found: "model/duplicate-id roles.yaml:5:14 PHYSICIAN",
  },
  {
    name: "a tool twice",
    files: tools("  - tool_name: dose.request", "  - tool_name: chart.read\n  - tool_name: dose.request"),
    found: "model/duplicate-id tool_registry.yaml:5:16 chart.read",
  },
  {
    name: "an id with a letter of another alphabet",
    files: roles("role_id: NURSE", "role_id: NUR\u0405E"),
    found: "model/confusable-id roles.yaml:5:14 NUR\u0405E",
    help: "did you mean `NURSE`?",
  },
  {
    name: "a reference with a letter of another alphabet",
    files: lanes("PHYSICIAN, NURSE", "PHYSICIAN, \u039dURSE"),
    found: "model/confusable-id lanes.yaml:3:43 \u039dURSE",
    help: "did you mean `NURSE`?",
  },
  {
    name: "an id with an invisible character",
    files: roles("role_id: NURSE", "role_id: NUR\u200bSE"),
    found: "model/invalid-id roles.yaml:5:14 NUR\u200bSE",
  },
  {
    name: "an id with a tag that shows nothing",
    files: roles("role_id: NURSE", "role_id: NURSE\u{e0041}"),
    found: "model/invalid-id roles.yaml:5:14 NURSE\u{e0041}",
  },
  {
    name: "an id with a filler that shows as a blank",
    files: roles("role_id: NURSE", "role_id: NUR\u3164SE"),
    found: "model/invalid-id roles.yaml:5:14 NUR\u3164SE",
  },
  {
    name: "an id with a blank that is not a plain one",
    files: roles("role_id: NURSE", "role_id: NUR\u00a0SE"),
    found: "model/invalid-id roles.yaml:5:14 NUR\u00a0SE",
  },
  {
    name: "an empty id",
    files: roles("  - role_id: NURSE", '  - role_id: ""\n  - role_id: NURSE'),
    found: 'model/invalid-id roles.yaml:5:14 ""',
  },
];
