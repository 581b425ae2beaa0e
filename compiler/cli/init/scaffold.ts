/** The files that `portcullis init` writes: the smallest policy set in which every kind of source has a part. */

import { type FormatName, schemaUrl } from "@portcullis/governance/editor";
import { VERSION } from "../version.ts";

export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

const SETTINGS = `# Settings of the policy set; all are optional. "portcullis schema settings" prints them.
lineage:
  # What people start themselves; every other agent type must be spawned by something.
  roots: [assistant]
  # Who shows no chain is denied.
  require: true
`;

const ROLES = `# Who works here. Which lanes a role may enter is decided in lanes.yaml; privileges.lanes repeats it for readers.
roles:
  - role_id: ASSISTANT
    description: Answers questions, with what it finds.
    class: agent
    privileges:
      lanes: [RESEARCH]

  - role_id: MAINTAINER
    description: The person who answers for what is changed.
    class: human
    privileges:
      lanes: [RESEARCH, CHANGE]
`;

const LANES = `# What work is done where: who may enter a lane, and which tools it may use there.
lanes:
  - lane_id: RESEARCH
    purpose: Find things out; change nothing.
    allowed_callers:
      roles: [ASSISTANT, MAINTAINER]
    allowed_actions:
      tools: [files.read, web.search]

  - lane_id: CHANGE
    purpose: Change files.
    allowed_callers:
      roles: [MAINTAINER]
    allowed_actions:
      tools: [files.read, files.write]
`;

const TOOLS = `# Every tool that an agent can be given. One that is not here, not enabled, or not implemented is denied.
tools:
  - tool_name: files.read
    enabled: true
    implementation_status: implemented
    description: Read a file of the project.
    allowed_lanes: [RESEARCH, CHANGE]

  - tool_name: files.write
    enabled: true
    implementation_status: implemented
    description: Write a file of the project.
    allowed_lanes: [CHANGE]

  - tool_name: web.search
    enabled: true
    implementation_status: implemented
    description: Search the public web.
    allowed_lanes: [RESEARCH]
`;

const ASSISTANT = `---
description: Answers questions about the project.
subagents:
  - READER
---
# Assistant

AGENT_TYPE: 1

Answer from what the project holds. Hand reading that takes long to the reader.
`;

const READER = `---
description: Reads one set of files and reports what they say.
---
# Reader

AGENT_TYPE: 2

| Property | Value |
|---|---|
| **AGENT_TYPE** | TYPE 2 |
| **AGENT_CLASS** | TASK |

Read the files that you are given. Report what they say, with the place of each statement.
`;

const ASSISTANT_MANIFEST = `# What the assistant's process may start, and how deep. The file's name is the agent type.
can_spawn: [reader]
max_spawn_depth: 1
allowed_tools: [files.read, web.search]
`;

const READER_MANIFEST = `can_spawn: []
max_spawn_depth: 0
allowed_tools: [files.read]
`;

const EXTENSION = `# METADATA
# title: Gates of our own on tools
# description: |
#   Asked after every gate of the library has passed. \`must\` says what has to be true: a gate holds where some rule of its name
#   does, so that whatever is absent, malformed or not computable falls shut.
package portcullis.ext.tool

import data.project.rules

# METADATA
# description: Nothing is written below .git, by whatever name a request spells the path.
# custom: { reason: path_is_protected }
must contains "PROTECTED_PATH" if input.tool != "files.write"

must contains "PROTECTED_PATH" if rules.ordinary_path
`;

const EXTENSION_RULES = `# METADATA
# title: Rules of our own
# description: |
#   What the extensions ask. An extension package holds only \`must\` and \`deny\` rules, so what they need is here, where it can be
#   tested by itself.
package project.rules

# METADATA
# description: |
#   The request names a path, and no part of it is .git or leads upwards. A path that is missing, or no text, does not pass.
ordinary_path if {
	is_string(input.scope.path)
	parts := {lower(part) | some part in split(replace(input.scope.path, "\\\\", "/"), "/")}
	count(parts & {".git", ".."}) == 0
}
`;

const RULES_TEST = `package project.rules_test

import data.project.rules

test_ordinary_paths if {
	rules.ordinary_path with input as {"scope": {"path": "docs/readme.md"}}
}

test_paths_that_are_not if {
	every path in [".git/config", "docs/../.git/config", ".GIT\\\\config", null, 1] {
		not rules.ordinary_path with input as {"scope": {"path": path}}
	}
	not rules.ordinary_path with input as {}
}
`;

