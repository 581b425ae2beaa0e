/** Every combination of the outcomes of a decision's gates, each outcome brought about in a few ways. */
import type { DecisionName } from "../../statements/index.ts";
import type { WrittenLimit } from "../../statements/limits.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { every } from "./every.ts";
import { closeRequests, execRequests } from "./exec-requests.ts";
import { handoffRequests } from "./handoff-requests.ts";
import { nothings } from "./near-misses.ts";
import { absent, spoiledOnce } from "./spoiling.ts";

/** A tool about whose calls the registry says nothing more. */
const unbounded = { scope_keys: {}, prohibited_flags: {}, approval: "none" } as const;

/** Thursday, 1 January 2026. */
const THE_DAY = Date.UTC(2026, 0, 1);

/** All rules of a limit, for calls of `t`. */
const cap: WrittenLimit = {
  limit_id: "cap",
  calls: { tools: ["t"], roles: ["R"], lanes: ["L"] },
  per: ["session", "scope.k"],
  max_calls: 2,
  max_sum: { of: "args.n", at_most: 5 },
  only_after: { tools: ["open"], within: "1h" },
  never_after: { tools: ["off"] },
  only_during: { days: ["thu"], from: "00:00", to: "12:00", zone: "UTC" },
};

export const combined: PolicyData = {
  settings: {
    lineage: { depth: "positional", max_chain: 3, require: false },
    call: { lineage: "required", unknown_agents: "deny" },
    subagents: { approvers: "human" },
  },
  roles: { R: {}, S: {}, aß: {}, "10356|lNVUY": {} },
  lanes: {
    L: {
      roles: { R: true, T: true },
      tools: { t: true, off: true, plan: true, bare: true, lost: true, away: true, open: true },
      writes: { log: { append: true }, book: { append: true, upsert: true } },
      requires: { k: true, m: true },
      prohibits: { loud: true },
    },
  },
  tools: {
    t: {
      enabled: true,
      implementation_status: "implemented",
      lanes: { L: true },
      scope_keys: { k: true, n: true },
      prohibited_flags: { bulk: true, loud: true },
      write_targets: { log: true, other: true },
      approval: "required",
      limits: ["cap"],
    },
    off: { enabled: false, implementation_status: "implemented", ...unbounded, limits: ["cap"] },
    plan: { enabled: true, implementation_status: "planned", ...unbounded },
    bare: { implementation_status: "implemented", ...unbounded },
    free: { enabled: true, implementation_status: "implemented", ...unbounded },
    away: { enabled: true, implementation_status: "implemented", ...unbounded, lanes: { M: true } },
    open: { enabled: true, implementation_status: "implemented", ...unbounded, limits: ["cap"] },
  },
  agents: {
    LEAD: { type: 1, allowlist: ["A-B", "C"], delegated: ["C"] },
    NONE: { type: 1, allowlist: [], delegated: [] },
    WORK: { type: 2, allowlist: ["C"], delegated: ["C"] },
    LOST: { type: null, allowlist: ["C"], delegated: ["C"] },
  },
  manifests: {
    a: { can_spawn: { a: true, b: true, c: true }, max_spawn_depth: 2, tools: { t: true, open: true, off: true } },
    b: { can_spawn: { a: true }, max_spawn_depth: 1 },
  },
  handoff: {
    required_fields: ["handoff_id", "severity"],
    forbidden_mutations: { "/Budget": true },
    placeholders: { Soon: true },
    agents: { a: "sub", b: "master", c: "sub", d: "master" },
    forbidden_paths: { "Rules/top": true, "plan.md": true },
  },
  exec: {
    modes: { dev: true, init: true },
    inline_modes: { init: true },
    staging_root: "/q",
    script_extensions: [".py"],
    hat_lifetime_seconds: 60,
  },
  written_limits: [cap],
  limits: {
    cap: {
      calls: { tools: { t: true }, roles: { R: true }, lanes: { L: true } },
      per: ["session", "scope.k"],
      max_calls: 2,
      max_sum: { of: "args.n", at_most: 5 },
      only_after: { tools: { open: true }, within_ms: 3_600_000 },
      never_after: { tools: { off: true } },
      only_during: { days: { thu: true }, from: 0, to: 720, since_ms: THE_DAY, offsets: [[THE_DAY + 1e12, 0]] },
    },
  },
};

function subagent(): object[] {
  const governance = every({
    contextSealed: [true, "true", absent],
    pipelineRunApproved: [true, 1, absent],
    approvalRef: ["G-1", " \ufeff", 7, absent],
    approvedBy: [" me ", " ", null, absent],
  });
  return every({
    persona: ["LEAD", "NONE", "WORK", "LOST", "STRANGER", 5, absent],
    env: [{ CHIRALITY_ENABLE_SUBAGENTS: "true" }, { CHIRALITY_ENABLE_SUBAGENTS: true }, {}, absent],
    governance: [...governance, null, [], "x", absent],
  });
}

