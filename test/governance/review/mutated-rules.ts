/** A policy set with every kind of rule that counts, waits, asks a person or looks at arguments; and ways to change each of them. */

import { generateKeyPairSync } from "node:crypto";

/** What a change does: it lets more through, less, or some calls more and others less. */
export type Effect = "more" | "less" | "both";

/** `path`: what a reviewer has to be pointed at, as the bundle's data names it. */
export type Mutation = readonly [file: string, from: string, to: string, effect: Effect, path: RegExp];

const key = (): string =>
  JSON.stringify(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }))
    .replaceAll('"', "'")
    .replaceAll("':'", "': '");
const [ann, bob, eve] = [key(), key(), key()];

const TOOLS = ["pay", "refund", "publish", "review", "mail", "fetch", "call", "shell", "write", "get"];

export const FILES: Readonly<Record<string, string>> = {
  "portcullis.yaml": "call: { host_scope: [who, story] }\n",
  "roles.yaml": "roles: [{ role_id: CLERK }, { role_id: CHIEF }]\n",
  "lanes.yaml": `lanes:
  - lane_id: DESK
    allowed_callers: { roles: [CLERK, CHIEF] }
    allowed_actions: { tools: [${TOOLS}] }
  - lane_id: NIGHT
    allowed_callers: { roles: [CHIEF] }
    allowed_actions: { tools: [pay, refund, review, publish] }
`,
  "tool_registry.yaml": `tools:
  - tool_name: pay
    enabled: true
    implementation_status: implemented
    approval: bound
    arguments:
      cents: { type: integer, min: 1, max: { default: 100, CHIEF: 500 } }
      to: { one_of: [alpha, beta] }
      note: { required: false, max_length: 20 }
  - tool_name: refund
    enabled: true
    implementation_status: implemented
    approval: bound
  - { tool_name: publish, enabled: true, implementation_status: implemented, approval: required }
  - { tool_name: review, enabled: true, implementation_status: implemented }
  - tool_name: mail
    enabled: true
    implementation_status: implemented
    arguments:
      to: { pattern: "[a-z]+@example[.]org", approval: { bound: true, pattern: "[a-z]+@other[.]org" } }
      names: { required: false, type: list, max_length: 3, each: { one_of: [x, y] } }
  - { tool_name: fetch, enabled: true, implementation_status: implemented }
  - { tool_name: call, enabled: true, implementation_status: implemented }
  - tool_name: shell
    enabled: true
    implementation_status: implemented
    arguments:
      command: { commands: ["git status", "git log *"], approval: { commands: ["git push *"] } }
  - tool_name: write
    enabled: true
    implementation_status: implemented
    arguments:
      file: { paths: { below: [src, docs], except: [src/secrets] } }
  - tool_name: get
    enabled: true
    implementation_status: implemented
    arguments:
      url: { hosts: [api.example.com, "*.example.org"], schemes: [https] }
      depth: { type: integer, approval: bound, required: false }
`,
  "approvers.yaml": `approvers:
  - { name: ann, key: ${ann}, tools: [pay, mail], until: 2026-12-31 }
  - { name: bob, key: ${bob} }
`,
  "limits.yaml": `limits:
  - limit_id: PAY
    calls: { tools: [pay], roles: [CLERK], lanes: [DESK] }
    per: [role, scope.who]
    max_calls: 3
    max_sum: { of: args.cents, at_most: 250 }
    within: 1h
  - { limit_id: ORDER, calls: { tools: [publish] }, per: [scope.story], only_after: { tools: [review], within: 10m } }
  - { limit_id: TAINT, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch, get] } }
  - limit_id: HOURS
    calls: { tools: [call, refund] }
    only_during: { days: [mon, fri], from: "09:00", to: "17:30", zone: Europe/Berlin }
`,
  "house/call.rego": `package portcullis.ext.call

must contains "SMALL" if input.tool != "fetch"

must contains "SMALL" if {
	is_number(input.args.size)
	input.args.size <= data.house.size
}

deny contains {"gate": "HOUSE", "reason": "closed"} if input.scope.closed == true
`,
  "house/data.yaml": "size: 5\n",
};

