/** Findings on limits.yaml. */

import { type CauseRule, defineCodes } from "@portcullis/rego/diagnostics";

const UNREAD: readonly CauseRule[] = [
  { code: "model/confusable-id", by: "names" },
  { code: "model/invalid-id", by: "names" },
  { code: "model/absent-part", by: "absent", file: "roles.yaml" },
  { code: "model/absent-part", by: "absent", file: "lanes.yaml" },
  { code: "model/absent-part", by: "absent", file: "tool_registry.yaml" },
];

/** Keys that only the host sets are known by the settings. */
const UNREAD_SETTINGS: readonly CauseRule[] = [
  { by: "unread", stage: "sources", file: /(?:^|\/)portcullis\.ya?ml$/ },
  { code: "sources/misnamed-file", by: "any" },
];

export const limitCodes = defineCodes({
  "model/limit-without-rule": {
    severity: "error",
    message: "limit `{limit}` limits nothing",
    explain:
      "A limit has at least one of `max_calls`, `max_sum`, `only_after`, `never_after` and `only_during`. Without any it allows every call that it is about. Add the rule that is meant, or remove the limit.",
  },
  "model/limit-of-undefined": {
    severity: "error",
    message: "`{list}` of limit `{limit}` names {kind} `{name}`, which is not defined",
    causedBy: [
      ...UNREAD,
      { code: "model/empty-part", by: "entry", entry: "role" },
      { code: "model/empty-part", by: "entry", entry: "lane" },
      { code: "model/empty-part", by: "entry", entry: "tool" },
    ],
    explain:
      "A limit is about calls of tools, by roles, in lanes that the policy defines. One that names another is about fewer calls than it seems to, so that a slip in the name would open what was meant to be limited.",
  },
  "model/empty-list-of-limit": {
    severity: "error",
    message: "`{list}` of limit `{limit}` is empty: {consequence}",
    explain:
      "Without the list a limit is about any tool, role, lane or day; with an empty one it is about none, or nothing can keep it. Name what is meant, or remove the key.",
  },
  "model/malformed-limit-key": {
    severity: "error",
    message: "`{text}` of limit `{limit}` is nothing that calls can be counted by",
    explain:
      "`per` lists `role`, `lane`, `tool`, `session` and `scope.NAME`. Everything behind `scope.` is the name of a key of the call's scope.",
  },
  "model/limit-key-of-callers": {
    severity: "error",
    message: "limit `{limit}` counts by `{text}`, which is not in `host_scope`",
    causedBy: UNREAD_SETTINGS,
    explain:
      "A caller that may choose a key has a fresh budget with every new value. So limits count by keys that the host sets itself and never takes from arguments: list them as `call: { host_scope: [NAME] }` in portcullis.yaml, and see that the host does so.",
  },
  "model/host-scope-of-callers": {
    severity: "error",
    message: "`{key}` is in `host_scope`, and `adapters` takes it from {from}",
    explain:
      "`host_scope` lists keys of a call's scope that the host sets itself. Limits count by them, so that a caller who could write one would have a fresh budget with every new value. Take the key from a header that the host sets, or count by another one and remove it from `host_scope`.",
  },
  "model/limit-key-splits-order": {
    severity: "error",
    message: "limit `{limit}` has `{text}` in `per`, beside `{rule}`",
    explain:
      "`only_after` and `never_after` look for an earlier call under the same key. That call is one of another tool, often by another role and in another lane, so that with `role`, `lane` or `tool` in `per` it would not be found: what must come first never seems to have come. Write a limit of its own for the order.",
  },
  "model/malformed-window": {
    severity: "error",
    message: "`within` of limit `{limit}` is `{text}`: {problem}",
    explain:
      "A window is a whole number and a unit, `s`, `m`, `h` or `d`, from one second to 366 days: `90s`, `15m`, `24h`, `7d`.",
  },
  "model/window-without-count": {
    severity: "error",
    message: "limit `{limit}` has `within`, and neither `max_calls` nor `max_sum`",
    explain:
      "`within` of a limit is the window in which calls are counted and added up. How long ago the call of `only_after` may be is said inside of it: `only_after: { tools: […], within: 24h }`. `never_after` has no window.",
  },
  "model/malformed-sum": {
    severity: "error",
    message: "`of` of limit `{limit}` is `{text}`: it can be `args.NAME` or `scope.NAME`",
    explain:
      "`max_sum` adds up one member of each call: an argument, `args.NAME`, or a key of its scope, `scope.NAME`. Everything behind the dot is the name.",
  },
  "model/unknown-day": {
    severity: "error",
    message: "`{text}` of limit `{limit}` is no day of the week",
    explain: "`days` lists days of the week as `mon`, `tue`, `wed`, `thu`, `fri`, `sat` and `sun`.",
  },
  "model/malformed-time": {
    severity: "error",
    message: "`{key}` of limit `{limit}` is `{text}`: {problem}",
    explain:
      'A time of the day is two digits of hours and two of minutes, from `"00:00"` to `"23:59"`; `to` may be `"24:00"`, the end of the day. Where `to` is before `from`, the hours span midnight and are of the day on which they begin.',
  },
  "model/empty-hours": {
    severity: "error",
    message: "limit `{limit}` allows calls from {from} to {to}: no time is in between",
    explain:
      'Hours begin with `from` and end before `to`. Where both are the same minute, nothing is in between. A whole day is from `"00:00"` to `"24:00"`.',
  },
  "model/unknown-zone": {
    severity: "error",
    message: "`{zone}` of limit `{limit}` is no time zone of the IANA database",
    explain:
      "A zone is named as in the IANA time zone database, in its case: `Europe/Berlin`, `America/New_York`, `UTC`. Its offsets become part of the bundle, so that no host's own data on time zones decides.",
  },
  "model/limit-of-no-call": {
    severity: "warning",
    message: "limit `{limit}` is about no call: no role may call such a tool in such a lane",
    causedBy: [
      { code: "model/limit-of-undefined", by: "any" },
      { code: "model/empty-list-of-limit", by: "any" },
      { code: "model/undefined-role", by: "any" },
      { code: "model/undefined-tool", by: "any" },
      { code: "model/empty-part", by: "any" },
    ],
    explain:
      "A limit is about the calls whose tool, role and lane are all listed. No lane of these lists one of the tools and admits one of the roles, so that the limit never counts. Often a tool was moved to another lane, and the limit stayed.",
  },
  "model/limit-never-begins": {
    severity: "warning",
    message: "limit `{limit}` allows no first call: each tool of `only_after` needs one of them before",
    explain:
      "`only_after` asks for an earlier call of one of its tools. Where the limit is about all calls of these tools too, that call needs another one before it, and no call is ever the first. Say in `calls` which tools have to wait.",
  },
  "model/never-for-all": {
    severity: "warning",
    message:
      "limit `{limit}` has `never_after` and no `per`: the first call of these tools, by anyone, stops the others for ever",
    explain:
      "`never_after` has no window. It lasts as long as the key of `per`: a session with `session`, a story with `scope.story_id`. Without `per` it is one key for all callers, which never ends.",
  },
  "model/sum-of-nothing": {
    severity: "warning",
    message: "limit `{limit}` adds up `{text}`, and tool `{tool}` has {problem}",
    explain:
      "A call without a whole number to add up is denied as `limit_key_missing`. This tool says in `arguments` what it takes, and the argument is not there, or need not be a whole number, so calls that the tool allows are denied. Make it `type: integer`, required, with a `min` of 0 or more, or leave the tool out of the limit.",
  },
  "model/sum-of-callers": {
    severity: "warning",
    message: "limit `{limit}` adds up `{text}`, which is not in `host_scope`",
    causedBy: UNREAD_SETTINGS,
    explain:
      "What a caller writes into its scope need not be what the call does: an amount of 0 would never use up the sum. Add up the argument that the tool reads, or a key of the scope that the host sets, which `host_scope` in portcullis.yaml lists.",
  },
});
