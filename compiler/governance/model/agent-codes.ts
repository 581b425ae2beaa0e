/** Findings on instruction files and spawn manifests: who may delegate to whom, and start whom. */

import { defineCodes } from "@portcullis/rego/diagnostics";

export const agentCodes = defineCodes({
  // Instruction files.
  "model/subagent-undefined": {
    severity: "error",
    message: "persona `{persona}` allowlists `{subagent}`, which has no instruction file",
    causedBy: [
      { code: "sources/misnamed-file", by: "any" },
      { code: "sources/merge-conflict", by: "any" },
    ],
    explain:
      "Every allowlisted subagent needs a file AGENT_<NAME>.md that declares TYPE 2. Correct the name, add the file, or say `subagents: { unresolved: drop }` in portcullis.yaml to leave such candidates out.",
  },
  "model/subagent-undefined-dropped": {
    severity: "warning",
    message: "`{subagent}` is left out of the delegates of `{persona}`: it has no instruction file",
    explain:
      "The setting `subagents: { unresolved: drop }` leaves candidates out that have no instruction file. They are still listed as allowlisted, and never delegated to.",
  },
  "model/subagent-not-type-2": {
    severity: "error",
    message: "persona `{persona}` allowlists `{subagent}`, which is {type}, not TYPE 2",
    causedBy: [{ code: "model/unreadable-agent-type", by: "related" }],
    explain:
      "Only agents that declare `AGENT_TYPE: 2` may be delegated to. Correct the declaration or the allowlist, or say `subagents: { unresolved: drop }` in portcullis.yaml to leave such candidates out.",
  },
  "model/subagent-not-type-2-dropped": {
    severity: "warning",
    message: "`{subagent}` is left out of the delegates of `{persona}`: it is {type}, not TYPE 2",
    explain:
      "The setting `subagents: { unresolved: drop }` leaves candidates out that are not TYPE 2. They are still listed as allowlisted, and never delegated to.",
  },
  "model/allowlist-resolves-to-nothing": {
    severity: "warning",
    message: "no candidate of the allowlist of `{persona}` can be delegated to",
    causedBy: [
      { code: "model/subagent-undefined", by: "names" },
      { code: "model/subagent-not-type-2", by: "names" },
      { code: "model/unreadable-agent-type", by: "any" },
      { code: "sources/misnamed-file", by: "any" },
      { code: "sources/merge-conflict", by: "any" },
    ],
    explain:
      "The allowlist has entries, but none of them has an instruction file that declares TYPE 2. A delegation may be allowed, but there is no agent to delegate to.",
  },
  "model/allowlist-of-non-persona": {
    severity: "warning",
    message: "`{agent}` has an allowlist but is {type}, not TYPE 1",
    causedBy: [{ code: "model/agent-without-type", by: "names" }],
    explain:
      "Only TYPE 1 agents delegate. For this agent the decision denies with `PERSONA_ALLOWLIST` whatever its allowlist says.",
  },
  "model/agent-without-type": {
    severity: "warning",
    message: "`{agent}` declares no AGENT_TYPE",
    causedBy: [
      { code: "model/unreadable-agent-type", by: "file" },
      { code: "sources/unclosed-front-matter", by: "file" },
      { code: "sources/late-front-matter", by: "any" },
      { code: "model/subagent-not-type-2", by: "parameters", cause: "subagent", finding: "agent" },
    ],
    explain:
      "Without a line `AGENT_TYPE: n` (n from 0 to 2) or the table row `| **AGENT_TYPE** | TYPE n |` outside code fences, an agent can neither delegate nor be delegated to.",
  },
  "model/unreadable-agent-type": {
    severity: "warning",
    message: "`{text}` declares no agent type",
    explain:
      "The line looks like a declaration and is not one. A declaration is a line that begins `AGENT_TYPE: n` or `AGENT_TYPE: TYPE n`, or a table row `| **AGENT_TYPE** | TYPE n |`, with n from 0 to 2. A row begins its line, and its second cell is closed and has nothing else in it.",
  },
  "model/repeated-agent-type": {
    severity: "warning",
    message: "TYPE {type} is declared again after TYPE {first}",
    explain:
      "The first declaration of its form holds and this one has no effect. Remove it, or readers will believe the wrong one.",
  },
  "model/agent-class-contradiction": {
    severity: "warning",
    message: "the header says class {line}, the table says {row}",
    explain:
      "The header line and the Agent Type table declare two classes. The header line is taken; no decision reads the class.",
  },
  "model/class-not-task": {
    severity: "warning",
    message: "`{agent}` is TYPE 2, but {class}",
    explain:
      "Agents that are delegated to are expected to declare `AGENT_CLASS: TASK`. The class never blocks a delegation.",
  },
  "model/agent-in-no-allowlist": {
    severity: "warning",
    message: "`{agent}` is TYPE 2, but no persona allowlists it",
    causedBy: [
      { code: "model/subagent-undefined", by: "names" },
      { code: "model/subagent-not-type-2", by: "names" },
      { code: "sources/late-front-matter", by: "any" },
      { code: "model/misspelt-front-matter-key", by: "any" },
      { code: "model/invalid-subagents", by: "any" },
    ],
    explain: "No persona can delegate to this agent. List it in the `subagents` of a TYPE 1 persona, or remove it.",
  },
  "model/misspelt-front-matter-key": {
    severity: "warning",
    message: "`{key}` is not `subagents`",
    explain:
      "Front matter may hold any keys, so this one is not an error; but it looks like `subagents`, and as it is it allowlists no agent.",
  },
  "model/rights-in-front-matter": {
    severity: "warning",
    message: "`{key}` in the front matter of `{agent}` decides nothing",
    explain:
      "An agent host reads `tools`, `disallowedTools` and `permissionMode` of its agent files as what the agent may do. A policy set has other places for that: `allowed_tools` of the agent type's spawn manifest, and `approval` of a tool in tool_registry.yaml. Say it there, and remove it here, or `portcullis import --from claude-agents` drafts the manifest from the host's file.",
  },

  // Spawn manifests.
  "model/spawn-target-undefined": {
    severity: "error",
    message: "`{type}` can spawn `{target}`, which has no manifest",
    explain:
      "`can_spawn` names an agent type without a manifest. A chain that ends in it would be denied. Correct the name or add the manifest.",
  },
  "model/lineage-not-required": {
    severity: "warning",
    message: "a request without a lineage is allowed, though there are spawn manifests",
    causedBy: [{ code: "sources/misnamed-file", by: "any" }],
    explain:
      "The lineage decision answers `ALLOW no_lineage` to a caller that leaves its chain out. Say `lineage: { require: true }` in portcullis.yaml to deny that, or `require: false` if agents are asked about that were not spawned.",
  },
  "model/unknown-agents-allowed": {
    severity: "warning",
    message: "agents without a manifest may call every tool of the lane",
    explain:
      "`call: { unknown_agents: allow }` in portcullis.yaml lets an agent type call that has no spawn manifest, so no `allowed_tools` bound it: an invented name, a misspelt one, or one whose manifest was deleted may do what every agent of the lane may. Remove the setting, and write a manifest for each agent type that calls.",
  },
  "model/root-undefined": {
    severity: "error",
    message: "`{type}` is named as a root, but has no manifest",
    explain:
      "`lineage.roots` in portcullis.yaml lists agent types that start chains. This one has no manifest, so its children would be denied.",
  },
  "model/spawn-cycle": {
    severity: "warning",
    message: "agent types can spawn each other for ever: {path}",
    explain:
      "The `can_spawn` lists form a cycle, so only `max_spawn_depth` and the limit on the chain's length end it. Check that this is meant.",
  },
  "model/type-not-spawnable": {
    severity: "warning",
    message: "no agent type can spawn `{type}`",
    causedBy: [
      { code: "model/spawn-target-undefined", by: "names" },
      { code: "sources/misnamed-file", by: "any" }, // Settings that were not read leave nothing to say of roots.
      { by: "unread", file: /(?:^|\/)portcullis\.ya?ml$/ },
    ],
    explain:
      "No manifest lists this type in `can_spawn`. If it starts chains, list it in `lineage: { roots: [...] }` of portcullis.yaml; otherwise nothing can make it.",
  },
  "model/spawn-depth-impossible": {
    severity: "warning",
    message: "`{type}` can never spawn: its children are at depth {depth} or more, its limit is {max}",
    explain:
      "`can_spawn` lists types, but `max_spawn_depth` is lower than the least depth that a child of this type can have (root 0). The default limit is 0, which forbids every spawn.",
  },
  "model/child-tools-exceed-parent": {
    severity: "warning",
    message: "`{parent}` can spawn `{child}`, which has tools that it lacks: {extra}",
    causedBy: [{ code: "model/undefined-delegable-tool", by: "any" }],
    explain:
      "A child with more tools than its parent lets the parent do by delegation what it may not do itself. Check that this is meant.",
  },
  "model/child-paths-exceed-parent": {
    severity: "warning",
    message: "`{parent}` can spawn `{child}`, which may touch paths that it may not: {extra}",
    explain:
      "A child with a wider `path_allowlist` than its parent lets the parent reach by delegation what it may not reach itself. Check that this is meant.",
  },
  "model/child-egress-exceeds-parent": {
    severity: "warning",
    message: "`{parent}` can spawn `{child}`, which may reach hosts that it may not: {extra}",
    explain:
      "A child with a wider `network_egress` than its parent lets the parent reach by delegation what it may not reach itself. Check that this is meant.",
  },

  "model/undefined-delegable-tool": {
    severity: "warning",
    message: "agent type `{type}` may be given tool `{tool}`, which the registry does not define",
    causedBy: [{ code: "model/empty-part", by: "entry", entry: "tool" }],
    explain:
      "`allowed_tools` of a manifest names a tool that no registry file defines. Every call of it is denied as `tool_not_registered`. Either it is misspelt, or it has yet to be added to tool_registry.yaml.",
  },
});
