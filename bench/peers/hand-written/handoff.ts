import type { HandoffRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import type { Answer } from "./constant.ts";
import { rolesOf } from "./handoff-roles.ts";
import { add, type Evidence, isDescribed, isFilledList, type Violation, violation } from "./handoff-values.ts";
import { isObject, isWritten, type Members } from "./text.ts";

const REQUIRED = [
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
const IDENTITY = ["handoff_id", "task_id", "from_agent", "to_agent"];
const PLACEHOLDERS = ["todo", "tbd", "n/a", "na", "none", "pending", "later"];
const FORBIDDEN = [
  "gates",
  "protocol_review_contract",
  "identity_update_lifecycle_contract",
  "trigger_regression_contract",
  "agent_handoff_contract",
];
/** The run of letters, digits and slashes that a text begins with, after white space. */
const FIRST_WORD = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*([\p{L}\p{Nd}/]+)/u;

export function handoffOf({ handoff }: PolicyTables): (request: HandoffRequest) => Answer {
  const required = [...new Set([...REQUIRED, ...(handoff?.required_fields ?? [])])];
  const placeholders = new Set([...PLACEHOLDERS, ...Object.keys(handoff?.placeholders ?? {}).map(lower)]);
  const forbidden = new Set([...FORBIDDEN, ...Object.keys(handoff?.forbidden_mutations ?? {}).map(contractOf)]);

  const roleBoundaries = rolesOf(handoff);

  const isPlaceholder = (value: unknown): boolean => {
    const word = typeof value === "string" ? FIRST_WORD.exec(value)?.[1] : undefined;
    return word !== undefined && placeholders.has(lower(word));
  };

  const checkNextAction = (next: unknown, found: Violation[]): void => {
    if (!isObject(next)) return add(found, "NEXT_ACTION", "next_action_not_object", "/next_action");
    const { owner, action, input } = next;
    const check = (field: string, told: boolean, value: unknown): void => {
      if (!told) add(found, "NEXT_ACTION", "next_action_missing", `/next_action/${field}`);
      if (isPlaceholder(value)) add(found, "NEXT_ACTION", "next_action_placeholder", `/next_action/${field}`);
    };
    check("owner", isWritten(owner), owner);
    check("action", isWritten(action), action);
    check("input", isDescribed(input) || isFilledList(input), input);
  };

  const checkMutations = (record: Members, found: Violation[], isForbidden: (name: string) => boolean): void => {
    const names = record["attempted_mutations"];
    if (names === undefined) return;
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
      return add(found, "MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations");
    names.forEach((name: string, i) => {
      if (forbidden.has(contractOf(name)) || isForbidden(name))
        add(found, "MUTATIONS", "forbidden_mutation", `/attempted_mutations/${i}`);
    });
  };

  return ({ record, artifacts }) => {
    if (!isObject(record)) return denied([violation("RECORD", "invalid_record", "")]);
    const missing = required.filter((field) => !Object.hasOwn(record, field));
    if (missing.length > 0)
      return denied(missing.map((field) => violation("REQUIRED_FIELDS", "missing_required_field", pointer(field))));

    const found: Violation[] = [];
    for (const field of IDENTITY)
      if (!isWritten(record[field])) add(found, "IDENTITY_FIELDS", "field_not_nonempty_string", `/${field}`);
    if (!isDescribed(record["input_scope"])) add(found, "IDENTITY_FIELDS", "field_not_nonempty_string", "/input_scope");
    const roles = roleBoundaries?.(record);
    roles?.checkAgents(found);
    const result = record["result"];
    if (result !== "PASS" && result !== "FAIL" && result !== "BLOCKED")
      add(found, "RESULT", "result_invalid", "/result");
    checkActions(record["actions_taken"], found);
    checkArtifacts(record["artifacts"], artifacts, found);
    checkNextAction(record["next_action"], found);
    checkMutations(record, found, roles?.isForbiddenAttempt ?? never);
    roles?.checkPaths(artifacts, found);
    checkRulebook(record["rulebook_update"], found);
    if (contradicted(record)) add(found, "EVIDENCE", "result_contradicts_evidence", "/result");
    roles?.checkFailure(found);
    return found.length > 0
      ? denied(found)
      : { allowed: true, gate: "ALLOW", reason: "handoff_accepted", violations: [] };
  };
}

function checkActions(actions: unknown, found: Violation[]): void {
  if (!isFilledList(actions)) return add(found, "ACTIONS", "actions_taken_empty", "/actions_taken");
  actions.forEach((action, i) => {
    if (!isDescribed(action)) add(found, "ACTIONS", "actions_taken_item_blank", `/actions_taken/${i}`);
  });
}

function checkArtifacts(artifacts: unknown, evidence: Evidence, found: Violation[]): void {
  if (!isFilledList(artifacts)) return add(found, "ARTIFACTS", "artifacts_empty", "/artifacts");
  artifacts.forEach((artifact, i) => {
    if (!isObject(artifact)) return add(found, "ARTIFACTS", "artifact_not_object", `/artifacts/${i}`);
    const { path, kind } = artifact;
    if (!isWritten(path)) add(found, "ARTIFACTS", "artifact_path_missing", `/artifacts/${i}/path`);
    if (!isWritten(kind)) add(found, "ARTIFACTS", "artifact_kind_missing", `/artifacts/${i}/kind`);
    const fault = isWritten(path) ? evidenceFault(path, evidence) : undefined;
    if (fault !== undefined) add(found, "ARTIFACTS", fault, `/artifacts/${i}/path`);
    else if ("sha256" in artifact && isWritten(path) && artifact["sha256"] !== (evidence[path]?.sha256 ?? false))
      add(found, "ARTIFACTS", "artifact_digest_mismatch", `/artifacts/${i}/sha256`);
  });
}

function evidenceFault(path: string, artifacts: Evidence): string | undefined {
  if (escapes(path)) return "artifact_path_escapes";
  // Evidence that the host did not give does not exist.
  const evidence = isObject(artifacts) && Object.hasOwn(artifacts, path) ? artifacts[path] : undefined;
  if (!isObject(evidence)) return "artifact_path_not_found";
  if (evidence.contained !== true) return "artifact_path_escapes";
  if (evidence.exists !== true) return "artifact_path_not_found";
  return evidence.file === true ? undefined : "artifact_path_not_a_file";
}

function escapes(path: string): boolean {
  if (path.startsWith("/") || path.startsWith("\\")) return true;
  return path.includes("..") && path.split(/[\\/]/).includes("..");
}

function checkRulebook(rulebook: unknown, found: Violation[]): void {
  if (!isObject(rulebook)) return add(found, "RULEBOOK", "rulebook_not_object", "/rulebook_update");
  const { applied, evidence_run_id } = rulebook;
  if (typeof applied !== "boolean") add(found, "RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied");
  if (applied === true && !isWritten(evidence_run_id))
    add(found, "RULEBOOK", "rulebook_evidence_missing", "/rulebook_update/evidence_run_id");
}

/** A pass with a failed artifact, or a failure that was applied although every artifact passed. */
function contradicted({ result, artifacts, rulebook_update }: Members): boolean {
  if (!isFilledList(artifacts)) return false;
  if (result === "PASS") return artifacts.some((a) => statusOf(a) === "FAIL" || statusOf(a) === "BLOCKED");
  if (result !== "FAIL" && result !== "BLOCKED") return false;
  return (
    isObject(rulebook_update) && rulebook_update["applied"] === true && artifacts.every((a) => statusOf(a) === "PASS")
  );
}

function statusOf(artifact: unknown): string | undefined {
  const status = isObject(artifact) ? artifact["status"] : undefined;
  return typeof status === "string" ? status.toUpperCase() : undefined;
}

/** The top-level contract that a name lies in: `/Gates/x`, `gates.x` and `gates[0]` are all `gates`. */
function contractOf(name: string): string {
  const bare = lower(name.trim()).replace(/^\//, "");
  const end = bare.search(/[./[]/);
  return end < 0 ? bare : bare.slice(0, end);
}

function lower(text: string): string {
  return text.toLowerCase();
}

function never(): boolean {
  return false;
}

function pointer(field: string): string {
  return `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function denied(violations: readonly Violation[]): Answer {
  const { gate, reason } = violations[0] as Violation;
  return { allowed: false, gate, reason, violations };
}
