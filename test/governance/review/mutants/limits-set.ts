/** Who has to approve a call, and what earlier calls and the time of day allow: approvals, approvers and limits. */

import { by, type Documents, each, gone, less, more, type Place, to } from "./edits.ts";
import { OWN, type World } from "./requests.ts";

const ON = { enabled: true, implementation_status: "implemented" };
const [ANN, BOB, EVE] = [
  "eKUm-B4tPDFiEOn3Y8SRglijfXlgz05XGtD99Upcf6w",
  "Xybv5OuXwjZ2JDqRqaY4VvKoRqKPnTStktkxn-AKBmA",
  "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
].map((x) => ({ kty: "OKP", crv: "Ed25519", x }));
const TOOLS = ["pay", "refund", "publish", "review", "mail", "fetch", "open"];

const DOCUMENTS: Documents = {
  "portcullis.yaml": { call: { host_scope: ["who", "story"] } },
  "roles.yaml": { roles: [{ role_id: "CLERK" }, { role_id: "CHIEF" }] },
  "lanes.yaml": {
    lanes: [
      {
        ...{ lane_id: "DESK", allowed_callers: { roles: ["CLERK", "CHIEF"] } },
        allowed_actions: { tools: TOOLS },
      },
      {
        ...{ lane_id: "NIGHT", allowed_callers: { roles: ["CLERK", "CHIEF"] } },
        allowed_actions: { tools: ["pay", "review"] },
      },
    ],
  },
  "tool_registry.yaml": {
    tools: [
      { tool_name: "pay", ...ON, approval: "none" },
      { tool_name: "refund", ...ON, approval: "bound" },
      { tool_name: "publish", ...ON, approval: "required" },
      { tool_name: "review", ...ON, approval: "none" },
      { tool_name: "mail", ...ON, approval: "none" },
      { tool_name: "fetch", ...ON, approval: "none" },
      { tool_name: "open", ...ON, approval: "none" },
    ],
  },
  "approvers.yaml": {
    approvers: [
      { name: "ann", key: ANN, tools: ["refund"], until: "2026-12-31" },
      { name: "bob", key: BOB },
    ],
  },
  "limits.yaml": {
    limits: [
      {
        ...{ limit_id: "PAY", calls: { tools: ["pay"], roles: ["CLERK"], lanes: ["DESK"] } },
        ...{ per: ["role", "scope.who"], max_calls: 3, max_sum: { of: "args.cents", at_most: 250 }, within: "1h" },
      },
      {
        ...{ limit_id: "ORDER", calls: { tools: ["publish"] } },
        ...{ per: ["scope.story"], only_after: { tools: ["review"], within: "10m" } },
      },
      { limit_id: "TAINT", calls: { tools: ["mail"] }, per: ["session"], never_after: { tools: ["fetch"] } },
      {
        ...{ limit_id: "HOURS", calls: { tools: ["open"] } },
        only_during: { days: ["mon", "fri"], from: "09:00", to: "17:30", zone: "Europe/Berlin" },
      },
    ],
  },
  "house/call.rego": `package portcullis.ext.call

must contains "SEEN" if input.tool != "review"

must contains "SEEN" if input.scope.story in data.house.stories
`,
  "house/data.yaml": { stories: ["s"] },
};

const limit = (id: string, path: string, edit: Place["edit"]): Place => ({
  ...{ kind: "limit", file: "limits.yaml", edit },
  path: `limits/${["PAY", "ORDER", "TAINT", "HOURS"].indexOf(id)}/${path}`,
});
const approver = (path: string, edit: Place["edit"]): Place => ({
  ...{ kind: "approver", file: "approvers.yaml", path: `approvers/*${path}`, edit },
});
const HOURS = { days: ["mon", "fri"], from: "09:00", to: "17:30", zone: "Europe/Berlin" };

