/** A policy set that has every field of every file, and requests that each field which decides can turn. */

import type { DecisionKind } from "@portcullis/runtime";
import { right } from "../library/right-requests.ts";

/** JSON is YAML; agents are Markdown. */
export type Documents = { readonly [file: string]: unknown };

const about = { version: "1", contract_version: "1", last_updated: "2026-01-01" };

export const documents: Documents = {
  "portcullis.yaml": {
    ...about,
    subagents: { unresolved: "error", approvers: "any" },
    lineage: { depth: "positional", max_chain: 3, roots: ["a"], require: false },
    call: { lineage: "required", unknown_agents: "deny", host_scope: ["k"] },
    adapters: {
      envoy: {
        headers: {
          role: "x-role",
          lane: "x-lane",
          lineage: "x-lineage",
          approval: "x-approval",
          scope: [{ key: "n", header: "x-n" }],
        },
        routes: [
          {
            method: "POST",
            path: "/things/{k}",
            tool: "t",
            lane: "L",
            query: ["q"],
            body: "json",
            scope: [{ key: "m", argument: "m" }],
            flags: ["dry"],
            writes: [{ table: "log", mode: "append" }],
          },
          { method: "GET", path: "/things/{k}/{m}", tool: "t" },
        ],
      },
      authzen: {
        subject_type: "role",
        resource_type: "tool",
        actions: [{ name: "use", lane: "L" }],
        ignored_context: ["time"],
      },
      mcp: {
        tools: [
          {
            name: "use",
            tool: "t",
            scope: [
              { key: "k", argument: "k" },
              { key: "m", argument: "m" },
              { key: "n", argument: "n" },
            ],
            flags: ["dry"],
            writes: [{ table: "log", mode: "append" }],
          },
        ],
      },
    },
    mcp: {
      resources: [{ lane: "L", names: ["memo://a", "desk/*"] }],
      prompts: [{ lane: "L", names: ["p"] }],
    },
    rego: { allow_builtins: ["time.now_ns"], host_data: ["shifts"] },
    waive: [
      { code: "model/spawn-cycle", at: "manifests/a.yaml", reason: "They restart each other.", until: "2999-12-31" },
    ],
    bundle: { revision: "r1", name: "p" },
  },
  "roles.yaml": {
    ...about,
    roles: [{ role_id: "R", description: "A role.", class: "worker", privileges: { lanes: ["L"] } }],
  },
  "lanes.yaml": {
    ...about,
    lanes: [
      {
        lane_id: "L",
        purpose: "A lane.",
        allowed_callers: { roles: ["R"] },
        allowed_actions: { tools: ["t", "u", "signed"], writes: [{ table: "log", mode: "append" }] },
        scope: { requires: ["k", "m"], prohibits: ["loud"] },
        audit: { required: true, level: "full" },
      },
    ],
  },
  "tool_registry.yaml": {
    ...about,
    tools: [
      {
        tool_name: "t",
        enabled: true,
        implementation_status: "implemented",
        description: "A tool.",
        status: "stable",
        idempotent: true,
        timeout_default_ms: 1000,
        allowed_lanes: ["L"],
        required_scope_keys: ["k", "n"],
        prohibited_flags: ["bulk"],
        write_targets: ["log"],
        approval: "required",
        returns_job_handle: true,
        consumes_job_handle: true,
        audit: { required: true, level: "full" },
      },
      {
        tool_name: "u",
        enabled: true,
        implementation_status: "implemented",
        other_arguments: "deny",
        arguments: {
          word: { type: "string", one_of: ["no"], approval: { one_of: ["yes"] } },
          text: { pattern: "a+", max_length: 2 },
          number: { type: "integer", one_of: [2], min: 2, max: 2 },
          file: { paths: { below: ["added"], except: ["kept"], resolve: "host" } },
          url: { hosts: ["h.example"], schemes: ["https"] },
          command: { commands: ["ls *"] },
          list: { type: "list", each: { type: "integer" } },
          more: { required: false },
        },
      },
      { tool_name: "signed", enabled: true, implementation_status: "implemented", approval: "bound" },
    ],
  },
  "approvers.yaml": {
    ...about,
    approvers: [
      {
        name: "m.ortiz",
        key: { kty: "OKP", crv: "Ed25519", x: "Q-2-ipioCqc_9YANUvj4aC498lGGyT2vb85cw9fhKjk" },
        tools: ["signed"],
        until: "2027-01-31",
      },
    ],
  },
  "manifests/a.yaml": {
    agent_type: "a",
    description: "Spawns b.",
    can_spawn: ["b"],
    max_spawn_depth: 2,
    allowed_tools: ["t", "u", "signed"],
    path_allowlist: ["/a"],
    network_egress: ["a.example"],
  },
  "manifests/b.yaml": { agent_type: "b" },
  "handoff.yaml": {
    ...about,
    required_fields: ["severity"],
    forbidden_mutations: ["budget"],
    placeholders: ["soon"],
    agents: { master: ["b"], sub: ["a"] },
    forbidden_paths: ["rules"],
  },
  "exec.yaml": {
    ...about,
    modes: ["dev", "init"],
    inline_modes: ["init"],
    staging_root: "/q",
    script_extensions: [".py"],
    hat_lifetime_seconds: 60,
    interpreters: { ".py": ["/usr/bin/python3"] },
    environment: ["TZ"],
  },
  "limits.yaml": {
    ...about,
    limits: [
      {
        limit_id: "A",
        description: "So often, and so much.",
        calls: { tools: ["u"], roles: ["R"], lanes: ["L"] },
        per: ["session"],
        max_calls: 2,
        max_sum: { of: "args.number", at_most: 5 },
        within: "1h",
      },
      { limit_id: "B", calls: { tools: ["u"] }, only_after: { tools: ["v"], within: "1h" } },
      { limit_id: "C", calls: { tools: ["u"] }, never_after: { tools: ["w"] } },
      {
        limit_id: "D",
        calls: { tools: ["u"] },
        only_during: { days: ["mon"], from: "09:00", to: "17:00", zone: "Asia/Tokyo" },
      },
    ],
  },
  "AGENT_LEAD.md": "---\nsubagents: [C]\n---\nAGENT_TYPE: 1\n",
  "AGENT_C.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
};

