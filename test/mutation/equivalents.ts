/**
 * Mutants that mean the same as the library, each with the reason. One that is killed after all, or that the library no
 * longer has, fails the run.
 */
import type { Mutant, Operation } from "./mutants.ts";

interface Equivalent {
  readonly module: string;
  readonly operation: Operation;
  /** All of it, or its beginning with `…` behind. */
  readonly written: string;
  /** Where the same is written in several lines: the line. */
  readonly on?: string;
  /** Where it is changed in several ways: to what. */
  readonly to?: string;
  readonly reason: string;
}

const NAMED = "the value of the rule names it, and is undefined without it";
const PLACES = "the keys of an object are no places of items, and have no pointer";
const NUMBERS = "only opa's own interpreter takes a number for the key that is written like it";

const SPARES = "it only spares most paths to be taken apart";
const SHORT = "a short way, and the branch behind it says the same";
const KEYS = "nothing that the file may write begins so and goes on otherwise";
const FOLDS = "lowering writes the table wherever there is `except`";
const TABLE =
  "lowering writes the table wherever names are compared; what holds without it is asked by agents_test.rego";

/** A text that is another in that line. */
function nearText(module: string, on: string, written: string, to: string, reason: string): Equivalent {
  return { module, operation: "near text", on, written, to, reason };
}

