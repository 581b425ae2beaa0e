/** Every finding of the model and lowering stages, with sources that cause it, and the place that it must point at. */

import { describe, expect, it } from "vitest";
import { lowerCodes } from "../../compiler/lower/index.ts";
import { modelCodes } from "../../compiler/model/index.ts";
import type { Files } from "../sources/virtual-host.ts";
import { brief, compileFiles, marked } from "./findings.ts";

interface Fixture {
  readonly files: Files;
  /** `path:line:column` of each finding with the code, in order; `-` for a finding without a place. */
  readonly at: readonly string[];
  readonly marked?: string;
  readonly message?: string;
  readonly help?: string;
}

/** A lane `L` for role `R` with tool `t`, in which nothing is wrong. */
const HARNESS = {
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml": "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [R] }\n    allowed_actions: { tools: [t] }\n",
  "tool_registry.yaml": "tools:\n  - { tool_name: t, enabled: true, implementation_status: implemented }\n",
};

const TASK = "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n";
const persona = (subagents: string): string => `---\nsubagents: ${subagents}\n---\nAGENT_TYPE: 1\n`;
const DROP = "subagents: { unresolved: drop }\n";
const lane = (rest: string): Files => ({
  ...HARNESS,
  "lanes.yaml": `lanes:\n  - lane_id: L\n    allowed_callers: { roles: [R] }\n${rest}`,
});
const tool = (rest: string): Files => ({ ...HARNESS, "tool_registry.yaml": `tools:\n  - tool_name: t\n${rest}` });

