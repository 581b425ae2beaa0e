/** HAT packets: a person's signed approval of one script, in `<script>.hat.json` beside it. */

import { basename } from "node:path";
import { failure, isJsonObject, type Result, success } from "@portcullis/documents";
import type { ExecRequest } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type ContractFile, isSignedContract } from "./contract.ts";
import { instant, timestamp } from "./instant.ts";
import { hatPayload, type PayloadVersion } from "./payloads.ts";
import { FileError, readRegularFile } from "./regular-file.ts";
import { readScript } from "./script.ts";
import { type SessionSecret, sign, verify } from "./session.ts";
import { strictJson } from "./strict-json.ts";

/** A person's signature on one script for one contract, as it lies beside the script. */
export interface HatPacket {
  readonly contract_id: string;
  readonly script_sha256: string;
  readonly declared_targets: readonly string[];
  readonly mode: string;
  readonly timestamp: string;
  /** Absent of the first version, which binds no operations. */
  readonly version?: 2;
  readonly declared_operations?: readonly string[];
  readonly signature: string;
}

function hatPath(scriptPath: string): string {
  return `${scriptPath}.hat.json`;
}

/** A packet, and the path that it is to be written to. */
export interface SignedScript {
  readonly path: string;
  readonly packet: HatPacket;
}

/** Why a script's packet is not signed. */
export type SignScriptProblem = "unreadable-script" | "unsignable" | "unsigned-contract";

/** The time of the signature, and the text that it covers. */
export interface PacketOptions {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The payload that the signatures of contract and packet cover. Default: `v2`. */
  readonly payload?: PayloadVersion;
}

const PACKET_OPTIONS: TableOf<PacketOptions> = { now: "number", payload: ["v1", "v2", undefined] };

/**
 * The packet that approves the script at a path under a contract, which must carry this session's signature. The packet
 * belongs beside the script, where its path really leads. Nothing is written.
 */
export function signScript(
  scriptPath: string,
  contract: ContractFile,
  secret: SessionSecret,
  options: PacketOptions,
): Result<SignedScript, SignScriptProblem> {
  holdOptions(options, PACKET_OPTIONS);
  const { now, payload: version = "v2" } = options;
  const script = readScript(scriptPath);
  if (script.path === undefined || script.sha256 === undefined)
    return failure("unreadable-script", `cannot read \`${scriptPath}\` as a regular file`);
  if (basename(script.path).includes("\\")) {
    return failure(
      "unsignable",
      `the name of \`${scriptPath}\` holds a \`\\\``,
      "it parts folders on some systems: rename it",
    );
  }
  const fields = {
    contract_id: contract["contract_id"],
    script_sha256: script.sha256,
    declared_targets: contract["declared_targets"],
    mode: contract["mode"],
    timestamp: timestamp(now),
    ...(version === "v1" ? {} : { version: 2, declared_operations: contract["declared_operations"] }),
  };
  const payload = hatPayload(fields);
  if (payload === undefined) {
    return failure(
      "unsignable",
      "the contract cannot be signed for",
      "`contract_id` and `mode` must be strings without `|`, `declared_targets` and `declared_operations` lists of strings",
    );
  }
  if (!isSignedContract(contract, { secret, payload: version })) {
    return failure(
      "unsigned-contract",
      "the contract does not carry this session's signature",
      "sign it first: portcullis exec sign --contract FILE --policy PATH",
    );
  }
  // A packet with a payload has fields of these types.
  const packet = { ...fields, signature: sign(secret, payload) } as HatPacket;
  return success({ path: hatPath(script.path), packet });
}

/** The facts about the packet beside a script, for the exec decision; `null` without a packet. A broken one is an empty one. */
export function hatFacts(
  scriptPath: string,
  secret: SessionSecret | undefined,
  now: number,
  warn: (message: string) => void,
): ExecRequest["hat"] {
  const path = hatPath(scriptPath);
  let bytes: Uint8Array;
  try {
    bytes = readRegularFile(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.problem === "absent") return null;
    warn(`cannot read \`${path}\`: ${error.message}`);
    return {} as ExecRequest["hat"];
  }
  const result = strictJson(path, bytes);
  if (!result.ok) warn(result.problem.message);
  const packet = result.ok && isJsonObject(result.value) ? result.value : {};
  const payload = hatPayload(packet);
  const signed = instant(packet["timestamp"]);
  const facts = {
    script_sha256: packet["script_sha256"],
    contract_id: packet["contract_id"],
    declared_targets: packet["declared_targets"],
    mode: packet["mode"],
    timestamp: packet["timestamp"],
    signature_valid: payload !== undefined && verify(secret, payload, packet["signature"]),
    ...("version" in packet ? { version: packet["version"] } : {}),
    ...("declared_operations" in packet ? { declared_operations: packet["declared_operations"] } : {}),
    ...(signed === undefined ? {} : { age_seconds: (now - signed) / 1000 }),
  };
  // The policy holds every field to its type.
  return facts as ExecRequest["hat"];
}