const { governance } = right.subagent as { governance: object };
const record = (right.handoff as { record: Record<string, unknown> }).record;
const handoff = (members: object): object => ({ ...right.handoff, record: { ...record, ...members } });
const chain = (...depths: readonly number[]): object => ({
  lineage: depths.map((spawn_depth, i) => ({ agent_type: i === 0 ? "a" : "b", spawn_depth, agent_id: `x${i}` })),
});

const { lineage, approval, scope } = right.call as { [member: string]: unknown };
const headers = {
  "x-role": "R",
  "x-lane": "L",
  "x-n": "x",
  "x-lineage": JSON.stringify(lineage),
  "x-approval": JSON.stringify(approval),
};
const http = (method: string, path: string): object => ({
  attributes: { request: { http: { method, path, headers } } },
});

const offered = { role: "R", lane: "L", lineage };

/** Entrypoint and request of the adapters; the set allows each. */
export const adapted: readonly (readonly [string, object])[] = [
  ["portcullis/envoy/authz", { ...http("POST", "/things/c-1?q=1"), parsed_body: { m: 7 }, truncated_body: false }],
  ["portcullis/envoy/authz", http("GET", "/things/c-1/7")],
  [
    "portcullis/authzen/evaluation",
    {
      subject: { type: "role", id: "R" },
      action: { name: "use" },
      resource: { type: "tool", id: "t" },
      context: { scope, lineage, approval, time: "now" },
    },
  ],
  [
    "portcullis/mcp/call",
    {
      request: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "use", arguments: scope } },
      identity: { role: "R", lane: "L", lineage, approval },
    },
  ],
  ["portcullis/offer/mcp", { ...offered, kind: "resources", name: "memo://a" }],
  ["portcullis/offer/mcp", { ...offered, kind: "resources", name: "desk/a" }],
  ["portcullis/offer/mcp", { ...offered, kind: "prompts", name: "p" }],
];