/** By what replaces a text: changes whose effect no request can show, since hosts read them, or that another rule hides. */
export const SHOWN_BY_NO_REQUEST = /^(?:within: 59m|per: \[.*\](?:, never_after)?|\tis_number\(.*|size: 6)$/;

const limit = (id: string): RegExp => new RegExp(`limits\\.${id}\\b`);
const tool = (name: string): RegExp => new RegExp(`tools\\.${name}\\b`);
const approver = (name: string): RegExp => new RegExp(`approvers\\.${name}\\b`);
type Change = (path: RegExp, from: string, to: string) => Mutation;
const changes = (file: string): { readonly [E in "opens" | "closes" | "mixes"]: Change } => {
  const of =
    (effect: Effect): Change =>
    (path, from, to) => [file, from, to, effect, path];
  return { opens: of("more"), closes: of("less"), mixes: of("both") };
};
const registry = changes("tool_registry.yaml");
const approvers = changes("approvers.yaml");
const limits = changes("limits.yaml");
const rules = changes("house/call.rego");

export const MUTATIONS: readonly Mutation[] = [
  // Approvals of tools.
  registry.opens(
    tool("refund"),
    "    approval: bound\n  - { tool_name: publish",
    "    approval: required\n  - { tool_name: publish",
  ),
  registry.opens(tool("refund"), "    approval: bound\n  - { tool_name: publish", "  - { tool_name: publish"),
  registry.opens(
    tool("pay"),
    "    approval: bound\n    arguments:\n      cents",
    "    approval: required\n    arguments:\n      cents",
  ),
  registry.opens(tool("pay"), "    approval: bound\n    arguments:\n      cents", "    arguments:\n      cents"),
  registry.opens(tool("publish"), "approval: required }", "approval: none }"),
  registry.closes(tool("publish"), "approval: required }", "approval: bound }"),
  registry.closes(
    tool("review"),
    "tool_name: review, enabled: true",
    "tool_name: review, approval: bound, enabled: true",
  ),
  // Approvals of arguments.
  registry.opens(tool("mail"), "approval: { bound: true, pattern", "approval: { pattern"),
  registry.opens(tool("mail"), "other[.]org", "(?:other|third)[.]org"),
  registry.mixes(tool("mail"), ', approval: { bound: true, pattern: "[a-z]+@other[.]org" }', ""),
  registry.opens(
    tool("get"),
    "depth: { type: integer, approval: bound,",
    "depth: { type: integer, approval: required,",
  ),
  registry.opens(tool("get"), "depth: { type: integer, approval: bound,", "depth: { type: integer,"),
  registry.opens(
    tool("shell"),
    'approval: { commands: ["git push *"] }',
    'approval: { commands: ["git push *", "git fetch *"] }',
  ),
  registry.closes(tool("shell"), 'approval: { commands: ["git push *"] }', "approval: bound"),
  // Arguments.
  registry.opens(tool("pay"), "default: 100,", "default: 101,"),
  registry.opens(tool("pay"), "CHIEF: 500", "CHIEF: 501"),
  registry.opens(tool("pay"), "default: 100, CHIEF", "default: 100, CLERK: 400, CHIEF"),
  registry.closes(tool("pay"), "default: 100, CHIEF", "default: 100, CLERK: 4, CHIEF"),
  registry.closes(tool("pay"), "default: 100, ", ""),
  registry.opens(tool("pay"), "min: 1, max", "min: 0, max"),
  registry.opens(tool("pay"), "min: 1, ", ""),
  registry.opens(tool("pay"), "type: integer, min: 1", "type: number, min: 1"),
  registry.opens(tool("pay"), "[alpha, beta]", "[alpha, beta, gamma]"),
  registry.closes(tool("pay"), "[alpha, beta]", "[alpha]"),
  registry.opens(tool("pay"), "to: { one_of: [alpha, beta] }", "to: {}"),
  registry.opens(tool("pay"), "to: { one_of: [alpha, beta] }", "to: { one_of: [alpha, beta], required: false }"),
  registry.opens(tool("pay"), "max_length: 20", "max_length: 21"),
  registry.opens(tool("pay"), "note: { required: false, max_length: 20 }", "note: { required: false }"),
  registry.opens(
    tool("pay"),
    "      note: { required: false, max_length: 20 }\n",
    "      note: { required: false, max_length: 20 }\n      more: { required: false }\n",
  ),
  registry.closes(tool("pay"), "      note: { required: false, max_length: 20 }\n", ""),
  registry.closes(tool("pay"), "note: { required: false,", "note: {"),
  registry.opens(
    tool("pay"),
    "      note: { required: false, max_length: 20 }\n",
    "      note: { required: false, max_length: 20 }\n    other_arguments: allow\n",
  ),
  registry.opens(tool("mail"), "example[.]org", "exampl.*[.]org"),
  registry.opens(tool("mail"), "one_of: [x, y]", "one_of: [x, y, z]"),
  registry.opens(tool("mail"), "type: list, max_length: 3", "type: list, max_length: 4"),
  registry.opens(tool("shell"), '"git log *"]', '"git log *", "git diff *"]'),
  registry.opens(tool("shell"), '"git log *"]', '"git log **"]'),
  registry.closes(tool("shell"), '"git status", ', ""),
  registry.opens(tool("write"), "below: [src, docs]", "below: [src, docs, etc]"),
  registry.opens(tool("write"), ", except: [src/secrets]", ""),
  registry.opens(tool("write"), "except: [src/secrets]", "except: [src/secrets], resolve: text"),
  registry.closes(tool("write"), "except: [src/secrets]", "except: [src/secrets, docs/private]"),
  registry.opens(tool("get"), "[api.example.com,", "[api.example.com, other.example.com,"),
  registry.opens(tool("get"), '"*.example.org"', '"*.example.org", "*.evil.org"'),
  registry.opens(tool("get"), "api.example.com,", '"api.example.com:8443", api.example.com,'),
  registry.opens(tool("get"), "schemes: [https]", "schemes: [https, http]"),
  // Approvers.
  approvers.opens(approver("eve"), "  - { name: bob", `  - { name: eve, key: ${eve} }\n  - { name: bob`),
  approvers.closes(approver("bob"), `  - { name: bob, key: ${bob} }\n`, ""),
  approvers.opens(approver("ann"), "tools: [pay, mail]", "tools: [pay, mail, refund]"),
  approvers.opens(approver("ann"), "tools: [pay, mail], ", ""),
  approvers.closes(approver("ann"), "tools: [pay, mail]", "tools: [pay]"),
  approvers.opens(approver("ann"), "2026-12-31", "2027-01-01"),
  approvers.opens(approver("ann"), ", until: 2026-12-31", ""),
  approvers.closes(approver("ann"), "2026-12-31", "2026-12-30"),
  approvers.closes(approver("bob"), `name: bob, key: ${bob}`, `name: bob, until: 2030-01-01, key: ${bob}`),
  approvers.mixes(approver("bob"), `name: bob, key: ${bob}`, `name: bob, key: ${eve}`),
  approvers.mixes(approver("bert"), "name: bob", "name: bert"),
  // Limits.
  limits.opens(limit("PAY"), "max_calls: 3", "max_calls: 4"),
  limits.closes(limit("PAY"), "max_calls: 3", "max_calls: 2"),
  limits.opens(limit("PAY"), "    max_calls: 3\n", ""),
  limits.opens(limit("PAY"), "at_most: 250", "at_most: 251"),
  limits.closes(limit("PAY"), "at_most: 250", "at_most: 249"),
  limits.opens(limit("PAY"), "    max_sum: { of: args.cents, at_most: 250 }\n", ""),
  limits.mixes(limit("PAY"), "of: args.cents", "of: args.fee"),
  limits.opens(limit("PAY"), "within: 1h", "within: 59m"),
  limits.closes(limit("PAY"), "within: 1h", "within: 2h"),
  limits.closes(limit("PAY"), "    within: 1h\n", ""),
  limits.opens(limit("PAY"), "per: [role, scope.who]", "per: [role, lane, scope.who]"),
  limits.opens(limit("PAY"), "per: [role, scope.who]", "per: [role, session, scope.who]"),
  limits.mixes(limit("PAY"), "per: [role, scope.who]", "per: [role, scope.story]"),
  limits.mixes(limit("PAY"), "per: [role, scope.who]", "per: [role]"),
  limits.mixes(limit("PAY"), "    per: [role, scope.who]\n", ""),
  limits.opens(limit("PAY"), "tools: [pay], roles: [CLERK]", "tools: [refund], roles: [CLERK]"),
  limits.closes(limit("PAY"), "tools: [pay], roles: [CLERK]", "tools: [pay], roles: [CLERK, CHIEF]"),
  limits.closes(limit("PAY"), ", lanes: [DESK] }", " }"),
  limits.opens(limit("ORDER"), "within: 10m", "within: 11m"),
  limits.opens(limit("ORDER"), ", within: 10m", ""),
  limits.closes(limit("ORDER"), "within: 10m", "within: 9m"),
  limits.opens(limit("ORDER"), "only_after: { tools: [review]", "only_after: { tools: [review, fetch]"),
  limits.opens(limit("ORDER"), "per: [scope.story], only_after", "only_after"),
  limits.mixes(limit("ORDER"), "per: [scope.story], only_after", "per: [scope.story, session], only_after"),
  limits.opens(limit("TAINT"), "[fetch, get] }", "[fetch] }"),
  limits.closes(limit("TAINT"), "[fetch, get] }", "[fetch, get, call] }"),
  limits.opens(limit("TAINT"), "per: [session], never_after", "per: [session, scope.who], never_after"),
  limits.mixes(limit("TAINT"), "per: [session], never_after", "per: [scope.who], never_after"),
  limits.mixes(limit("TAINT"), "per: [session], never_after", "never_after"),
  limits.opens(limit("HOURS"), 'to: "17:30"', 'to: "17:31"'),
  limits.closes(limit("HOURS"), 'to: "17:30"', 'to: "17:29"'),
  limits.opens(limit("HOURS"), 'from: "09:00"', 'from: "08:59"'),
  limits.opens(limit("HOURS"), "days: [mon, fri]", "days: [mon, sun, fri]"),
  limits.opens(limit("HOURS"), "days: [mon, fri], ", ""),
  limits.closes(limit("HOURS"), "days: [mon, fri]", "days: [mon]"),
  limits.mixes(limit("HOURS"), "Europe/Berlin", "Africa/Lagos"),
  limits.mixes(limit("HOURS"), 'from: "09:00", to: "17:30"', 'from: "17:30", to: "09:00"'),
  limits.opens(limit("HOURS"), "tools: [call, refund]", "tools: [call]"),
  limits.opens(
    limit("TAINT"),
    "  - { limit_id: TAINT, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch, get] } }\n",
    "",
  ),
  limits.opens(limit("PAY"), "limit_id: PAY", "limit_id: PAID"),
  limits.closes(limit("NEW"), "limits:\n", "limits:\n  - { limit_id: NEW, calls: { tools: [fetch] }, max_calls: 9 }\n"),
  // Gates of authors.
  rules.opens(/ext\.call\.must/, 'must contains "SMALL" if input.tool != "fetch"', 'must contains "SMALL"'),
  rules.opens(
    /ext\.call\.must/,
    "\tis_number(input.args.size)\n\tinput.args.size <= data.house.size",
    "\tis_number(input.args.size)",
  ),
  rules.opens(/ext\.call\.deny/, "input.scope.closed == true", 'input.scope.closed == "yes"'),
  // What only hosts are told.
  ["portcullis.yaml", "call: {", "bundle: { name: other }\ncall: {", "both", /history_name/],
  ["house/data.yaml", "size: 5", "size: 6", "more", /data\.house\.size/],
  rules.closes(
    /ext\.call\.deny/,
    "deny contains",
    'deny contains {"gate": "AGAIN", "reason": "no"} if input.scope.shut == true\n\ndeny contains',
  ),
];