const TOOL_TESTS = `# Decision tests: \`portcullis test\` runs them. Of a matrix, every combination that is not listed must be denied.
decision: tool

matrices:
  - name: who may use what, and where
    axes:
      role: { every: roles, also: [NOBODY] }
      lane: { every: lanes, also: [NOWHERE] }
      tool: { every: tools, also: [shell.run] }
    input: { scope: { path: docs/readme.md } }
    allow:
      - { role: [ASSISTANT, MAINTAINER], lane: RESEARCH, tool: [files.read, web.search] }
      - { role: MAINTAINER, lane: CHANGE, tool: [files.read, files.write] }
    expect: { gate: ALLOW, reason: tool_allowed }

cases:
  - name: an assistant changes nothing
    input: { role: ASSISTANT, lane: CHANGE, tool: files.write, scope: { path: docs/readme.md } }
    expect: { allowed: false, gate: LANE_AUTHORIZATION, lane_reason: role_not_allowed_for_lane }
  - name: a protected path
    input: { role: MAINTAINER, lane: CHANGE, tool: files.write, scope: { path: .git/config } }
    expect: { allowed: false, gate: PROTECTED_PATH, reason: path_is_protected }
`;

const SUBAGENT_TESTS = `decision: subagent

cases:
  - name: an approved turn is handed the reader
    input:
      persona: ASSISTANT
      env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }
      governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: AP-1 }
    expect: { allowed: true, gate: ALLOW, delegatedSubagents: [READER] }
  - name: one without an approval is not
    input: { persona: ASSISTANT, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }, governance: {} }
    expect: { allowed: false, gate: CONTEXT_SEALED, delegatedSubagents: [] }
`;

const LINEAGE_TESTS = `decision: lineage

cases:
  - name: the assistant starts a reader
    input: { lineage: [{ agent_type: assistant, spawn_depth: 0 }, { agent_type: reader, spawn_depth: 1 }] }
    expect: { allowed: true, reason: lineage_ok }
  - name: a reader starts nothing
    input: { lineage: [{ agent_type: reader, spawn_depth: 0 }, { agent_type: reader, spawn_depth: 1 }] }
    expect: { allowed: false, gate: SPAWN_DEPTH }
`;

const HANDOFF = `# What is added to the handoff contract; its own fields and words always hold.
required_fields: [reviewed_by]
`;

const EXEC = `# Scripts that agents may run: staged here, and signed for by a person.
modes: [maintenance]
inline_modes: []
staging_root: /srv/project/exec_queue
script_extensions: [.py]
`;

const CLAIMS = `# What must hold whatever else changes: \`portcullis prove . --claims claims.yaml\`.
claims:
  - never: { decision: tool, role: ASSISTANT, tool: files.write }
  - always: { decision: lane, role: ASSISTANT, lane: RESEARCH }
`;

const README = `# Policies

Who may do what: roles, the lanes they work in, the tools they may use there, agents and what they may start.

    portcullis check .                   # every finding at once
    portcullis test .                    # decision tests (tests/) and Rego tests
    portcullis build . -o out            # out/bundle.tar.gz, for \`load\` and for any OPA
    portcullis prove . --claims claims.yaml
    echo '{"role":"ASSISTANT","lane":"CHANGE","tool":"files.write"}' | portcullis explain . portcullis/tool/decision -i -

Before a change is merged, \`portcullis diff\` shows which decisions it changes.
`;

/** A YAML file whose first line tells editors of its schema. */
function yaml(path: string, format: FormatName, text: string): ScaffoldFile {
  return { path, text: `# yaml-language-server: $schema=${schemaUrl(format, VERSION)}\n${text}` };
}

/** In the order in which they are listed. */
export const SCAFFOLD: readonly ScaffoldFile[] = [
  { path: "README.md", text: README },
  yaml("portcullis.yaml", "settings", SETTINGS),
  yaml("roles.yaml", "roles", ROLES),
  yaml("lanes.yaml", "lanes", LANES),
  yaml("tool_registry.yaml", "tool_registry", TOOLS),
  { path: "agents/AGENT_ASSISTANT.md", text: ASSISTANT },
  { path: "agents/AGENT_READER.md", text: READER },
  yaml("manifests/assistant.yaml", "manifest", ASSISTANT_MANIFEST),
  yaml("manifests/reader.yaml", "manifest", READER_MANIFEST),
  yaml("handoff.yaml", "handoff", HANDOFF),
  yaml("exec.yaml", "exec", EXEC),
  { path: "extensions/tool.rego", text: EXTENSION },
  { path: "extensions/rules.rego", text: EXTENSION_RULES },
  { path: "extensions/rules_test.rego", text: RULES_TEST },
  yaml("tests/tool.yaml", "tests", TOOL_TESTS),
  yaml("tests/subagent.yaml", "tests", SUBAGENT_TESTS),
  yaml("tests/lineage.yaml", "tests", LINEAGE_TESTS),
  yaml("claims.yaml", "claims", CLAIMS),
];
