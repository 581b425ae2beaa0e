/** The facts of an exec request, collected from the machine: the script's bytes, the contract, the packet, the session. */

import type { ExecRequest } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type ContractFile, contractFacts } from "./contract.ts";
import { hatFacts } from "./packet.ts";
import type { PayloadVersion } from "./payloads.ts";
import { policyPath } from "./real-path.ts";
import { readScript } from "./script.ts";
import type { SessionSecret } from "./session.ts";

/** What is about to run, and under which contract. */
export interface ExecSituation {
  /** The mode that the agent is in. */
  readonly mode: string;
  /** The script that is about to run; without one, the code is inline. */
  readonly scriptPath?: string | undefined;
  /** The active contract, if there is one. */
  readonly contract?: ContractFile | undefined;
  readonly secret?: SessionSecret | undefined;
  /** The text that the contract's signature is held to. Default: `v2`. */
  readonly payload?: PayloadVersion | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const SITUATION: TableOf<ExecSituation> = {
  mode: "any?",
  scriptPath: "string?",
  contract: "any?",
  secret: "any?",
  payload: ["v1", "v2", undefined],
  now: "number",
};

/** The exec request that a script and a contract give, and what could not be read. */
export interface ExecFacts {
  /** The request for `policy.exec(request)`. */
  readonly request: ExecRequest;
  /** The script as it was checked: these bytes may run if the decision allows, never the file, which may have changed since. */
  readonly scriptBytes: Uint8Array | undefined;
  /** The files that could not be read, for a person; the request says nothing about them. */
  readonly warnings: readonly string[];
}

/** Reads the script once, and the packet beside it. Never throws. */
export function execFacts(situation: ExecSituation): ExecFacts {
  holdOptions(situation, SITUATION);
  const { mode, scriptPath, contract, secret, payload, now } = situation;
  const warnings: string[] = [];
  const script = scriptPath === undefined ? undefined : readScript(scriptPath);
  const request: ExecRequest = {
    mode,
    kind: script === undefined ? "inline" : "script",
    session: { valid: secret !== undefined },
    script: { path: script?.path === undefined ? null : policyPath(script.path), sha256: script?.sha256 ?? null },
    contract: contract === undefined ? null : contractFacts(contract, { secret, payload }, now),
    hat: script?.path === undefined ? null : hatFacts(script.path, secret, now, (message) => warnings.push(message)),
  };
  return { request, scriptBytes: script?.bytes, warnings };
}
