/** The handoff decision, stated from `handoff.md`. */
import type { PolicyData } from "./policy.ts";
import { type Decision, field, isObject, isWritten, trimmed } from "./values.ts";

type Violation = { readonly gate: string; readonly reason: string; readonly path: string };

const floor = [
  "handoff_id",
  "task_id",
  "from_agent",
  "to_agent",
  "input_scope",
  "actions_taken",
  "artifacts",
  "result",
  "next_action",
  "rulebook_update",
];
const topLevelContracts = [
  "gates",
  "protocol_review_contract",
  "identity_update_lifecycle_contract",
  "trigger_regression_contract",
  "agent_handoff_contract",
];
const emptyWords = ["todo", "tbd", "n/a", "na", "none", "pending", "later"];

const pointer = (key: string): string => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const isFilledObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;
const isFilledList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

/** Trimmed, lower-cased, without what paths and pointers begin with, and nothing from the first `.`, slash or `[` on. */
function contractName(name: string): string {
  return /^[./\\#$]*([^./\\[]*)/.exec(trimmed(name).toLowerCase())?.[1] ?? "";
}

/** The text's beginning, a run of letters, digits and `/`; white space before it does not count, U+FEFF does. */
function firstWord(text: string): string {
  return /^[\p{L}\p{Nd}/]*/u.exec(text.replace(/^\p{White_Space}+/u, ""))?.[0]?.toLowerCase() ?? "";
}

function evidenceFault(path: string, evidence: unknown): string | undefined {
  const parts = path.split(/[\\/]/);
  if (parts.includes("..") || (parts.length > 1 && parts[0] === "")) return "artifact_path_escapes";
  const facts = field(evidence, path);
  if (!isObject(facts)) return "artifact_path_not_found";
  if (field(facts, "contained") !== true) return "artifact_path_escapes";
  if (field(facts, "exists") !== true) return "artifact_path_not_found";
  if (field(facts, "file") !== true) return "artifact_path_not_a_file";
  return undefined;
}

function missing(policy: PolicyData, record: object): Violation[] {
  const wanted = new Set([...floor, ...policy.handoff.required_fields]);
  return [...wanted]
    .filter((key) => !Object.hasOwn(record, key))
    .map((key) => ({ gate: "REQUIRED_FIELDS", reason: "missing_required_field", path: pointer(key) }));
}

function artifacts(list: readonly unknown[], evidence: unknown): Violation[] {
  const found: Violation[] = [];
  for (const [i, artifact] of list.entries()) {
    const report = (reason: string, key: string): number =>
      found.push({ gate: "ARTIFACTS", reason, path: `/artifacts/${i}${key}` });
    if (!isObject(artifact)) {
      report("artifact_not_object", "");
      continue;
    }
    const path = field(artifact, "path");
    if (!isWritten(path)) report("artifact_path_missing", "/path");
    if (!isWritten(field(artifact, "kind"))) report("artifact_kind_missing", "/kind");
    const fault = isWritten(path) ? evidenceFault(path, evidence) : undefined;
    if (fault !== undefined) report(fault, "/path");
    else if (isWritten(path) && Object.hasOwn(artifact, "sha256")) {
      const [named, seen] = [field(artifact, "sha256"), field(field(evidence, path), "sha256")];
      if (typeof named !== "string" || named !== seen) report("artifact_digest_mismatch", "/sha256");
    }
  }
  return found;
}

function nextAction(policy: PolicyData, action: unknown): Violation[] {
  const found: Violation[] = [];
  const report = (reason: string, path: string): number => found.push({ gate: "NEXT_ACTION", reason, path });
  if (!isObject(action)) {
    report("next_action_not_object", "/next_action");
    return found;
  }
  const empty = [...emptyWords, ...Object.keys(policy.handoff.placeholders).map((word) => word.toLowerCase())];
  for (const key of ["owner", "action", "input"]) {
    const value = field(action, key);
    const told = isWritten(value) || (key === "input" && (isFilledObject(value) || isFilledList(value)));
    if (!told) report("next_action_missing", `/next_action/${key}`);
    if (typeof value === "string" && firstWord(value) !== "" && empty.includes(firstWord(value))) {
      report("next_action_placeholder", `/next_action/${key}`);
    }
  }
  return found;
}

function mutations(policy: PolicyData, record: object): Violation[] {
  if (!Object.hasOwn(record, "attempted_mutations")) return [];
  const names = field(record, "attempted_mutations");
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    return [{ gate: "MUTATIONS", reason: "attempted_mutations_invalid", path: "/attempted_mutations" }];
  }
  const forbidden = [...topLevelContracts, ...Object.keys(policy.handoff.forbidden_mutations).map(contractName)];
  return names.flatMap((name: string, i) =>
    forbidden.includes(contractName(name)) ||
    (isWritten(name) && contractName(name) === "") ||
    isForbiddenAttempt(policy, record, name)
      ? [{ gate: "MUTATIONS", reason: "forbidden_mutation", path: `/attempted_mutations/${i}` }]
      : [],
  );
}

