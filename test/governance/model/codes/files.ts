/** Findings in one file: ids, names, shapes, what is there twice or not at all. */

import { UNSEEN } from "./arguments.ts";
import { type Fixtures, HARNESS, lane, persona, TASK, tool } from "./fixture.ts";

const AGENTS = "agents: { master: [m], sub: [s] }\n";

export const FILES: Fixtures = {
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
  "model/confusable-id": {
    files: { "roles.yaml": "roles:\n  - role_id: \u0410DMIN\n" },
    at: ["roles.yaml:2:14"],
    message: "`\u0410DMIN` holds a CYRILLIC letter (U+0410), which looks like `A`",
    help: "did you mean `ADMIN`?",
  },
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
    ...["/q ", "/q\u00a0r", "/q\u200b"].map((root) => ({
      files: { "exec.yaml": `modes: [a]\nstaging_root: "${root}"\n` },
      at: ["exec.yaml:2:15"],
    })),
    { files: { "roles.yaml": 'roles:\n  - role_id: ""\n' }, at: ["roles.yaml:2:14"], message: "`role_id` is empty" },
    { files: { "roles.yaml": 'roles:\n  - role_id: " A"\n' }, at: ["roles.yaml:2:14"] },
    { files: { "roles.yaml": 'roles:\n  - role_id: "A\\u0000"\n' }, at: ["roles.yaml:2:14"] },
    ...["\u200b", "\ufffd", "\ufeff", "\u00ad"].map((odd) => ({
      files: { "roles.yaml": `roles:\n  - role_id: "A${odd}B"\n` },
      at: ["roles.yaml:2:14"],
    })),
    { files: { "roles.yaml": 'roles:\n  - role_id: "A\\u202eB"\n' }, at: ["roles.yaml:2:14"] },
    {
      files: { "roles.yaml": "roles: [{ role_id: 'نمی\u200cخواهم' }, { role_id: É }, { role_id: 👩\u200d⚖️ }]\n" },
      at: [],
    },
    {
      files: lane('    allowed_actions: { tools: [t, "\\ufeff"] }\n'),
      at: ["lanes.yaml:4:35"],
      message: "an entry of `tools` is empty",
    },
    ...UNSEEN,
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
    { files: { "exec.yaml": "staging_root: '/srv/the queue/Ä'\n" }, at: [] },
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
  "model/invalid-mutation": [
    {
      files: { "handoff.yaml": "forbidden_mutations: [/.x, gates, /, '[0]', //x, /x, .]\n" },
      at: ["handoff.yaml:1:23", ...[35, 38, 45, 54].map((column) => `handoff.yaml:1:${column}`)],
    },
    ...["*", "style_*", "/style_*", "style_?", "**/style", "a, b", "*.a"].map((name) => ({
      files: { "handoff.yaml": `forbidden_mutations: ['${name}']\n` },
      at: ["handoff.yaml:1:23"],
    })),
    {
      files: {
        "handoff.yaml":
          "forbidden_mutations: ['a.*', 'a/**', '/b/*', 'c[*]', 'd\\*', '#/e/a, b', 'style book', $.f, 'x:y']\n",
      },
      at: [],
    },
  ],
  "model/invalid-forbidden-path": [
    {
      files: { "handoff.yaml": `${AGENTS}forbidden_paths: [/etc, a, 'a\\b', "a/**"]\n` },
      at: ["handoff.yaml:2:19", "handoff.yaml:2:28", "handoff.yaml:2:35"],
      message: "forbidden path `/etc` is absolute; write it from the root",
    },
    ...[".", "..", "a/../b", "./a", "a//b", "C:/a", "/", "a/.", "*.md", "a?", "{a,b}/c", "a.{md,txt}"].map((path) => ({
      files: { "handoff.yaml": `${AGENTS}forbidden_paths: ['${path}']\n` },
      at: ["handoff.yaml:2:19"],
    })),
    ...["~/a", "~", "$HOME/a", "$ROOT_DIR/a", "$ROOT_2"].map((path, i) => ({
      files: { "handoff.yaml": `${AGENTS}forbidden_paths: ['${path}']\n` },
      at: i < 4 ? ["handoff.yaml:2:19"] : [],
    })),
    {
      files: {
        "handoff.yaml": `${AGENTS}forbidden_paths: [a/, .git, a/b.md, Ä/ß, 'a/[id]/(b)', $types, a/$id, '{a}', a~, ~a, '{a}/b,c']\n`,
      },
      at: [],
    },
  ],
  "model/forbidden-path-without-agents": {
    files: { "handoff.yaml": "forbidden_paths: [a, b]\n" },
    at: ["handoff.yaml:1:19", "handoff.yaml:1:22"],
  },
  "model/handoff-agent-of-both-roles": [
    { files: { "handoff.yaml": "agents: { master: [m, n], sub: [s, m] }\n" }, at: ["handoff.yaml:1:36"] },
    {
      files: { "handoff.yaml": AGENTS, "x/handoff.yaml": "agents: { master: [s], sub: [m, t] }\n" },
      at: ["handoff.yaml:1:30", "x/handoff.yaml:1:30"],
    },
  ],
  "model/handoff-role-without-agents": [
    {
      files: { "handoff.yaml": "agents: { master: [], sub: [s] }\n" },
      at: ["handoff.yaml:1:9"],
      message: "no agent is master: every handoff is denied",
    },
    { files: { "handoff.yaml": "agents: { master: [], sub: [] }\n" }, at: ["handoff.yaml:1:9", "handoff.yaml:1:9"] },
    {
      files: {
        "handoff.yaml": "agents: { master: [], sub: [s] }\n",
        "x/handoff.yaml": "agents: { master: [m], sub: [] }",
      },
      at: [],
    },
  ],
  "model/empty-part": [
    {
      files: { "roles.yaml": "roles: []\n", "lanes.yaml": "lanes:\n", "tool_registry.yaml": "tools: null\n" },
      at: ["-", "-", "-"],
      message: "there is no role in roles.yaml: every role is denied",
    },
    { files: { "roles.yaml": "roles: []\n", "x/roles.yaml": HARNESS["roles.yaml"] }, at: [] },
    { files: { "roles.yaml": "roles: [" }, at: [] },
  ],
  "model/nothing-behind-key": [
    {
      files: lane(
        "    allowed_actions: { tools: [t] }\n    scope:\n      requires:\n      # - story\n      prohibits: ~\n",
      ),
      at: ["lanes.yaml:6:16", "lanes.yaml:8:18"],
      message: "`requires` has nothing behind it, and keeps nothing out",
    },
    {
      files: lane("    allowed_actions: { tools: [t] }\n    scope:\n    # requires: [story]\n"),
      at: ["lanes.yaml:5:11"],
    },
    {
      files: tool("    enabled: true\n    required_scope_keys:\n    prohibited_flags: null\n    write_targets:\n"),
      at: ["tool_registry.yaml:4:25", "tool_registry.yaml:5:23"],
    },
    {
      files: { "handoff.yaml": "required_fields:\nforbidden_mutations:\nplaceholders:\nforbidden_paths:\n" },
      at: ["handoff.yaml:1:17", "handoff.yaml:2:21", "handoff.yaml:3:14", "handoff.yaml:4:17"],
    },
    { files: { ...HARNESS, "limits.yaml": "limits:\n" }, at: ["limits.yaml:1:8"] },
    {
      files: {
        ...HARNESS,
        "portcullis.yaml": "lineage:\n  # require: true\ncall: null\nsubagents: ~\nrego:\nmcp:\nbundle:\nadapters:\n",
      },
      at: ["portcullis.yaml:1:9", "portcullis.yaml:3:7", "portcullis.yaml:4:12"],
    },
    { files: { ...HARNESS, "portcullis.yaml": "lineage: {}\ncall: {}\nsubagents: {}\n" }, at: [] },
    { files: { ...HARNESS, "portcullis.yaml": "# lineage: { require: true }\n" }, at: [] },
    {
      files: { ...HARNESS, "handoff.yaml": "# required_fields: [story]\n" },
      at: ["handoff.yaml:1:1"],
      message: "`handoff.yaml` has nothing behind it, and keeps nothing out",
    },
    { files: { ...HARNESS, "handoff.yaml": "version: a\n" }, at: [] },
    { files: lane("    allowed_actions: { tools: [t] }\n    scope: { requires: [], prohibits: [] }\n"), at: [] },
    { files: tool("    enabled: true\n    required_scope_keys: []\n    prohibited_flags: []\n"), at: [] },
    { files: { "handoff.yaml": "required_fields: []\n", "limits.yaml": "limits: []\n" }, at: [] },
  ],
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
};