function exec(): object[] {
  const contract = {
    ...{ contract_id: "c", status: "open", signature_valid: true, expired: false },
    ...{ declared_targets: ["t"], declared_operations: ["WRITE"] },
  };
  const contracts = [
    ...["dev", "init"].map((mode) => ({ ...contract, mode })),
    { ...contract, mode: "dev", contract_id: ".." },
    { ...contract, mode: "dev", signature_valid: false },
    { ...contract, mode: "dev", status: "closed" },
    { ...contract, mode: "dev", expired: true },
    null,
  ];
  const hats = every({
    script_sha256: ["ab", "cd", ""],
    contract_id: ["c", "d"],
    declared_targets: [["t"], []],
    mode: ["dev", "init"],
    timestamp: ["now"],
    age_seconds: [1],
    signature_valid: [true, false],
  });
  return every({
    mode: ["dev", "init", "lost"],
    kind: ["script", "inline", "other"],
    session: [{ valid: true }, { valid: false }],
    script: every({ path: ["/q/c/x.py", "/q/d/x.py", "/z/c/x.py", "/q/c/x\\y.py"], sha256: ["ab", "", null] }),
    contract: contracts,
    hat: [
      ...hats,
      null,
      { ...hats[0], timestamp: "a|b" },
      { ...hats[0], declared_operations: ["WRITE"] },
      { ...hats[0], version: 2 },
    ],
  });
}

function lineage(): object[] {
  const agents = every({ agent_type: ["a", "b", "c"], spawn_depth: [0, 1, 2], agent_id: ["x", absent] });
  const chains: object[][] = [[], ...agents.map((one) => [one])];
  for (const one of agents) for (const two of agents) chains.push([one, two]);
  const few = agents.filter((_, i) => i % 2 === 0);
  for (const one of few) for (const two of few) for (const three of few) chains.push([one, two, three]);
  return chains.map((chain) => ({ lineage: chain }));
}

/** Every placing of a changed file against root and target. */
function close(): object[] {
  const places = [
    "/r",
    "/r/",
    "/",
    "/r/a",
    "/r/ab",
    "/r/a/b",
    "/r/./a",
    "/r/../r/a",
    "/r/a/..",
    "/r//a",
    "r/a",
    "",
    null,
  ];
  const targets = ["a", "a/", "./a", "a/b", ".", "..", "", " ", "/r/a", "/a", "/", "/s", "a\\b", "/r"];
  const placed = every({
    baseline_sha: ["abc"],
    contract: ["unsigned"],
    contract_root: ["/r", "/r/", "/", "/r/a", "/r/..", "r", ""],
    declared_targets: [[], ...targets.map((one) => [one, "z"])],
    declared_operations: [["WRITE"]],
    changed_files: [null, [], ...places.map((resolved) => [{ path: "f", resolved, operation: "WRITE" }])],
  });
  // Every operation against every declaration, under every kind of contract.
  const operations = ["CREATE", "WRITE", "DELETE", "RENAME", "MODE", "EXECUTE", "write", null, absent];
  const done = every({ path: ["f"], resolved: ["/r/a"], operation: operations });
  const operated = every({
    baseline_sha: ["abc", null],
    contract: [
      "unsigned",
      "signed",
      ...every({ signature_valid: [true, false, 1, absent], expired: [false, true, null, absent] }),
      absent,
    ],
    contract_root: ["/r"],
    declared_targets: [["a"]],
    declared_operations: [...[...operations.slice(0, 7), "WRITE "].map((one) => [one]), ["WRITE", 1], "WRITE", absent],
    changed_files: [...done.map((one) => [one]), [done[0], done[1]], [done[2], { ...done[2], resolved: "/r/b" }]],
  });
  return [...placed, ...operated];
}

/** What the host knows of earlier calls. */
const known = {
  now: THE_DAY + 1,
  session: "s",
  history: { cap: { calls: 1, sum: 2, last_ms: { open: THE_DAY } } },
};

/** A call with which nothing is wrong. */
const called = {
  role: "R",
  lane: "L",
  tool: "t",
  scope: { k: "c-1", m: 7, n: "x" },
  flags: ["dry"],
  writes: [{ table: "log", mode: "append" }],
  lineage: [{ agent_type: "a", spawn_depth: 0 }],
  approval: { ref: "AP-1", by: "m.ortiz" },
  args: { any: "thing", n: 3 },
  facts: known,
};

/** Every combination of ways to pass and to fail the gates. */
function call(): object[] {
  const { scope, writes, lineage: chain, approval } = called;
  return every({
    role: ["R", "S"],
    lane: ["L"],
    tool: ["t", "open", "away", "free", "off", "stranger"],
    scope: [scope, { ...scope, n: " " }, { ...scope, loud: "no" }, { ...scope, bulk: false }, [], absent],
    flags: [absent, ["bulk"], "bulk"],
    writes: [
      writes,
      [...writes, { table: "book", mode: "upsert" }],
      [{ table: "log", mode: "upsert" }],
      [{ table: "log" }],
      null,
    ],
    lineage: [
      chain,
      [{ agent_type: "b", spawn_depth: 1 }],
      [...chain, { agent_type: "b", spawn_depth: 1 }],
      [{ agent_type: "stranger", spawn_depth: 0 }],
      [],
      absent,
    ],
    approval: [approval, { ref: "AP-1", by: " R " }, { ref: " ", by: "m.ortiz" }, absent],
  });
}