/** One of the three layers that the contract tells apart; the third is written as `mcp`, as `tool`, or as both. */
const layers = ["identity", "skill", "mcp", "tool", "mcp/tool"];

/** The segments of a path, whatever slash and case it is written in. None for what leads upwards, or is no text. */
function segmentsOf(path: unknown): readonly string[] | undefined {
  if (typeof path !== "string") return undefined;
  const segments = path
    .toLowerCase()
    .split(/[\\/]/)
    .filter((one) => one !== "" && one !== ".");
  return segments.includes("..") ? undefined : segments;
}

/** Every segment of the second is at the same place of the first. */
const beginsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((segment, i) => path[i] === segment);

const knownRole = (policy: PolicyData, name: unknown): string | undefined => {
  const { agents } = policy.handoff;
  return agents !== undefined && typeof name === "string" && Object.hasOwn(agents, name) ? agents[name] : undefined;
};

/** Only where the policy names agents. */
function agents(policy: PolicyData, record: unknown): Violation[] {
  if (policy.handoff.agents === undefined) return [];
  const both = ["from_agent", "to_agent"];
  const found = both
    .filter((key) => isWritten(field(record, key)) && knownRole(policy, field(record, key)) === undefined)
    .map((key) => ({ gate: "AGENTS", reason: "unknown_agent", path: `/${key}` }));
  const [from, to] = both.map((key) => knownRole(policy, field(record, key)));
  if (from !== undefined && from === to) found.push({ gate: "AGENTS", reason: "role_boundary", path: "/to_agent" });
  return found;
}

const forbiddenPlaces = (policy: PolicyData, record: unknown): (readonly string[] | undefined)[] =>
  knownRole(policy, field(record, "from_agent")) === "sub"
    ? Object.keys(policy.handoff.forbidden_paths).map(segmentsOf)
    : [];

/** A sub's attempt to change a forbidden place, what lies in one, or what holds one. */
function isForbiddenAttempt(policy: PolicyData, record: unknown, name: string): boolean {
  const path = segmentsOf(trimmed(name));
  return forbiddenPlaces(policy, record).some(
    (place) => path === undefined || place === undefined || beginsWith(path, place) || beginsWith(place, path),
  );
}

/** A sub's artifact in a forbidden place: as the record says, or as the host found. */
function forbiddenArtifacts(policy: PolicyData, record: unknown, evidence: unknown): Violation[] {
  const list = field(record, "artifacts");
  if (!Array.isArray(list)) return [];
  return list.flatMap((artifact, i) => {
    const path = field(artifact, "path");
    if (!isObject(artifact) || !isWritten(path)) return [];
    const facts = field(evidence, path);
    const places: unknown[] = [path];
    if (isObject(facts) && Object.hasOwn(facts, "resolved")) places.push(field(facts, "resolved"));
    const lies = forbiddenPlaces(policy, record).some((forbidden) =>
      places.map(segmentsOf).some((one) => one === undefined || forbidden === undefined || beginsWith(one, forbidden)),
    );
    return lies ? [{ gate: "MUTATIONS", reason: "forbidden_mutation", path: `/artifacts/${i}/path` }] : [];
  });
}