const FIXTURES: { readonly [code: string]: Fixture | readonly Fixture[] } = {
  "model/duplicate-id": [
    {
      files: { "roles.yaml": "roles:\n  - role_id: A\n  - role_id: A\n" },
      at: ["roles.yaml:3:14"],
      message: "role `A` is defined twice",
    },
    {
      files: { "a/lanes.yaml": HARNESS["lanes.yaml"], "b/lanes.yaml": HARNESS["lanes.yaml"] },
      at: ["b/lanes.yaml:2:14"],
    },
    {
      files: { "tool_registry.yaml": "tools: [{ tool_name: t }, { tool_name: t }]\n" },
      at: ["tool_registry.yaml:1:40"],
    },
    {
      files: { "manifests/a.yaml": "agent_type: x\n", "x.manifest.toml": "" },
      at: ["x.manifest.toml:1:1"],
      message: "agent type `x` is defined twice",
    },
  ],
  "model/duplicate-agent": [
    { files: { "AGENT_A-B.md": TASK, "AGENT_A_B.md": TASK }, at: ["AGENT_A_B.md:1:1"] },
    { files: { "AGENT_A.md": TASK, "x/AGENT_A.md": TASK }, at: ["x/AGENT_A.md:1:1"] },
  ],
  "model/duplicate-file": [
    {
      files: { "portcullis.yaml": "version: a\n", "x/portcullis.yaml": "version: a\n" },
      at: ["x/portcullis.yaml:1:1"],
    },
    { files: { "exec.yaml": "modes: [a]\n", "exec.yml": "modes: [a]\n" }, at: ["exec.yml:1:1"] },
  ],
  "model/conflicting-version": {
    files: { "a/roles.yaml": "version: v1\nroles: []\n", "b/roles.yaml": "version: v2\nroles: []\n" },
    at: ["b/roles.yaml:1:10"],
  },
  "model/invalid-id": [
    { files: { "roles.yaml": 'roles:\n  - role_id: ""\n' }, at: ["roles.yaml:2:14"], message: "`role_id` is empty" },
    { files: { "roles.yaml": 'roles:\n  - role_id: " A"\n' }, at: ["roles.yaml:2:14"] },
    { files: { "roles.yaml": 'roles:\n  - role_id: "A\\u0000"\n' }, at: ["roles.yaml:2:14"] },
    ...["\u200b", "\u202e", "\ufffd", "\ufeff", "\u00ad"].map((odd) => ({
      files: { "roles.yaml": `roles:\n  - role_id: "A${odd}B"\n` },
      at: ["roles.yaml:2:14"],
    })),
    {
      files: { "roles.yaml": "roles: [{ role_id: 'نمی\u200cخواهم' }, { role_id: É }, { role_id: 👩\u200d⚖️ }]\n" },
      at: [],
    },
    {
      files: lane('    allowed_actions: { tools: [t, "\\ufeff"] }\n'),
      at: ["lanes.yaml:4:35"],
      message: "an entry of `tools` is empty",
    },
    { files: { "manifests/ .yaml": "can_spawn: []\n" }, at: ["manifests/ .yaml:1:1"] },
  ],
  "model/invalid-agent-file-name": [
    { files: { "AGENT_.md": TASK }, at: ["AGENT_.md:1:1"] },
    { files: { "AGENT_a b.md": TASK }, at: ["AGENT_a b.md:1:1"] },
    { files: { "AGENT__A.md": TASK }, at: ["AGENT__A.md:1:1"] },
    { files: { "AGENT_Ä.md": TASK }, at: ["AGENT_Ä.md:1:1"] },
  ],
  "model/invalid-subagent-name": [
    { files: { "AGENT_P.md": persona("[../A, ok]") }, at: ["AGENT_P.md:2:13"], marked: "../A" },
    { files: { "AGENT_P.md": persona("A, _B, C D") }, at: ["AGENT_P.md:2:15", "AGENT_P.md:2:19"] },
  ],
  "model/invalid-subagents": [
    { files: { "AGENT_P.md": persona("7") }, at: ["AGENT_P.md:2:12"], marked: "7" },
    { files: { "AGENT_P.md": persona("true") }, at: ["AGENT_P.md:2:12"] },
    { files: { "AGENT_P.md": persona("{ A: 1 }") }, at: ["AGENT_P.md:2:12"] },
    { files: { "AGENT_P.md": persona("[A, null, 4]") }, at: ["AGENT_P.md:2:16", "AGENT_P.md:2:22"] },
  ],
  "model/invalid-front-matter": [
    { files: { "AGENT_P.md": "---\nsubagents A\n---\n" }, at: ["AGENT_P.md:2:1"] },
    { files: { "AGENT_P.md": "---\n- A\n---\n" }, at: ["AGENT_P.md:2:1"] },
  ],
  "model/agent-type-contradiction": {
    files: { "AGENT_A.md": "# A\nAGENT_TYPE: 2\n| **AGENT_TYPE** | TYPE 1 |\n" },
    at: ["AGENT_A.md:2:1"],
    message: "the header says TYPE 2, the table says TYPE 1",
  },
  "model/repeated-entry": [
    { files: { ...HARNESS, "lanes.yaml": HARNESS["lanes.yaml"].replace("[R]", "[R, R]") }, at: ["lanes.yaml:3:35"] },
    { files: { "a.manifest.yaml": "can_spawn: [a, b, a]\n" }, at: ["a.manifest.yaml:1:19"] },
  ],
  "model/invalid-mode": { files: { "exec.yaml": "modes: [a, b|c]\n" }, at: ["exec.yaml:1:12"] },
  "model/invalid-staging-root": [
    {
      files: { "exec.yaml": "staging_root: queue\n" },
      at: ["exec.yaml:1:15"],
      message: "staging root `queue` is not absolute",
    },
    ...["~/q", "/q/$HOME", "\\\\q", "/", "//", "C:/", "/a//b", "/a/../b", "/./a", "/a/.", ".."].map((root) => ({
      files: { "exec.yaml": `staging_root: '${root}'\n` },
      at: ["exec.yaml:1:15"],
    })),
  ],
  "model/invalid-script-extension": [
    { files: { "exec.yaml": "script_extensions: [py]\n" }, at: ["exec.yaml:1:21"] },
    { files: { "exec.yaml": "script_extensions: ['.', ./a, .py]\n" }, at: ["exec.yaml:1:21", "exec.yaml:1:26"] },
  ],
  "model/invalid-placeholder": [
    { files: { "handoff.yaml": "placeholders: [to-do, t/b/a]\n" }, at: ["handoff.yaml:1:16"] },
    // Digits are the decimal ones.
    { files: { "handoff.yaml": "placeholders: [x², Ⅳ, x2, ٣]\n" }, at: ["handoff.yaml:1:16", "handoff.yaml:1:20"] },
  ],
  "model/invalid-mutation": {
    files: { "handoff.yaml": "forbidden_mutations: [/.x, gates, /, '[0]', //x, /x, .]\n" },
    at: ["handoff.yaml:1:23", ...[35, 38, 45, 54].map((column) => `handoff.yaml:1:${column}`)],
  },
  "model/absent-part": [
    {
      files: { "handoff.yaml": "placeholders: []\n" },
      at: ["-", "-", "-", "-", "-", "-"],
      message: "there is no roles.yaml: every role is denied",
    },
    { files: { ...HARNESS, "AGENT_A.md": TASK, "a.manifest.yaml": "", "exec.yaml": "" }, at: [] },
    { files: { ...HARNESS, "roles.yaml": "roles: [", "AGENT_A.md": TASK, "exec.yaml": "" }, at: ["-"] },
    { files: { "a.rego": "package a" }, at: [] },
  ],

  "model/undefined-role": [
    {
      files: { ...HARNESS, "lanes.yaml": HARNESS["lanes.yaml"].replace("[R]", "[R, Role]") },
      at: ["lanes.yaml:3:35"],
      message: "lane `L` admits role `Role`, which is not defined",
    },
    {
      files: { ...HARNESS, "lanes.yaml": HARNESS["lanes.yaml"].replace("[R]", "[R, r]") },
      at: ["lanes.yaml:3:35"],
      help: "did you mean `R`?",
    },
    { files: { "lanes.yaml": HARNESS["lanes.yaml"] }, at: [] },
  ],
  "model/undefined-tool": [
    { files: lane("    allowed_actions: { tools: [t, tt] }\n"), at: ["lanes.yaml:4:35"], help: "did you mean `t`?" },
    { files: { "lanes.yaml": HARNESS["lanes.yaml"] }, at: [] },
  ],
  "model/undefined-allowed-lane": {
    files: tool("    enabled: true\n    allowed_lanes: [L, M]\n"),
    at: ["tool_registry.yaml:4:24"],
    help: "did you mean `L`?",
  },
  "model/lane-excluded-by-tool": [
    { files: tool("    enabled: true\n    allowed_lanes: []\n"), at: ["lanes.yaml:4:32"] },
    { files: tool("    enabled: true\n    allowed_lanes: [L]\n"), at: [] },
    { files: tool("    enabled: true\n"), at: [] },
  ],
  "model/undefined-claimed-lane": {
    files: { ...HARNESS, "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L, l2] } }\n" },
    at: ["roles.yaml:2:44"],
  },
  "model/claim-not-admitted": {
    files: { ...HARNESS, "roles.yaml": "roles:\n  - role_id: R\n  - { role_id: S, privileges: { lanes: [L] } }\n" },
    at: ["roles.yaml:3:41"],
    message: "role `S` claims lane `L`, which does not admit it",
  },
  "model/admitted-without-claim": [
    {
      files: { ...HARNESS, "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [] } }\n" },
      at: ["lanes.yaml:3:32"],
    },
    {
      files: { ...HARNESS, "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: null } }\n" },
      at: ["lanes.yaml:3:32"],
    },
    { files: { ...HARNESS, "roles.yaml": "roles:\n  - role_id: R\n" }, at: [] },
  ],
  "model/role-without-lane": {
    files: { ...HARNESS, "roles.yaml": "roles:\n  - role_id: R\n  - role_id: S\n" },
    at: ["roles.yaml:3:14"],
    message: "no lane admits role `S`",
  },
  "model/lane-without-roles": {
    files: { ...HARNESS, "lanes.yaml": "lanes:\n  - lane_id: L\n    allowed_callers: { roles: }\n" },
    at: ["lanes.yaml:2:14"],
  },
  "model/lane-without-actions": [
    { files: lane(""), at: ["lanes.yaml:2:14"] },
    { files: lane("    allowed_actions: { tools: [], writes: [] }\n"), at: ["lanes.yaml:2:14"] },
    { files: lane("    allowed_actions: { writes: [{ table: x, mode: append }] }\n"), at: [] },
  ],
  "model/tool-without-lane": { files: lane("    allowed_actions: { tools: [] }\n"), at: ["tool_registry.yaml:2:18"] },
  "model/tool-without-enabled": {
    files: tool("    implementation_status: implemented\n"),
    at: ["tool_registry.yaml:2:16"],
  },
  "model/tool-without-status": { files: tool("    enabled: true\n"), at: ["tool_registry.yaml:2:16"] },
  "model/tool-lacks-scope-keys": {
    files: {
      ...lane("    allowed_actions: { tools: [t] }\n    scope: { requires: [a, b, c] }\n"),
      ...pick(tool("    enabled: true\n    required_scope_keys: [b]\n")),
    },
    at: ["lanes.yaml:4:32"],
    message: "tool `t` does not require `a`, `c`, which lane `L` does",
  },
  "model/tool-lacks-prohibitions": {
    files: {
      ...lane("    allowed_actions: { tools: [t] }\n    scope: { prohibits: [a, b] }\n"),
      ...pick(tool("    enabled: true\n    prohibited_flags: [b]\n")),
    },
    at: ["lanes.yaml:4:32"],
    message: "tool `t` does not prohibit `a`, which lane `L` does",
  },

  "model/subagent-undefined": [
    { files: { "AGENT_P.md": persona("A, BB"), "AGENT_A.md": TASK }, at: ["AGENT_P.md:2:15"], marked: "BB" },
    {
      files: { "AGENT_P.md": persona("[WRITR]"), "AGENT_WRITER.md": TASK },
      at: ["AGENT_P.md:2:13"],
      help: "did you mean `WRITER`?",
    },
    { files: { "AGENT_P.md": persona("[a]"), "AGENT_A.md": TASK }, at: ["AGENT_P.md:2:13"] },
  ],
  "model/subagent-undefined-dropped": {
    files: { "portcullis.yaml": DROP, "AGENT_P.md": persona("[A, B]"), "AGENT_A.md": TASK },
    at: ["AGENT_P.md:2:16"],
  },
  "model/subagent-not-type-2": [
    {
      files: { "AGENT_P.md": persona("[A]"), "AGENT_A.md": "AGENT_TYPE: 1\n" },
      at: ["AGENT_P.md:2:13"],
      message: "persona `P` allowlists `A`, which is TYPE 1, not TYPE 2",
    },
    { files: { "AGENT_P.md": persona("[A]"), "AGENT_A.md": "# A\n" }, at: ["AGENT_P.md:2:13"] },
    { files: { "AGENT_P.md": persona("[P]") }, at: ["AGENT_P.md:2:13"] },
  ],
  "model/subagent-not-type-2-dropped": {
    files: { "portcullis.yaml": DROP, "AGENT_P.md": persona("[A]"), "AGENT_A.md": "AGENT_TYPE: 0\n" },
    at: ["AGENT_P.md:2:13"],
  },
  "model/allowlist-resolves-to-nothing": [
    { files: { "portcullis.yaml": DROP, "AGENT_P.md": persona("[A, B]") }, at: ["AGENT_P.md:2:13"], marked: "A, B" },
    { files: { "AGENT_P.md": persona("[]") }, at: [] },
  ],
  "model/allowlist-of-non-persona": [
    {
      files: { "AGENT_P.md": "---\nsubagents: [A]\n---\nAGENT_TYPE: 0\n", "AGENT_A.md": TASK },
      at: ["AGENT_P.md:2:13"],
    },
    { files: { "AGENT_P.md": "---\nsubagents: [A]\n---\n", "AGENT_A.md": TASK }, at: ["AGENT_P.md:2:13"] },
  ],
  "model/agent-without-type": { files: { "AGENT_A.md": "# A\n" }, at: ["AGENT_A.md:1:1"], marked: "# A" },
  "model/unreadable-agent-type": {
    files: { "AGENT_A.md": "# A\nAGENT_TYPE: 3\n" },
    at: ["AGENT_A.md:2:1"],
    message: "`AGENT_TYPE: 3` declares no agent type",
  },
  "model/repeated-agent-type": { files: { "AGENT_A.md": "AGENT_TYPE: 2\n\nAGENT_TYPE: 1\n" }, at: ["AGENT_A.md:3:1"] },
  "model/agent-class-contradiction": {
    files: { "AGENT_A.md": "AGENT_TYPE: 2\nAGENT_CLASS: PERSONA\n| **AGENT_CLASS** | TASK |\n" },
    at: ["AGENT_A.md:2:1"],
  },
  "model/class-not-task": [
    {
      files: { "AGENT_A.md": "AGENT_TYPE: 2\nAGENT_CLASS: PERSONA\n" },
      at: ["AGENT_A.md:2:1"],
      message: "`A` is TYPE 2, but its AGENT_CLASS is PERSONA, not TASK",
    },
    { files: { "AGENT_A.md": "AGENT_TYPE: 2\n" }, at: ["AGENT_A.md:1:1"] },
    { files: { "AGENT_A.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK-SHORT\n" }, at: [] },
    { files: { "AGENT_A.md": "AGENT_TYPE: 1\nAGENT_CLASS: PERSONA\n" }, at: [] },
  ],
  "model/agent-in-no-allowlist": [
    { files: { "AGENT_P.md": persona("[A]"), "AGENT_A.md": TASK, "AGENT_B.md": TASK }, at: ["AGENT_B.md:1:1"] },
    { files: { "AGENT_P.md": persona("[A-B]"), "AGENT_A_B.md": TASK }, at: [] },
  ],
  "model/misspelt-front-matter-key": [
    { files: { "AGENT_P.md": "---\nsubagent: [A]\n---\n" }, at: ["AGENT_P.md:2:1"], marked: "subagent" },
    { files: { "AGENT_P.md": "---\ntools: [x]\ndescription: p\n---\n" }, at: [] },
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
        "b.manifest.yaml": "path_allowlist: [/srv/a/b, /srv/ab, /x/y, /srv/a/]\n",
      },
      at: ["a.manifest.yaml:1:13"],
      message: "`a` can spawn `b`, which may touch paths that it may not: `/srv/ab`",
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

  "model/exec-without-modes": { files: { "exec.yaml": "staging_root: /q\n" }, at: ["exec.yaml:1:1"] },
  "model/exec-without-staging-root": { files: { "exec.yaml": "modes: [a]\n" }, at: ["exec.yaml:1:1"] },
  "model/undefined-inline-mode": [
    {
      files: { "exec.yaml": "modes: [normal]\ninline_modes: [norml]\nstaging_root: /q\n" },
      at: ["exec.yaml:2:16"],
      help: "did you mean `normal`?",
    },
    { files: { "exec.yaml": "modes: [normal]\nstaging_root: /q\n" }, at: [] },
  ],

  "model/test-without-decision": {
    files: { "tests/a.yaml": "cases:\n  - { name: n, input: {}, expect: {} }\n" },
    at: ["tests/a.yaml:2:13"],
  },
  "model/test-name-repeated": {
    files: {
      "tests/a.yaml":
        "decision: lane\ncases:\n  - { name: n, input: {}, expect: {} }\n  - { name: n, input: {}, expect: {} }\n",
    },
    at: ["tests/a.yaml:4:13"],
  },
  "model/invalid-test-axis": [
    {
      files: matrix("role: R", "role: R"),
      at: ["tests/a.yaml:4:19"],
      message: "axis `role` must be a list, or `{ every: … }`",
    },
    { files: matrix("role: { every: rolls }", "role: R"), at: ["tests/a.yaml:4:28"] },
    { files: matrix("role: { every: roles, more: [] }", "role: R"), at: ["tests/a.yaml:4:35"] },
    { files: matrix("role: { every: roles, also: X }", "role: R"), at: ["tests/a.yaml:4:41"] },
    { files: matrix("role: []", "{}"), at: ["tests/a.yaml:4:13", "tests/a.yaml:5:14"] },
    {
      files: matrix("role: [A, B]", "role: [A, C]"),
      at: ["tests/a.yaml:5:26"],
      message: 'axis `role` has no value "C"',
    },
    {
      files: matrix("role: [A, B]", "role: A, lane: L"),
      at: ["tests/a.yaml:5:25"],
      message: "axis `lane` is not an axis of the matrix",
    },
    {
      files: matrix("role: [A, B], lane: [L]", "role: A"),
      at: ["tests/a.yaml:5:14"],
      message: "axis `lane` is missing in the `allow` entry",
    },
  ],
  "model/test-matrix-too-large": {
    files: {
      "tests/a.yaml": `decision: lane\nmatrices:\n  - name: n\n    axes: { ${["a", "b", "c"].map((a) => `${a}: [${Array.from({ length: 60 }, (_, i) => i).join(", ")}]`).join(", ")} }\n    allow: []\n`,
    },
    at: ["tests/a.yaml:3:11"],
    message: "`n` has 216000 combinations, more than 200000",
  },

  "lower/data-conflict": [
    {
      files: { "data.json": '{"a": {"b": 1, "c": 2}}', "data.yaml": "a:\n  b: 1\n  d: 3\n" },
      at: ["data.yaml:2:3"],
      message: "`data.a.b` is given twice",
    },
    { files: { "data.json": '{"a": {"b": 1}}', "a/data.yaml": "b: { c: 1 }\n" }, at: ["data.json:1:8"] },
    { files: { "a/data.json": '{"b": [1]}', "a/b/data.json": '{"c": 1}' }, at: ["a/data.json:1:2"] },
    { files: { "data.json": '{"a": 1}', "a/data.json": "{}" }, at: ["data.json:1:2"] },
  ],
  "lower/data-reserved": [
    { files: { ...HARNESS, "data.yaml": "portcullis: { policy: {} }\n" }, at: ["data.yaml:1:1"] },
    { files: { ...HARNESS, "portcullis/policy/data.json": "{}" }, at: ["portcullis/policy/data.json:1:1"] },
    { files: { "a.rego": "package a", "data.yaml": "portcullis: { policy: {} }\n" }, at: [] },
  ],
  "lower/data-not-object": [
    { files: { "data.json": "[1]" }, at: ["data.json:1:1"], message: "a data file must hold an object, found a list" },
    { files: { "x/data.yaml": "text\n" }, at: ["x/data.yaml:1:1"] },
    { files: { "data.yaml": "# nothing\n" }, at: [] },
  ],
};