/** Requests to the policy `combined`. */
export const combinations = { subagent, exec, lineage, close, call } as const;

const approved = { contextSealed: true, pipelineRunApproved: true, approvalRef: "G-1", approvedBy: "me" };

/** Who may and may not approve: roles, instruction files, agent types, and what almost is one. */
const agentNames = [
  "R",
  " R",
  "r",
  "R\u200b",
  "LEAD",
  "lead",
  "LE-AD",
  "NO-NE",
  "no_ne",
  "a",
  "A",
  "b\u3000",
  "d",
  "D",
];
const approvers = [
  ...[...nothings, ...agentNames, "T", "C", "m.ortiz", "agent_", "agent_agent_lead"],
  // Letters that are one, two readings of a letter, and letters apart.
  ...["iojsbiihhrr", "iojsbiihhr", "6", "ß", "ẞ", "aB", "ass", "asß", "m.ortizſ", "\u1100\u1161", "가"],
  ...["AGENT_LEAD", "agent-lead.md", "AGENT_LEAD.MD", "AGENT_R", "AGENT_R.md", "LEAD.md"],
];

/** Requests to the policy `combined`: a right one, and each of its values left out, null, of every type, and at its edges. */
export const oneByOne: Readonly<Record<DecisionName, () => unknown[]>> = {
  lane: () => spoiledOnce({ role: "R", lane: "L" }, { "/role": ["S", "T"] }),
  tool: () =>
    spoiledOnce(
      { role: "R", lane: "L", tool: "t" },
      { "/role": ["S"], "/tool": ["off", "plan", "bare", "free", "lost"] },
    ),
  subagent: () =>
    ["LEAD", "NONE"].flatMap((persona) =>
      spoiledOnce(
        { persona, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }, governance: approved },
        {
          "/persona": ["_A", "-LEAD", "lead"],
          "/governance/approvalRef": nothings,
          "/governance/approvedBy": approvers,
        },
      ),
    ),
  lineage: () =>
    spoiledOnce({
      lineage: [
        { agent_type: "a", spawn_depth: 0, agent_id: "x" },
        { agent_type: "b", spawn_depth: 1, agent_id: "y" },
        { agent_type: "a", spawn_depth: 1, agent_id: "z" },
      ],
    }).concat(
      spoiledOnce(
        {
          lineage: [
            { agent_type: "a", spawn_depth: 0 },
            { agent_type: "b", spawn_depth: 1 },
          ],
        },
        { "/lineage/1/spawn_depth": [2, 3] },
      ),
      spoiledOnce({ lineage: [{ agent_type: "c", spawn_depth: 0 }] }),
      [4, 3].map((length) => ({ lineage: Array.from({ length }, (_, i) => ({ agent_type: "a", spawn_depth: i })) })),
    ),
  handoff: handoffRequests,
  exec: execRequests,
  close: closeRequests,
  call: () => [
    ...spoiledOnce(called, {
      "/role": ["S", "T"],
      "/tool": ["off", "plan", "bare", "free", "lost", "away", "open"],
      "/scope": [
        { k: 1, m: 1, n: 1 },
        { k: "c", m: "c" },
        { k: "c", m: "c", n: "c", loud: null, bulk: false },
      ],
      "/scope/k": nothings,
      "/flags": [["loud"], ["Loud"], ["loud", "bulk"], ["dry", 1], { 0: "loud" }],
      "/writes": [[], [{ table: "book", mode: "append" }], [{ table: "other", mode: "append" }], { a: {} }],
      "/writes/0/mode": ["append", "upsert", "Append"],
      "/writes/0/table": ["log", "book", "other", "log "],
      "/lineage": [null, [], [{ agent_type: "b", spawn_depth: 0 }]],
      "/approval/by": approvers,
      "/approval/ref": nothings,
      "/facts/now": [THE_DAY - 1, THE_DAY + 43_200_000, THE_DAY + 43_199_999],
      "/facts/history/cap": [
        { calls: 2, sum: 0, last_ms: { open: THE_DAY }, free_at_ms: THE_DAY + 9 },
        { calls: 0, sum: 3, last_ms: { open: THE_DAY }, free_at_ms: "x" },
        { calls: 0, sum: 0, last_ms: { open: THE_DAY, off: 0 } },
      ],
    }),
    // The earlier gate tells of two faults.
    { ...called, tool: "away", scope: [], lineage: [{ agent_type: "b", spawn_depth: 0 }] },
    { ...called, approval: { ref: " ", by: "R" } },
    { ...called, approval: null, facts: { now: THE_DAY } },
    ...spoiledOnce({ ...called, tool: "open" }, { "/approval": [null, absent, {}, { ref: "x", by: "R" }] }),
  ],
};
