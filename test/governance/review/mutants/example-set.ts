/** The example, policies/: two places of each kind of a reviewer's edits, others of each than its neighbours'. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseToml, parseYaml, SourceFile, toPlain } from "@portcullis/documents";
import { by, type Documents, each, flip, gone, less, more, type Place, swap, to } from "./edits.ts";
import { OWN, type World } from "./requests.ts";

const root = fileURLToPath(new URL("../../../../policies/", import.meta.url));
const FOLDERS = ["", "agents/", "manifests/", "extensions/", "newsroom/"];

function documentsOf(): Documents {
  const files = FOLDERS.flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => `${folder}${name}`));
  return Object.fromEntries(
    files.flatMap((file) => {
      const text = (): string => readFileSync(`${root}${file}`, "utf8");
      const data = (parse: typeof parseYaml): unknown => {
        const tree = parse(new SourceFile(file, text())).root;
        return tree && toPlain(tree);
      };
      if (file.endsWith(".yaml")) return [[file, data(parseYaml)]];
      if (file.endsWith(".toml")) return [[file.replace(/toml$/, "yaml"), data(parseToml)]];
      const isRead = file.startsWith("agents/") || (file.endsWith(".rego") && !file.endsWith("_test.rego"));
      return isRead ? [[file, text()]] : [];
    }),
  );
}

const DOCUMENTS = documentsOf();
const rows = (file: string, list: string): readonly { readonly [key: string]: unknown }[] =>
  (DOCUMENTS[file] as { [list: string]: never })[list] as never;
const lanes = rows("lanes.yaml", "lanes");
const tools = rows("tool_registry.yaml", "tools");
const ids = (list: readonly { readonly [key: string]: unknown }[], key: string): string[] =>
  list.map((row) => String(row[key]));
const TYPES = ["news_desk", "researcher", "claim_checker", "copy_editor", "archive_reader"];
const MORE_TYPES = ["rights_desk", "picture_clearer", "fee_preparer", "publisher"];

/** Two rows of a table, others for each pattern, so that all of them come to be changed somewhere. */
function two(kind: string, file: string, list: string, path: string, edit: Edit, at: number): Place[] {
  const all = rows(file, list);
  return [at, at + 5].map((i) => ({ kind, file, path: `${list}/${i % all.length}/${path}`, edit: first(edit) }));
}

type Edit = Place["edit"];
/** One value of each edit: what else it would give is tried in the other sets. */
const first =
  (edit: Edit): Edit =>
  (value) =>
    edit(value).slice(0, 1);

const tool = (path: string, edit: Edit, at: number) => two("tool", "tool_registry.yaml", "tools", path, edit, at);
const lane = (path: string, edit: Edit, at: number) => two("lane", "lanes.yaml", "lanes", path, edit, at);
const one = (kind: string, file: string, path: string, edit: Edit): Place => ({ kind, file, path, edit });
const named = (list: string, name: string): number =>
  (list === "tools" ? ids(tools, "tool_name") : ids(lanes, "lane_id")).indexOf(name);
const TOOL = (name: string): string => `tools/${named("tools", name)}`;

