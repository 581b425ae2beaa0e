import type { ExecRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import type { Answer } from "./constant.ts";
import { folderOf, isCanonical, isTarget } from "./paths.ts";
import { isObject } from "./text.ts";

const CONTRACT_ID = /^[A-Za-z0-9._-]+$/;

export function execOf({ exec }: PolicyTables): (request: ExecRequest) => Answer {
  const modes = new Set(Object.keys(exec?.modes ?? {}));
  const inlineModes = new Set(Object.keys(exec?.inline_modes ?? {}));
  const staging = folderOf(exec?.staging_root ?? "");
  const extensions = exec?.script_extensions ?? [];
  const lifetime = exec?.hat_lifetime_seconds ?? undefined;

  /** The contract in whose folder a script lies: `<staging>/<contract>/<name><extension>`, and nothing else. */
  const stagedFor = (path: string | null): string | undefined => {
    if (staging === undefined || !isCanonical(path) || !path.startsWith(staging)) return undefined;
    const [folder, file = "", ...deeper] = path.slice(staging.length).split("/");
    if (deeper.length > 0 || file.includes("\\")) return undefined;
    return extensions.some((extension) => file.endsWith(extension) && file.length > extension.length)
      ? folder
      : undefined;
  };

  return ({ mode, kind, session, script, contract, hat }) => {
    if (!modes.has(mode)) return denied("MODE", "unknown_mode");
    if (kind === "inline")
      return inlineModes.has(mode) ? allowed("inline_permitted_mode") : denied("INLINE", "inline_execution_forbidden");
    if (kind !== "script") return denied("KIND", "unknown_execution_kind");
    if (session?.valid !== true) return denied("SESSION", "session_invalid");
    const fault = faultOf(contract);
    if (contract === null || fault !== undefined) return denied("CONTRACT", "no_active_contract", fault);
    if (contract.mode !== mode) return denied("CONTRACT_MODE", "contract_mode_mismatch");
    const folder = stagedFor(script?.path);
    if (folder === undefined) return denied("STAGING", "script_outside_staging");
    if (folder !== contract.contract_id) return denied("STAGING", "script_staged_for_other_contract");
    if (hat === undefined || hat === null) return denied("HAT_PRESENT", "missing_hat_signature");
    if (!wellFormed(hat)) return denied("HAT_PRESENT", "malformed_hat_packet");
    if (hat.signature_valid !== true) return denied("HAT_SIGNATURE", "hat_signature_invalid");
    if (lifetime !== undefined && !fresh(hat.age_seconds, lifetime))
      return denied("HAT_SIGNATURE", "hat_signature_invalid", "hat_expired");
    if (hat.script_sha256 === "" || hat.script_sha256 !== script.sha256) return denied("HASH", "script_hash_mismatch");
    if (hat.contract_id !== contract.contract_id) return denied("HAT_CONTRACT", "contract_mismatch");
    if (!isDeclaration(contract.declared_targets) || !sameSet(hat.declared_targets, contract.declared_targets))
      return denied("TARGETS", "target_manifest_mismatch");
    if (hat.mode !== mode) return denied("HAT_MODE", "hat_mode_mismatch");
    if (namesOperations(hat) && !sameOperations(hat.declared_operations, contract.declared_operations))
      return denied("OPERATIONS", "operation_manifest_mismatch");
    return allowed("hat_verified_script");
  };
}

function allowed(reason: string): Answer {
  return { allowed: true, gate: "ALLOW", reason, reply: "S", code: "EN-EXEC-S-001" };
}

function denied(gate: string, reason: string, detail?: string): Answer {
  const denial: Answer = { allowed: false, gate, reason, reply: "D", code: "EN-EXEC-D-001" };
  return detail === undefined ? denial : { ...denial, detail };
}

/** Why a contract does not count. */
function faultOf(contract: ExecRequest["contract"]): string | undefined {
  if (!isObject(contract)) return "no_contract";
  const { contract_id: id } = contract;
  if (typeof id !== "string" || id === "." || id === ".." || !CONTRACT_ID.test(id)) return "malformed_contract_id";
  if (contract.signature_valid !== true) return "contract_signature_invalid";
  if (contract.status !== "open") return "contract_not_open";
  return contract.expired === false ? undefined : "contract_expired";
}

/** What a packet signs are its fields with `|` between them, so that none may hold one. */
function wellFormed(hat: NonNullable<ExecRequest["hat"]>): boolean {
  return (
    signable(hat.script_sha256) &&
    signable(hat.contract_id) &&
    signable(hat.mode) &&
    signable(hat.timestamp) &&
    Array.isArray(hat.declared_targets) &&
    hat.declared_targets.every((target) => typeof target === "string")
  );
}

function signable(field: unknown): boolean {
  return typeof field === "string" && !field.includes("|");
}

function fresh(age: unknown, lifetime: number): boolean {
  return typeof age === "number" && age >= 0 && age <= lifetime;
}

/** Targets that a contract may declare: each canonical, and there once. */
function isDeclaration(targets: unknown): boolean {
  if (!Array.isArray(targets)) return false;
  return targets.every((target) => typeof target === "string" && isTarget(target)) && isUnique(targets);
}

function isUnique(items: readonly unknown[]): boolean {
  return items.length < 2 || new Set(items).size === items.length;
}

/** The same texts in any order, however often. */
function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const left = new Set(one);
  const right = new Set(other);
  if (left.size !== right.size) return false;
  for (const text of left) if (!right.has(text)) return false;
  return true;
}

/** A packet of the second version does. */
function namesOperations({ version, declared_operations }: NonNullable<ExecRequest["hat"]>): boolean {
  return declared_operations !== undefined || (version !== undefined && version !== 1);
}

function sameOperations(one: unknown, other: unknown): boolean {
  return isTexts(one) && isTexts(other) && sameSet(one, other);
}

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.every((text) => typeof text === "string");
}