function pick(files: Files): Files {
  return { "tool_registry.yaml": files["tool_registry.yaml"] as string };
}

function matrix(axes: string, allow: string): Files {
  return {
    "tests/a.yaml": `decision: lane\nmatrices:\n  - name: n\n    axes: { ${axes} }\n    allow: [ { ${allow.replace(/^\{\}$/, "")} } ]\n`,
  };
}

describe("findings of the model and lowering stages", () => {
  it("has a fixture for every code", () => {
    expect(Object.keys(FIXTURES).sort()).toEqual([...Object.keys(modelCodes), ...Object.keys(lowerCodes)].sort());
  });

  for (const [code, fixtures] of Object.entries(FIXTURES)) {
    for (const [i, fixture] of [fixtures].flat().entries()) {
      it(`${code} #${i + 1}`, () => {
        const all = compileFiles(fixture.files).diagnostics;
        const found = all.filter((d) => d.code === code);
        expect(found.map(brief), all.map(brief).join("\n")).toEqual(
          fixture.at.map((at) => (at === "-" ? code : `${code} ${at}`)),
        );
        if (fixture.marked !== undefined) expect(marked(found[0] as never)).toBe(fixture.marked);
        if (fixture.message !== undefined) expect(found[0]?.message).toBe(fixture.message);
        if (fixture.help !== undefined) expect(found[0]?.help).toBe(fixture.help);
        for (const d of found) expect(d.message).not.toMatch(/\{\w+\}|undefined/);
      });
    }
  }

  it("says what to do, in full sentences, for every code", () => {
    for (const [code, entry] of Object.entries({ ...modelCodes, ...lowerCodes })) {
      expect(code).toMatch(/^(?:model|lower)\/[a-z0-9-]+$/);
      expect(entry.message).not.toMatch(/\.$/);
      expect(entry.explain).toMatch(/\.$/);
      expect(entry.explain.length).toBeGreaterThan(60);
    }
  });
});