const PLACES: readonly Place[] = [
  ...lane("allowed_callers/roles", more("READER_DESK"), 0),
  ...lane("allowed_callers/roles", less, 1),
  ...lane("allowed_actions/tools", less, 2),
  ...lane("allowed_actions/tools", more("web.search"), 3),
  ...lane("allowed_actions/writes", less, 4),
  ...lane("allowed_actions/writes", more({ table: "payouts", mode: "append" }), 0),
  ...lane("scope/requires", less, 1),
  ...lane("scope/requires", more("badge"), 2),
  ...lane("scope/prohibits", less, 3),
  ...tool("enabled", flip, 3),
  ...tool("implementation_status", to("implemented", "partial"), 2),
  ...tool("allowed_lanes", less, 1),
  ...tool("required_scope_keys", less, 9),
  ...tool("required_scope_keys", more("badge"), 11),
  ...tool("prohibited_flags", less, 12),
  ...tool("prohibited_flags", more("rush"), 14),
  ...tool("write_targets", less, 13),
  ...tool("approval", to("required"), 4),
  one("approval", "tool_registry.yaml", `${TOOL("article.retract")}/approval`, to("none", "bound")),
  one("approval", "tool_registry.yaml", `${TOOL("payout.release")}/approval`, to("required")),
  one("argument", "tool_registry.yaml", `${TOOL("style.check")}/arguments/draft/paths/except`, gone),
  one("argument", "tool_registry.yaml", `${TOOL("style.check")}/arguments/rules/max_length`, by(1)),
  one("argument", "tool_registry.yaml", `${TOOL("style.check")}/arguments/rules/each/one_of`, first(less)),
  one("argument", "tool_registry.yaml", `${TOOL("style.check")}/arguments/run/commands`, more("stylebook fix *")),
  one("approver", "approvers.yaml", "approvers/1/tools", more("payout.release")),
  one("approver", "approvers.yaml", "approvers/2/until", to("2027-12-31")),
  one("approver", "approvers.yaml", "approvers", first(less)),
  one("limit", "limits.yaml", "limits/0/max_calls", by(1)),
  one("limit", "limits.yaml", "limits/0/max_sum/at_most", by(-1)),
  one("limit", "limits.yaml", "limits/1/only_during/days", first(less)),
  one("limit", "limits.yaml", "limits/2/only_after/within", gone),
  one("limit", "limits.yaml", "limits/2", gone),
  one("agent", "manifests/newsdesk.yaml", "can_spawn", first(less)),
  one("agent", "manifests/newsdesk.yaml", "max_spawn_depth", by(-1)),
  one("agent", "manifests/researcher.yaml", "allowed_tools", more("claims.verify")),
  one("agent", "manifests/archive_reader.yaml", "can_spawn", more("researcher")),
  one("agent", "manifests/archive_reader.yaml", "max_spawn_depth", by(3)),
  one("agent", "manifests/publisher.yaml", "allowed_tools", to(["article.publish"])),
  one("agent", "manifests/copy_editor.yaml", "allowed_tools", gone),
  one("lineage", "portcullis.yaml", "lineage/require", flip),
  one("lineage", "portcullis.yaml", "lineage/depth", to("reported")),
  one("lineage", "portcullis.yaml", "lineage/max_chain", to(2)),
  one("persona", "portcullis.yaml", "subagents/approvers", to("any")),
  one("persona", "agents/AGENT_NEWS_DESK.md", "", swap("  - LEGAL_SCREENER\n", "")),
  one("persona", "agents/AGENT_RIGHTS_DESK.md", "", swap("FEE-PREPARER\n---", "COPY_EDITOR\n---")),
  one("rego", "newsroom/rules.rego", "", swap("amount_cents > 0", "amount_cents >= 0")),
  one("rego", "newsroom/rules.rego", "", swap("amount_cents <= data", "amount_cents < data")),
  one("rego", "extensions/tool.rego", "", swap("not rules.releases_money", "input.scope")),
  one("data", "newsroom/data.yaml", "payouts/limit", by(1, -1)),
  one("data", "newsroom/data.yaml", "payouts/tools", each(more("payout.prepare"), less)),
];