const equivalents: readonly Equivalent[] = [
  {
    module: "offer.rego",
    operation: "drop condition",
    written: "not call.lineage_optional",
    reason: "the policy that is asked requires a chain; one that does not is asked by offer_test.rego",
  },
  {
    module: "authzen.rego",
    operation: "near text",
    written: '"facts"',
    reason:
      "the policy that is asked reads no facts of its calls; test/enforcement/serving/limits.test.ts asks with a history",
  },
  {
    module: "authzen.rego",
    operation: "other default",
    written: "false",
    on: 'default asked := {"decision": false}',
    reason: "no adapter's question asks this entrypoint; `portcullis prove` holds that it denies what asks for nothing",
  },
  {
    module: "authzen.rego",
    operation: "other default",
    written: "[]",
    reason: "no adapter's question asks this entrypoint; authzen_test.rego asks it without a mapping",
  },
  { module: "call.rego", operation: "drop condition", written: "arguments.denial", reason: NAMED },
  { module: "call.rego", operation: "drop condition", written: "approval.denial", reason: NAMED },
  { module: "call.rego", operation: "drop condition", written: "limits.denial", reason: NAMED },
  { module: "approval.rego", operation: "drop rule", written: "approver_is_person", reason: SHORT },
  {
    module: "approval.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "APPROVAL", "reason": "approver_unknown"} if {…',
    reason: "an approver who is unknown has no last day",
  },
  {
    module: "arguments.rego",
    operation: "drop condition",
    written: "policy.tools[input.tool].bound_arguments",
    reason: "lowering writes it where an argument is bound, and the rules ask each argument",
  },
  {
    module: "limits.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "LIMITS", "reason": "history_missing", "limit": id} if { not no…',
    reason: "a limit that is asked, and of whose history nothing is handed in, is denied with the same reason",
  },
  {
    module: "limits.rego",
    operation: "drop condition",
    written: "is_number(number)",
    reason: "floor of a value that is not a number has no value",
  },
  nearText(
    "limits.rego",
    'key(name) := input.scope[substring(name, 6, -1)] if startswith(name, "scope.")',
    '"scope."',
    '"scope"',
    KEYS,
  ),
  nearText(
    "limits.rego",
    'amount(of) := input.args[substring(of, 5, -1)] if startswith(of, "args.")',
    '"args."',
    '"args"',
    KEYS,
  ),
  nearText(
    "limits.rego",
    'amount(of) := input.scope[substring(of, 6, -1)] if startswith(of, "scope.")',
    '"scope."',
    '"scope"',
    KEYS,
  ),
  {
    module: "limits.rego",
    operation: "other operator",
    written: " < ",
    on: "hours.to < hours.from",
    to: " <= ",
    reason: "hours that end when they begin do not compile",
  },
  {
    module: "arguments.rego",
    operation: "drop condition",
    written: "is_number(value)",
    on: "is_number(value)",
    reason: "floor of a value that is not a number has no value",
  },
  {
    module: "arguments.rego",
    operation: "drop condition",
    written: "policy.arguments",
    reason: "lowering writes it wherever a tool says what its arguments may be",
  },
  { module: "arguments.rego", operation: "drop condition", written: 'trim(place, plain_letters) != ""', reason: SHORT },
  { module: "arguments.rego", operation: "drop rule", written: 'trim(text, plain_letters) == ""…', reason: SHORT },
  { module: "arguments.rego", operation: "drop condition", written: "policy.path_folds", reason: FOLDS },
  { module: "arguments.rego", operation: "invert condition", written: "policy.path_folds", reason: FOLDS },
  { module: "arguments.rego", operation: "drop rule", written: 'trim(value, bare) == ""…', reason: SHORT },
  nearText("arguments.rego", 'trim(place, plain_letters) != ""', '""', '" "', SHORT),
  nearText("arguments.rego", 'trim(text, plain_letters) == ""', '""', '" "', SHORT),
  nearText("arguments.rego", 'trim(value, bare) == ""', '""', '" "', SHORT),
  nearText("arguments.rego", 'around := concat("", [" ", value, " "])', '""', '" "', SHORT),
  nearText("arguments.rego", 'not contains(around, "  ")', '" "', '" "', SHORT),
  nearText("arguments.rego", 'not contains(around, " =")', '" ="', '" "', SHORT),
  nearText("arguments.rego", 'not contains(split(value, " ")[0], "=")', '"="', '""', SHORT),
  {
    module: "arguments.rego",
    operation: "swap branches",
    written: "input.args if { is_object(input.args) } else := {} if { not args_given…",
    reason: "one branch holds with arguments alone, the other without",
  },
  {
    module: "arguments.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "ARGUMENTS", "reason": "argument_unknown", "argument": name} if…',
    reason: "one branch holds for names that the tool does not declare, the other for those that it does",
  },
  {
    module: "arguments.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "ARGUMENTS", "reason": "argument_missing", "argument": name} if…',
    reason: "one branch holds without a value alone, the other with one alone",
  },
  {
    module: "arguments.rego",
    operation: "swap branches",
    written: "fault if { not allowed_with_approval(rule, value, name, i)…",
    reason: "one branch holds with `alone`, the other without",
  },
  {
    module: "arguments.rego",
    operation: "swap branches",
    written: 'not_allowed("max_length") if {…',
    reason: "one member is for texts and lists, the other for numbers",
  },
  {
    module: "arguments.rego",
    operation: "swap branches",
    written: 'not_allowed("max") if {…',
    reason: "one member is for numbers, the other for texts",
  },
  {
    module: "arguments.rego",
    operation: "near text",
    written: '""',
    on: 'own_port(scheme) := object.get({"https": "443", "http": "80"}, scheme, "")',
    reason: "it is compared with itself",
  },
  {
    module: "arguments.rego",
    operation: "other function",
    written: "startswith",
    on: 'startswith(word, "\'")',
    reason: "a quoted word begins and ends with its quote",
  },
  {
    module: "arguments.rego",
    operation: "drop condition",
    written: "is_array(places)",
    reason: "an object of JSON has no number for a key, and a text no items",
  },
  { module: "exec.rego", operation: "drop condition", written: "contract_fault", reason: NAMED },
  { module: "agents.rego", operation: "drop rule", written: "not regex.match(`[^\\x00-\\x7f]`, name)…", reason: SHORT },
  { module: "agents.rego", operation: "drop rule", written: "second == name", reason: SHORT },
  { module: "agents.rego", operation: "drop condition", written: "policy.names", reason: TABLE },
  { module: "agents.rego", operation: "invert condition", written: "policy.names", reason: TABLE },
  {
    module: "agents.rego",
    operation: "swap branches",
    written: 'strings.replace_n(alike, regex.replace(lower(name), `[^a-z0-9|]+`, "")) if {…',
    reason: SHORT,
  },
  {
    module: "agents.rego",
    operation: "near text",
    written: '""',
    on: 'spelt := concat("", all)',
    reason: "blanks between letters are dropped with all other signs",
  },
  {
    module: "agents.rego",
    operation: "near text",
    written: '""',
    on: 'some read in readings(concat("", [before, name, behind]))',
    reason: "blanks between letters are dropped with all other signs",
  },
  { module: "call.rego", operation: "drop condition", written: "unable_agent", reason: NAMED },
  { module: "call.rego", operation: "drop condition", written: "write_beyond_lane", reason: NAMED },
  { module: "call.rego", operation: "drop condition", written: "write_beyond_tool", reason: NAMED },
  {
    module: "call.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "LINEAGE", "reason": "lineage_missing"} if { not lineage_option…',
    reason: "one branch holds without a lineage alone, the other with one alone",
  },
  { module: "lineage.rego", operation: "drop condition", written: "broken_pair", reason: NAMED },
  {
    module: "lineage.rego",
    operation: "swap branches",
    written: '{"allowed": true, "gate": "ALLOW", "reason": "empty_lineage"} if { count(input.lineage) == 0…',
    reason: "an empty chain has no pair that is broken",
  },
  { module: "lineage.rego", operation: "drop condition", written: "repeated_id", reason: NAMED },
  { module: "lineage.rego", operation: "drop condition", written: "misplaced", reason: NAMED },
  { module: "subagent.rego", operation: "drop condition", written: "approved_by", reason: NAMED },
  {
    module: "subagent.rego",
    operation: "swap branches",
    written: '{ "allowed": false, "gate": "INTERNAL_ERROR", "reason": "invalid input",…',
    reason: "the other branch's reason names the persona, and has no value for a value that is not a text",
  },
  {
    module: "subagent.rego",
    operation: "swap branches",
    written: '{ "allowed": false, "gate": "INTERNAL_ERROR", "reason": concat(…',
    reason: "the other branch has the agent's allowlist, and no value where there is no agent",
  },
  { module: "handoff.rego", operation: "drop condition", written: "missing_fields != []", reason: NAMED },
  { module: "handoff.rego", operation: "drop condition", written: "violations != {}", reason: NAMED },
  { module: "handoff.rego", operation: "drop condition", written: "is_array(record.actions_taken)", reason: PLACES },
  {
    module: "handoff_next_action.rego",
    operation: "drop condition",
    written: "strings.any_prefix_match(lower(trimmed), placeholders)",
    reason: "it only spares most texts the pattern",
  },
  {
    module: "handoff_artifacts.rego",
    operation: "drop condition",
    written: 'contains(path, "..")',
    reason: SPARES,
  },
  nearText("handoff_artifacts.rego", 'contains(path, "..")', '".."', '"."', SPARES),
  {
    module: "handoff_artifacts.rego",
    operation: "swap branches",
    written: '"artifact_path_escapes" if { escapes(path) } else := "artifact_path_escapes"…',
    reason: "both branches say the same",
  },
  {
    module: "path.rego",
    operation: "swap branches",
    written:
      'place(path) if { canonical(path) } else := concat("/", array.concat(array.concat([""], named), [""])) if { absolute(path) named := [segment | some segment in split(path, "/"); not segment in {"", "."}]',
    reason: SHORT,
  },
  { module: "path.rego", operation: "drop rule", written: "canonical(path)", reason: SHORT },
  { module: "path.rego", operation: "drop condition", written: 'startswith(path, ".")', reason: SPARES },
  { module: "path.rego", operation: "drop condition", written: 'contains(path, "/.")', reason: SPARES },
  { module: "path.rego", operation: "drop condition", written: "startswith(base, path)", reason: SHORT },
  nearText("path.rego", 'startswith(path, ".")', '"."', '""', SPARES),
  nearText("path.rego", 'contains(path, "/.")', '"/."', '"/"', SPARES),
  { module: "lane.rego", operation: "drop condition", written: "is_string(input.role)", reason: NUMBERS },
  { module: "lane.rego", operation: "drop condition", written: "is_string(input.lane)", reason: NUMBERS },
  { module: "tool.rego", operation: "drop condition", written: "is_string(input.tool)", reason: NUMBERS },
  { module: "exec.rego", operation: "drop condition", written: "is_string(input.mode)", reason: NUMBERS },
  { module: "envoy.rego", operation: "drop condition", written: "route.lane", reason: NAMED },
  {
    module: "envoy.rego",
    operation: "drop condition",
    written: "claim_text(claim)",
    on: "claim_text(claim)",
    reason: NAMED,
  },
  {
    module: "envoy.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "ROUTE", "reason": "route_not_mapped"}…',
    reason: "one branch holds without a route alone, the other with several alone",
  },
  {
    module: "envoy.rego",
    operation: "drop condition",
    written: 'route.body == "json"',
    on: 'route.body == "json"',
    reason: "a body that is not `json` is `ignored`, and understood already",
  },
  {
    module: "mcp.rego",
    operation: "swap branches",
    written: '{"allowed": false, "gate": "MAPPING", "reason": "tool_not_mapped"}…',
    reason: "the other branch asks about the mapped tool, and has no value without one",
  },
];

const met = new Set<Equivalent>();

export function explanationOf(mutant: Mutant): string | undefined {
  const found = equivalents.find(
    ({ module, operation, written, on = mutant.on, to = mutant.to }) =>
      module === mutant.module &&
      operation === mutant.operation &&
      on === mutant.on &&
      to === mutant.to &&
      isWritten(mutant, written),
  );
  if (found !== undefined) met.add(found);
  return found?.reason;
}

function isWritten(mutant: Mutant, written: string): boolean {
  return written.endsWith("…") ? mutant.written.startsWith(written.slice(0, -1)) : mutant.written === written;
}

/** Entries of these modules that no mutant met. */
export function unused(modules: readonly string[]): string[] {
  return equivalents
    .filter((entry) => modules.includes(entry.module) && !met.has(entry))
    .map(({ module, operation, written }) => `${module}  ${operation}  ${written}`);
}