const argued = {
  ...right.call,
  tool: "u",
  args: { word: "yes", text: "aa", number: 2, file: "x", url: "https://h.example/", command: "ls x", list: [1] },
  facts: { paths: { file: "added/x" }, ...remembered({}) },
};

/** What the host knows of earlier calls. Monday, 2 March 2026, 09:00 in Tokyo. */
function remembered(history: object, now = Date.UTC(2026, 2, 2)): object {
  const known = { A: { calls: 1, sum: 3 }, B: { last_ms: { v: now - 3_600_000 } }, C: { last_ms: {} } };
  return { now, session: "s", history: { ...known, ...history } };
}

/** The same call, with another past. */
const later = (history: object, now?: number): object => ({
  ...argued,
  facts: { ...argued.facts, ...remembered(history, now) },
});
/** An approval whose signature was verified, given under a policy of which nothing else changes what it is asked. */
const bound = {
  ...right.call,
  tool: "signed",
  writes: null,
  approval: {
    ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-1", by: "m.ortiz", call_sha256: "c" },
    ...{ policy_revision: "another", expires_at: 1_800_000_000_000, nonce: "n", signature: "s" },
  },
  facts: {
    approval: { signature_valid: true, key_of: "m.ortiz", used: false, refused: false },
    ...{ call_sha256: "c", now: 1_799_999_999_999 },
  },
};

/** Decision, request, and whether the set allows it. */
export const requests: readonly (readonly [DecisionKind, object, boolean])[] = [
  ...(Object.entries(right) as [DecisionKind, object][]).map(([kind, request]) => [kind, request, true] as const),
  ["lineage", {}, true],
  // Not where it says, but as deep as it may be.
  ["lineage", chain(0, 2), false],
  ["call", { ...right.call, lineage: null }, false],
  ["call", { ...right.call, lineage: [{ agent_type: "stranger", spawn_depth: 0 }] }, false],
  ["call", { ...right.call, approval: null }, false],
  ["call", argued, true],
  ["call", { ...argued, args: { ...argued.args, other: 1 } }, false],
  ["call", later({ A: { calls: 2, sum: 0 } }), false],
  ["call", later({ B: { last_ms: { v: Date.UTC(2026, 2, 1) } } }), false],
  ["call", later({ C: { last_ms: { w: 0 } } }), false],
  ["call", later({}, Date.UTC(2026, 2, 2, 8)), false],
  ["call", { ...bound, facts: { ...bound.facts, now: Date.parse("2027-01-31T23:59:59.999Z") } }, false],
  ["call", { ...bound, facts: { ...bound.facts, now: Date.parse("2027-02-01T00:00:00Z") } }, false],
  ["exec", { ...right.exec, hat: { ...(right.exec as { hat: object }).hat, age_seconds: 2 } }, true],
  ["subagent", { ...right.subagent, governance: { ...governance, approvedBy: "a" } }, true],
  // What a changed list may add.
  ["call", { ...right.call, flags: ["added"] }, true],
  ["call", { ...right.call, writes: [{ table: "added", mode: "append" }] }, false],
  ["handoff", handoff({ attempted_mutations: ["added"] }), true],
  ["handoff", handoff({ to_agent: "added" }), false],
  ["handoff", handoff({ from_agent: "added" }), false],
  ["handoff", handoff({ next_action: { owner: "o", action: "added", input: "i" } }), true],
  ["exec", { ...right.exec, mode: "init", kind: "inline" }, true],
];