const NOW = Date.UTC(2026, 5, 1, 12);
const DIGEST = "0".repeat(64);
const KEYS = [...new Set(lanes.flatMap(({ scope }) => (scope as { requires: string[] }).requires))];
const FLAGS = [...new Set(lanes.flatMap(({ scope }) => (scope as { prohibits: string[] }).prohibits))];
const TABLES = [
  ...new Set(
    lanes.flatMap(({ allowed_actions: actions }) =>
      (actions as { writes: { table: string }[] }).writes.map(({ table }) => table),
    ),
  ),
];
const chain = (...types: string[]) => types.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth }));
const history = (last: object) => ({ ANSWERS_NOT_CAMPAIGNS: last, CLEARED_IN_OFFICE_HOURS: last, LETTER_FIRST: last });
const facts = (now: number, last: object = {}) => ({
  ...{ now, session: "s-1", call_sha256: DIGEST },
  history: history({ calls: 0, sum: 0, last_ms: { "mailbox.read": now }, ...last }),
});
const bound = (name: string, now = NOW) => ({
  approval: {
    ...{ ref: "A-1", by: name, type: "portcullis-approval/1", decision: "approve", call_sha256: DIGEST },
    ...{ policy_revision: OWN, expires_at: now + 3_600_000, nonce: "n-1", signature: "s" },
  },
  facts: { ...facts(now), approval: { signature_valid: true, key_of: name, used: false, refused: false } },
});

export const EXAMPLE: World = {
  pairs: false,
  documents: DOCUMENTS,
  places: PLACES,
  roles: ids(rows("roles.yaml", "roles"), "role_id"),
  lanes: ids(lanes, "lane_id"),
  tools: ids(tools, "tool_name"),
  call: {
    scope: { ...Object.fromEntries([...KEYS, "badge"].map((key) => [key, "x-1"])), amount_cents: 100 },
    args: { recipients: 1 },
    ...bound("m.ortiz"),
    lineage: chain("publisher"),
  },
  others: {
    scope: [...KEYS, "badge", "amount_cents"].map((key) => ({ without: key })),
    "scope.amount_cents": [-1, 0, 150_000, 150_001, "100"],
    flags: [...FLAGS, "rush"].map((flag) => [flag]),
    writes: TABLES.flatMap((table) => ["append", "upsert"].map((mode) => [{ table, mode }])),
    approval: [null, { ref: "A-1", by: "zoe" }, { ref: "A-1", by: "WRITER" }],
    "": [bound("k.lindqvist"), bound("e.brandt"), bound("e.brandt", Date.UTC(2025, 11, 31))],
    lineage: [
      ...[null, chain("stranger"), chain("news_desk"), chain("rights_desk"), chain("copy_editor")],
      ...["researcher", "claim_checker", "copy_editor"].map((type) => chain("news_desk", type)),
      chain("news_desk", "researcher", "archive_reader"),
    ],
  },
  byTool: {
    "style.check": {
      call: { args: { draft: "drafts/a" }, ...drafts("drafts/a") },
      others: {
        "facts.paths": ["drafts/embargoed/a", "src/a"].map((draft) => ({ draft })),
        "args.rules": [[], ["names"], ["numbers"], ["rhymes"], Array(5).fill("quotes"), Array(6).fill("quotes")],
        "args.run": ["stylebook check a", "stylebook fix a", "rm a"],
      },
    },
    "mailbox.reply": {
      call: {},
      others: {
        "args.recipients": [59, 60, 61],
        "facts.history": [39, 40, 41].map((calls) => history({ calls, sum: 0, last_ms: { "mailbox.read": NOW } })),
        facts: [
          ...[58, 59, 60].map((sum) => facts(NOW, { sum })),
          ...[7, 8].map((days) => facts(NOW, { last_ms: { "mailbox.read": NOW - days * 86_400_000 } })),
          facts(NOW, { last_ms: {} }),
        ],
      },
    },
    "legal.clear": { call: {}, others: { facts: [0, 1, 4, 5].map((day) => facts(NOW + day * 86_400_000)) } },
  },
  types: TYPES,
  chains: 4,
  personas: ["NEWS_DESK", "RIGHTS_DESK", "COPY_EDITOR"],
  more: MORE_TYPES.flatMap((parent) =>
    MORE_TYPES.map((child) => ["lineage", { lineage: chain(parent, child) }] as const),
  ),
};

function drafts(draft: string): object {
  const { facts: known } = bound("m.ortiz");
  return { facts: { ...known, paths: { draft } } };
}
