/** Findings in and between spawn manifests. */

import { type Fixtures, TASK } from "./fixture.ts";

/** `lead` spawns `work`, which spawns `leaf`. */
const SPAWNING = {
  "portcullis.yaml": "lineage: { roots: [lead] }\n",
  "lead.manifest.yaml": "can_spawn: [work]\nmax_spawn_depth: 1\n",
  "work.manifest.yaml": "can_spawn: [leaf]\nmax_spawn_depth: 2\n",
  "leaf.manifest.yaml": "",
};

export const MANIFESTS: Fixtures = {
  "model/undefined-delegable-tool": {
    files: { "manifests/a.yaml": "allowed_tools: [t, u]\n", "tool_registry.yaml": "tools: [{ tool_name: t }]\n" },
    at: ["manifests/a.yaml:1:20"],
  },
  "model/unknown-agents-allowed": [
    {
      files: { "portcullis.yaml": "call: { unknown_agents: allow }\n", "a.manifest.yaml": "" },
      at: ["portcullis.yaml:1:25"],
    },
    { files: { "portcullis.yaml": "call: { unknown_agents: deny }\n", "a.manifest.yaml": "" }, at: [] },
    { files: { "portcullis.yaml": "call: { unknown_agents: allow }\n" }, at: [] },
  ],
  "model/spawn-target-undefined": {
    files: { "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 1\n" },
    at: ["a.manifest.yaml:1:13"],
  },
  "model/root-undefined": {
    files: { "portcullis.yaml": "lineage: { roots: [a, b] }\n", "a.manifest.yaml": "" },
    at: ["portcullis.yaml:1:23"],
  },
  "model/spawn-cycle": [
    {
      files: { "a.manifest.yaml": "can_spawn: [a]\n" },
      at: ["a.manifest.yaml:1:13"],
      message: "agent types can spawn each other for ever: `a` → `a`",
    },
    {
      files: {
        "a.manifest.yaml": "can_spawn: [d, b]\n",
        "b.manifest.yaml": "can_spawn: [c]\n",
        "c.manifest.yaml": "can_spawn: [d, a]\n",
        "d.manifest.yaml": "",
      },
      at: ["a.manifest.yaml:1:16"],
      message: "agent types can spawn each other for ever: `a` → `b` → `c` → `a`",
    },
    {
      files: { "a.manifest.yaml": "can_spawn: [b, c]\n", "b.manifest.yaml": "can_spawn: [c]\n", "c.manifest.yaml": "" },
      at: [],
    },
  ],
  "model/type-not-spawnable": [
    {
      files: { "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 1\n", "b.manifest.yaml": "" },
      at: ["a.manifest.yaml:1:1"],
    },
    {
      files: {
        "portcullis.yaml": "lineage: { roots: [a] }\n",
        "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 1\n",
        "b.manifest.yaml": "",
      },
      at: [],
    },
    { files: { "a.manifest.yaml": "can_spawn: [a]\nmax_spawn_depth: 1\n" }, at: ["a.manifest.yaml:1:1"] },
  ],
  "model/spawn-depth-impossible": [
    { files: { "a.manifest.yaml": "can_spawn: [b]\n", "b.manifest.yaml": "" }, at: ["a.manifest.yaml:1:1"] },
    {
      files: {
        "portcullis.yaml": "lineage: { roots: [a] }\n",
        "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 3\n",
        "b.manifest.yaml": "can_spawn: [c]\nmax_spawn_depth: 1\n",
        "c.manifest.yaml": "",
      },
      at: ["b.manifest.yaml:2:18"],
      message: "`b` can never spawn: its children are at depth 2 or more, its limit is 1",
    },
    {
      files: {
        "portcullis.yaml": "lineage: { depth: reported }\n",
        "a.manifest.yaml": "can_spawn: [b]\n",
        "b.manifest.yaml": "",
      },
      at: [],
    },
  ],
  "model/child-tools-exceed-parent": [
    {
      files: {
        "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 1\nallowed_tools: [x]\n",
        "b.manifest.toml": 'allowed_tools = ["x", "y"]\n',
      },
      at: ["a.manifest.yaml:1:13"],
      message: "`a` can spawn `b`, which has tools that it lacks: `y`",
    },
    {
      files: {
        "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 1\n",
        "b.manifest.toml": 'allowed_tools = ["x", "y"]\n',
      },
      at: [],
    },
  ],
  "model/child-paths-exceed-parent": [
    {
      files: {
        "a.manifest.yaml": "can_spawn: [b]\nmax_spawn_depth: 1\npath_allowlist: [/srv/a, /x/**]\n",
        "b.manifest.yaml": "path_allowlist: [/srv/a/b, /srv/ab, /x/y, /srv/a/, /srv/a/../b, /srv/a/..b]\n",
      },
      at: ["a.manifest.yaml:1:13"],
      message: "`a` can spawn `b`, which may touch paths that it may not: `/srv/ab`, `/srv/a/../b`",
    },
  ],
  "model/child-egress-exceeds-parent": {
    files: {
      "a.manifest.yaml": 'can_spawn: [b]\nmax_spawn_depth: 1\nnetwork_egress: ["*.a.example"]\n',
      "b.manifest.yaml": "network_egress: [x.a.example, b.example]\n",
    },
    at: ["a.manifest.yaml:1:13"],
    message: "`a` can spawn `b`, which may reach hosts that it may not: `b.example`",
  },
  "model/handoff-agent-undefined": [
    {
      files: { ...SPAWNING, "handoff.yaml": "agents: { master: [lead], sub: [wrok, C-D, E] }\n", "AGENT_C_D.md": TASK },
      at: ["handoff.yaml:1:33", "handoff.yaml:1:44"],
      message: "`wrok` is neither an agent type nor an instruction file",
      help: "did you mean `work`?",
    },
    // Where there are neither, or not all of them could be read, nothing is undefined.
    { files: { "handoff.yaml": "agents: { master: [a], sub: [b] }\n" }, at: [] },
    {
      files: { ...SPAWNING, "x.manifest.yaml": "can_spawn: [", "handoff.yaml": "agents: { master: [a], sub: [b] }\n" },
      at: [],
    },
  ],
  "model/handoff-agent-not-spawned": [
    {
      files: { ...SPAWNING, "handoff.yaml": "agents: { master: [work], sub: [lead, leaf] }\n" },
      at: ["handoff.yaml:1:33"],
      message: "no master can spawn sub `lead`, directly or through others",
    },
    { files: { ...SPAWNING, "handoff.yaml": "agents: { master: [lead], sub: [work, leaf] }\n" }, at: [] },
    // Masters that are known by their instruction files alone say nothing of who spawns.
    {
      files: { ...SPAWNING, "AGENT_M.md": "AGENT_TYPE: 1\n", "handoff.yaml": "agents: { master: [M], sub: [work] }\n" },
      at: [],
    },
  ],
  "model/handoff-agent-spawns-master": {
    files: { ...SPAWNING, "handoff.yaml": "agents: { master: [work], sub: [lead, leaf] }\n" },
    at: ["handoff.yaml:1:33"],
    message: "sub `lead` can spawn master `work`",
  },
  "model/lineage-not-required": [
    {
      files: { "a.manifest.yaml": "" },
      at: ["-"],
      message: "a request without a lineage is allowed, though there are spawn manifests",
      help: "add `lineage: { require: true }` to portcullis.yaml",
    },
    { files: { "a.manifest.yaml": "", "portcullis.yaml": "lineage: { require: true }\n" }, at: [] },
    { files: { "a.manifest.yaml": "", "portcullis.yaml": "lineage: { require: false }\n" }, at: [] },
    { files: { "handoff.yaml": "" }, at: [] },
  ],
};