/** Only where the policy names agents: which layer failed, by which hypothesis, with which patch and what result. */
function attribution(policy: PolicyData, record: unknown): Violation[] {
  if (policy.handoff.agents === undefined || field(record, "result") !== "FAIL") return [];
  const report = (key: string): Violation => ({
    gate: "FAILURE",
    reason: "failure_not_attributed",
    path: `/failure${key}`,
  });
  const failure = field(record, "failure");
  if (!isObject(failure)) return [report("")];
  const told = (key: string): boolean => isWritten(field(failure, key)) || isFilledObject(field(failure, key));
  return [
    ...(layers.includes(field(failure, "layer") as string) ? [] : [report("/layer")]),
    ...["hypothesis", "patch", "result"].filter((key) => !told(key)).map((key) => report(`/${key}`)),
  ];
}

function rulebook(update: unknown): Violation[] {
  const report = (reason: string, key: string): Violation[] => [
    { gate: "RULEBOOK", reason, path: `/rulebook_update${key}` },
  ];
  if (!isObject(update)) return report("rulebook_not_object", "");
  const applied = field(update, "applied");
  if (typeof applied !== "boolean") return report("rulebook_applied_not_boolean", "/applied");
  if (applied && !isWritten(field(update, "evidence_run_id"))) {
    return report("rulebook_evidence_missing", "/evidence_run_id");
  }
  return [];
}

function contradicts(record: unknown): boolean {
  const list = field(record, "artifacts");
  if (!isFilledList(list)) return false;
  const statuses = list.map((artifact) => {
    const status = field(artifact, "status");
    return typeof status === "string" ? status.toUpperCase() : undefined;
  });
  const result = field(record, "result");
  if (result === "PASS") return statuses.includes("FAIL") || statuses.includes("BLOCKED");
  if (result !== "FAIL" && result !== "BLOCKED") return false;
  const applied = field(field(record, "rulebook_update"), "applied") === true;
  return applied && statuses.every((status) => status === "PASS");
}

function violations(policy: PolicyData, record: unknown, evidence: unknown): Violation[] {
  if (!isObject(record)) return [{ gate: "RECORD", reason: "invalid_record", path: "" }];
  const absent = missing(policy, record);
  if (absent.length > 0) return absent;
  const found: Violation[] = [];
  const unfit = { gate: "IDENTITY_FIELDS", reason: "field_not_nonempty_string" };
  for (const key of ["handoff_id", "task_id", "from_agent", "to_agent"]) {
    if (!isWritten(field(record, key))) found.push({ ...unfit, path: `/${key}` });
  }
  const scope = field(record, "input_scope");
  if (!isWritten(scope) && !isFilledObject(scope)) found.push({ ...unfit, path: "/input_scope" });
  found.push(...agents(policy, record));
  const result = field(record, "result");
  if (result !== "PASS" && result !== "FAIL" && result !== "BLOCKED") {
    found.push({ gate: "RESULT", reason: "result_invalid", path: "/result" });
  }
  const actions = field(record, "actions_taken");
  if (!isFilledList(actions)) {
    found.push({ gate: "ACTIONS", reason: "actions_taken_empty", path: "/actions_taken" });
  } else {
    for (const [i, action] of actions.entries()) {
      if (isWritten(action) || isFilledObject(action)) continue;
      found.push({ gate: "ACTIONS", reason: "actions_taken_item_blank", path: `/actions_taken/${i}` });
    }
  }
  const list = field(record, "artifacts");
  if (isFilledList(list)) found.push(...artifacts(list, evidence));
  else found.push({ gate: "ARTIFACTS", reason: "artifacts_empty", path: "/artifacts" });
  found.push(...nextAction(policy, field(record, "next_action")));
  found.push(...mutations(policy, record));
  found.push(...forbiddenArtifacts(policy, record, evidence));
  found.push(...rulebook(field(record, "rulebook_update")));
  if (contradicts(record)) found.push({ gate: "EVIDENCE", reason: "result_contradicts_evidence", path: "/result" });
  found.push(...attribution(policy, record));
  return found;
}

export function handoff(policy: PolicyData, input: unknown): Decision {
  const found = violations(policy, field(input, "record"), field(input, "artifacts"));
  const first = found[0];
  if (first === undefined) return { allowed: true, gate: "ALLOW", reason: "handoff_accepted", violations: [] };
  return { allowed: false, gate: first.gate, reason: first.reason, violations: found };
}
