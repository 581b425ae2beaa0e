/** Findings between roles, lanes and tools. */

import { type Fixtures, HARNESS, lane, pick, tool } from "./fixture.ts";

export const HARNESS_CODES: Fixtures = {
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
  "model/misspelt-status": [
    {
      files: tool("    enabled: true\n    implementation_status: Implemented\n"),
      at: ["tool_registry.yaml:4:28"],
      message: "tool `t` says `Implemented`, which is not `implemented`",
    },
    {
      files: tool("    enabled: true\n    implementation_status: implementd\n"),
      at: ["tool_registry.yaml:4:28"],
    },
    { files: tool("    enabled: true\n    implementation_status: implemented\n"), at: [] },
    { files: tool("    enabled: true\n    implementation_status: unimplemented\n"), at: [] },
    { files: tool("    enabled: true\n    implementation_status: planned\n"), at: [] },
  ],
  "model/unknown-status": [
    {
      files: tool("    enabled: true\n    implementation_status: done\n"),
      at: ["tool_registry.yaml:4:28"],
      message: "tool `t` has the unknown status `done`",
      help: "write one of `implemented`, `not_implemented`, `unimplemented`, `partial`, `planned`",
    },
    {
      files: tool("    enabled: true\n    implementation_status: not_implementd\n"),
      at: ["tool_registry.yaml:4:28"],
      help: "did you mean `not_implemented`?",
    },
    { files: tool("    enabled: true\n    implementation_status: implementd\n"), at: [] },
    { files: tool("    enabled: true\n    implementation_status: partial\n"), at: [] },
    { files: tool("    enabled: true\n"), at: [] },
  ],
  "model/write-target-of-no-lane": {
    files: {
      ...lane("    allowed_actions: { tools: [t], writes: [{ table: a, mode: append }] }\n"),
      ...pick(tool("    enabled: true\n    write_targets: [a, b]\n")),
    },
    at: ["tool_registry.yaml:4:24"],
    message: "tool `t` has write target `b`, which no lane may write",
  },
  "model/lane-write-of-no-tool": [
    {
      files: {
        ...lane(
          "    allowed_actions: { tools: [t], writes: [{ table: a, mode: append }, { table: b, mode: append }] }\n",
        ),
        ...pick(tool("    enabled: true\n    write_targets: [a]\n")),
      },
      at: ["lanes.yaml:4:82"],
      message: "lane `L` may write `b`, and none of its tools has that as a target",
      severity: "warning",
    },
    {
      files: {
        ...lane("    allowed_actions: { tools: [t], writes: [{ table: b, mode: append }] }\n"),
        ...pick(tool("    enabled: true\n")),
      },
      at: [],
    },
    { files: lane("    allowed_actions: { tools: [], writes: [{ table: b, mode: append }] }\n"), at: [] },
    { files: lane("    allowed_actions: { tools: [nope], writes: [{ table: b, mode: append }] }\n"), at: [] },
  ],
  "model/prohibited-scope-key": {
    files: {
      ...lane("    allowed_actions: { tools: [t] }\n    scope: { requires: [a], prohibits: [b] }\n"),
      ...pick(tool("    enabled: true\n    prohibited_flags: [a]\n")),
    },
    at: ["lanes.yaml:4:32"],
    message: "in lane `L`, tool `t` needs scope key `a`, which is a prohibited flag",
  },
  "model/misspelt-write-mode": [
    {
      files: lane("    allowed_actions: { writes: [{ table: log, mode: apend }, { table: b, mode: Upsert }] }\n"),
      at: ["lanes.yaml:4:53", "lanes.yaml:4:80"],
      message: "lane `L` allows writes of `log` by `apend`, which is not `append`",
      help: "did you mean `append`?",
    },
    // Words of one's own are not a slip.
    {
      files: lane(
        "    allowed_actions: { writes: [{ table: a, mode: append }, { table: b, mode: merge }, { table: c, mode: up }] }\n",
      ),
      at: [],
    },
  ],
  "model/misspelt-class": [
    {
      files: { "roles.yaml": "roles: [{ role_id: R, class: humam }, { role_id: S, class: AGENT }]\n" },
      at: ["roles.yaml:1:20", "roles.yaml:1:50"],
      message: "role `R` is of class `humam`, which is not `human`",
      help: "did you mean `human`?",
    },
    { files: { "roles.yaml": "roles: [{ role_id: R, class: agent }, { role_id: S, class: clinician }]\n" }, at: [] },
  ],
};