const PLACES: readonly Place[] = [
  { kind: "approval", file: "tool_registry.yaml", path: "tools/*/approval", edit: to("none", "required", "bound") },
  { kind: "approver", file: "approvers.yaml", path: "approvers", edit: each(more({ name: "eve", key: EVE }), less) },
  approver("/name", to("ann-marie")),
  approver("/key", to(EVE)),
  approver("/tools", each(more("refund", "pay", "publish"), less, gone)),
  approver("/until", each(to("2026-12-30", "2027-01-01", "2026-06-01", "2026-05-31"), gone)),
  { kind: "limit", file: "limits.yaml", path: "limits", edit: less },
  {
    ...{ kind: "limit", file: "limits.yaml", path: "limits" },
    edit: more(
      { limit_id: "NEW", calls: { tools: ["fetch"] }, max_calls: 2, within: "1h" },
      { limit_id: "AFTER", calls: { tools: ["fetch"] }, only_after: { tools: ["review"] } },
      { limit_id: "EARLY", calls: { tools: ["review"] }, only_during: { ...HOURS, zone: "UTC" } },
    ),
  },
  limit("PAY", "limit_id", to("PAID")),
  limit("PAY", "calls/tools", each(more("fetch"), to(["fetch"]))),
  limit("PAY", "calls/roles", each(more("CHIEF"), to(["CHIEF"]), gone)),
  limit("PAY", "calls/lanes", each(more("NIGHT"), to(["NIGHT"]), gone)),
  limit("PAY", "per", each(more("lane", "tool", "session", "scope.story"), less, gone)),
  limit("PAY", "max_calls", each(by(1, -1), gone)),
  limit("PAY", "max_sum/of", to("args.fee", "scope.who")),
  limit("PAY", "max_sum/at_most", by(1, -1)),
  limit("PAY", "max_sum", gone),
  limit("PAY", "within", each(to("59m", "2h", "1d"), gone)),
  limit("ORDER", "per", each(more("session"), less, gone)),
  limit("ORDER", "calls/tools", more("mail")),
  limit("ORDER", "calls/roles", to(["CLERK"])),
  limit("ORDER", "only_after/tools", each(more("fetch"), to(["fetch"]))),
  limit("ORDER", "only_after/within", each(to("9m", "11m"), gone)),
  limit("ORDER", "max_calls", to(2)),
  limit("TAINT", "per", each(more("scope.who"), to(["scope.who"]), gone)),
  limit("TAINT", "never_after/tools", each(more("open", "pay"), to(["open"]))),
  limit("TAINT", "calls/roles", to(["CHIEF"])),
  limit("TAINT", "max_calls", to(2)),
  limit("HOURS", "only_during/days", each(more("sun", "tue"), less, gone)),
  limit("HOURS", "only_during/from", to("08:59", "09:01", "17:00")),
  limit("HOURS", "only_during/to", to("17:29", "17:31", "09:30")),
  limit("HOURS", "only_during/zone", to("Africa/Lagos", "UTC")),
  limit("HOURS", "only_during", to({ ...HOURS, from: "17:30", to: "09:00" })),
  limit("HOURS", "calls/tools", each(more("fetch"), to(["fetch"]))),
  limit("HOURS", "calls/lanes", to(["NIGHT"])),
  { kind: "host", file: "portcullis.yaml", path: "bundle", edit: to({ name: "other" }) },
  { kind: "data", file: "house/data.yaml", path: "stories", edit: each(more("t"), less) },
];

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const NOW = Date.UTC(2026, 5, 1, 12);
const DIGEST = "0".repeat(64);
const signed = (name: string, now: number) => ({
  approval: {
    ...{ ref: "A-1", by: name, type: "portcullis-approval/1", decision: "approve", call_sha256: DIGEST },
    ...{ policy_revision: OWN, expires_at: now + 60 * MINUTE, nonce: "n-1", signature: "s" },
  },
  verified: { signature_valid: true, key_of: name, used: false, refused: false },
});
const LAST = { calls: 0, sum: 0, last_ms: { review: NOW } };
const IDS = ["PAY", "ORDER", "TAINT", "HOURS", "NEW", "AFTER", "EARLY", "PAID"];
const history = (last: object) => Object.fromEntries(IDS.map((id) => [id, last]));
const facts = (now: number, by = "bob", last: object = { ...LAST, last_ms: { review: now } }) => ({
  ...{ now, session: "s-1", call_sha256: DIGEST },
  ...{ approval: signed(by, now).verified, history: history(last) },
});
/** Minutes of a Monday, a Tuesday and a Sunday on which hours of some zone begin or end. */
const TIMES = [0, 1, 6].flatMap((day) =>
  [419, 420, 421, 479, 480, 539, 540, 929, 930, 931, 989, 990, 1049, 1050, 449, 450, 899, 900].map(
    (minute) => Date.UTC(2026, 5, 1) + day * DAY + minute * MINUTE,
  ),
);
const ENDS = ["2026-05-31", "2026-06-01", "2026-12-30", "2026-12-31", "2027-01-01"].flatMap((day) =>
  [-1, 0].map((ms) => Date.parse(day) + DAY + ms),
);

export const LIMITS: World = {
  pairs: true,
  documents: DOCUMENTS,
  places: PLACES,
  roles: ["CLERK", "CHIEF"],
  lanes: ["DESK", "NIGHT"],
  tools: TOOLS,
  call: {
    ...{ scope: { who: "w", story: "s" }, args: { cents: 50, fee: 50 }, facts: facts(NOW) },
    approval: signed("bob", NOW).approval,
  },
  others: {
    "": ["ann", "ann-marie", "eve", "zoe"].flatMap((name) =>
      [NOW, ...(name === "ann" ? ENDS : [])].map((now) => ({
        approval: signed(name, now).approval,
        facts: facts(now, name),
      })),
    ),
    approval: [null, { ref: "A-1", by: "zoe" }, { ref: "A-1", by: "CLERK" }],
    "scope.story": ["t", null],
    "scope.who": [null],
    "args.cents": [0, 1, 249, 250, 251, null],
    "args.fee": [0, 249, 250, 251, null],
    facts: [
      ...TIMES.map((now) => facts(now)),
      ...[1, 2, 3, 4].map((calls) => facts(NOW, "bob", { ...LAST, calls })),
      ...[199, 200, 201].map((sum) => facts(NOW, "bob", { ...LAST, sum })),
      ...["fetch", "mail", "open", "pay"].map((one) => facts(NOW, "bob", { ...LAST, last_ms: { [one]: NOW } })),
      ...["fetch", "mail", "open", "pay"].map((one) =>
        facts(NOW, "bob", { ...LAST, last_ms: { review: NOW, [one]: NOW } }),
      ),
      ...[9, 10, 11].flatMap((minutes) =>
        [0, 1].map((ms) => facts(NOW, "bob", { ...LAST, last_ms: { review: NOW - minutes * MINUTE - ms } })),
      ),
      ...[facts(NOW, "bob", { ...LAST, last_ms: {} }), { ...facts(NOW), session: null }, {}],
    ],
  },
  byTool: {},
  types: [],
  chains: 0,
  personas: [],
  more: [],
};
