/** The exec decision, stated from `exec.md`. */
import type { PolicyData } from "./policy.ts";
import { isTarget } from "./target.ts";
import { type Decision, entry, field, isObject } from "./values.ts";

const contractId = /^[A-Za-z0-9._-]+$/;

/** Where a script lies: its contract's folder under the staging root, or nowhere that counts. */
function stagedFor(policy: PolicyData, path: unknown): string | undefined {
  const stagingRoot = policy.exec.staging_root;
  if (typeof path !== "string" || stagingRoot === null || !stagingRoot.startsWith("/")) return undefined;
  const folders = stagingRoot.split("/").filter((name) => name !== "" && name !== ".");
  if (folders.includes("..")) return undefined;
  const root = folders.map((name) => `/${name}`).join("");
  const inRoot = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/") : [];
  const [folder, file] = inRoot;
  if (inRoot.length !== 2 || folder === undefined || file === undefined) return undefined;
  if (["", ".", ".."].includes(folder)) return undefined;
  if (file.includes("\\")) return undefined;
  const isScript = policy.exec.script_extensions.some((ext) => ext !== "" && file.endsWith(ext) && file !== ext);
  return isScript ? folder : undefined;
}

/** What makes a contract count for nothing, if anything does. */
function contractFault(contract: unknown): string | undefined {
  if (!isObject(contract)) return "no_contract";
  const id = field(contract, "contract_id");
  if (typeof id !== "string" || !contractId.test(id) || id === "." || id === "..") return "malformed_contract_id";
  if (field(contract, "signature_valid") !== true) return "contract_signature_invalid";
  if (field(contract, "status") !== "open") return "contract_not_open";
  if (field(contract, "expired") !== false) return "contract_expired";
  return undefined;
}

function isHatPacket(hat: unknown): boolean {
  const texts = ["script_sha256", "contract_id", "mode", "timestamp"].map((key) => field(hat, key));
  const targets = field(hat, "declared_targets");
  return (
    texts.every((text) => typeof text === "string" && !text.includes("|")) &&
    Array.isArray(targets) &&
    targets.every((target) => typeof target === "string")
  );
}

/** The texts of a list of texts; `undefined` for anything else. */
function texts(list: unknown): ReadonlySet<string> | undefined {
  return Array.isArray(list) && list.every((text) => typeof text === "string") ? new Set(list) : undefined;
}

function sameTexts(one: unknown, other: unknown): boolean {
  const left = texts(one);
  const right = texts(other);
  return left !== undefined && right !== undefined && left.size === right.size && [...left].every((x) => right.has(x));
}

/** What a contract may declare: every target once, and every one of them canonical. */
function isDeclaration(targets: unknown): boolean {
  return Array.isArray(targets) && targets.every(isTarget) && new Set(targets).size === targets.length;
}

/** A packet that binds operations. One that names no version and no operations is of the first version, and binds none. */
function bindsOperations(hat: unknown): boolean {
  const version = field(hat, "version");
  return field(hat, "declared_operations") !== undefined || (version !== undefined && version !== 1);
}

export function exec(policy: PolicyData, input: unknown): Decision {
  const deny = (gate: string, reason: string): Decision => ({
    allowed: false,
    gate,
    reason,
    reply: "D",
    code: "EN-EXEC-D-001",
  });
  const allow = (reason: string): Decision => ({
    allowed: true,
    gate: "ALLOW",
    reason,
    reply: "S",
    code: "EN-EXEC-S-001",
  });
  const mode = field(input, "mode");
  const kind = field(input, "kind");
  if (entry(policy.exec.modes, mode) === undefined) return deny("MODE", "unknown_mode");
  if (kind === "inline") {
    if (entry(policy.exec.inline_modes, mode) === undefined) return deny("INLINE", "inline_execution_forbidden");
    return allow("inline_permitted_mode");
  }
  if (kind !== "script") return deny("KIND", "unknown_execution_kind");
  if (field(field(input, "session"), "valid") !== true) return deny("SESSION", "session_invalid");
  const contract = field(input, "contract");
  const fault = contractFault(contract);
  if (fault !== undefined) return { ...deny("CONTRACT", "no_active_contract"), detail: fault };
  if (field(contract, "mode") !== mode) return deny("CONTRACT_MODE", "contract_mode_mismatch");
  const folder = stagedFor(policy, field(field(input, "script"), "path"));
  if (folder === undefined) return deny("STAGING", "script_outside_staging");
  if (folder !== field(contract, "contract_id")) return deny("STAGING", "script_staged_for_other_contract");
  const hat = field(input, "hat");
  if (hat === undefined || hat === null) return deny("HAT_PRESENT", "missing_hat_signature");
  if (!isHatPacket(hat)) return deny("HAT_PRESENT", "malformed_hat_packet");
  if (field(hat, "signature_valid") !== true) return deny("HAT_SIGNATURE", "hat_signature_invalid");
  const lifetime = policy.exec.hat_lifetime_seconds;
  const age = field(hat, "age_seconds");
  if (lifetime !== null && !(typeof age === "number" && age >= 0 && age <= lifetime)) {
    return { ...deny("HAT_SIGNATURE", "hat_signature_invalid"), detail: "hat_expired" };
  }
  const sha256 = field(field(input, "script"), "sha256");
  if (sha256 === undefined || sha256 === "" || sha256 !== field(hat, "script_sha256")) {
    return deny("HASH", "script_hash_mismatch");
  }
  if (field(hat, "contract_id") !== field(contract, "contract_id")) return deny("HAT_CONTRACT", "contract_mismatch");
  const declared = field(contract, "declared_targets");
  if (!isDeclaration(declared) || !sameTexts(field(hat, "declared_targets"), declared)) {
    return deny("TARGETS", "target_manifest_mismatch");
  }
  if (field(hat, "mode") !== mode) return deny("HAT_MODE", "hat_mode_mismatch");
  const operations = field(contract, "declared_operations");
  if (bindsOperations(hat) && !sameTexts(field(hat, "declared_operations"), operations)) {
    return deny("OPERATIONS", "operation_manifest_mismatch");
  }
  return allow("hat_verified_script");
}
