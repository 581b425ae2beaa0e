/** HAT packets: what a person signed for one script, in `<script>.hat.json` beside it. */

import { readFileSync } from "node:fs";
import type { ExecRequest } from "@portcullis/runtime";
import { CliError, EXIT_FINDINGS } from "../cli/exit.ts";
import type { ContractFile } from "./contract.ts";
import { instant, timestamp } from "./instant.ts";
import { hatPayload } from "./payloads.ts";
import { type SessionSecret, sign, verify } from "./session.ts";
import { isJsonObject, strictJson } from "./strict-json.ts";

export interface HatPacket {
  readonly contract_id: string;
  readonly script_sha256: string;
  readonly declared_targets: readonly string[];
  readonly mode: string;
  readonly timestamp: string;
  readonly signature: string;
}

export function hatPath(scriptPath: string): string {
  return `${scriptPath}.hat.json`;
}

/** A signed packet for a script under a contract. Throws CliError for what cannot be signed. */
export function signHat(
  contract: ContractFile,
  scriptSha256: string,
  secret: SessionSecret | undefined,
  now: number,
): HatPacket {
  const packet = {
    contract_id: contract["contract_id"],
    script_sha256: scriptSha256,
    declared_targets: contract["declared_targets"],
    mode: contract["mode"],
    timestamp: timestamp(now),
  };
  const payload = hatPayload(packet);
  if (payload === undefined) {
    throw new CliError(
      "the contract cannot be signed for",
      EXIT_FINDINGS,
      "`contract_id` and `mode` must be strings without `|`, `declared_targets` a list of strings",
    );
  }
  return { ...packet, signature: sign(secret, payload) } as HatPacket;
}

/** What the exec decision asks of the packet beside a script; `null` without a packet. A broken one is an empty one. */
export function hatFacts(
  scriptPath: string,
  secret: SessionSecret | undefined,
  now: number,
  warn: (message: string) => void,
): ExecRequest["hat"] {
  const path = hatPath(scriptPath);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    warn(`cannot read \`${path}\``);
    return {} as ExecRequest["hat"];
  }
  const result = strictJson(path, bytes);
  if (!result.ok) warn(result.problem);
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
    ...(signed === undefined ? {} : { age_seconds: Math.floor((now - signed) / 1000) }),
  };
  // The policy holds every field to its type.
  return facts as ExecRequest["hat"];
}
