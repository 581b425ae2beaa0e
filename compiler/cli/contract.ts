/** The contract file that the commands of `exec` take. */

import { type ContractFile, parseContract } from "../execution/index.ts";
import { readBytes } from "./commands/read.ts";
import { EXIT_FINDINGS, orFail } from "./exit.ts";

/** The format of a contract file, for `--help`. */
export const CONTRACT_FORMAT = `A contract is a JSON file, kept where agents cannot write:
  {
    "contract_id": "c-104",                        letters, digits and . _ -
    "created_at": "2026-03-02T09:00:00Z",          ISO 8601; UTC unless an offset is written
    "status": "open",                              anything else is not open
    "expires_at": "2026-03-02T17:00:00Z",          a contract without it does not count
    "mode": "newsroom",                            a mode of exec.yaml
    "declared_targets": ["docs", "index.json"],    files and folders below contract_root
    "declared_operations": ["WRITE"],
    "baseline_sha": "<full commit hash>",          HEAD when the contract was opened
    "contract_root": "/srv/site",                  absolute; in the git repository
    "signature": "<hex>"                           written by \`portcullis exec sign --contract FILE\`
  }
The signature covers contract_id and created_at. Targets and mode are bound by each script's HAT packet.`;

/** Throws CliError when the file cannot be read or holds no JSON object. */
export function readContract(path: string): ContractFile {
  return orFail(parseContract(path, readBytes(path)), { exitCode: EXIT_FINDINGS });
}
