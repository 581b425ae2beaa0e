/** Opening a contract: what a person declares, with the baseline and the root that the repository has now. */

import { resolve } from "node:path";
import { failure, type Result } from "@portcullis/documents";
import { checkedOut } from "./changed-files.ts";
import type { ContractFile } from "./contract.ts";
import { instant, timestamp } from "./instant.ts";
import { liesIn, realPath, realPlace } from "./real-path.ts";
import { GitError } from "./repository/index.ts";
import { canBeMet, type Meeting } from "./sign-contract.ts";

/** What a person declares. */
export interface Declaration {
  readonly id: string;
  readonly mode: string;
  readonly targets: readonly string[];
  readonly operations: readonly string[];
  /** A time in ISO 8601, or how long from now: `30m`, `8h`, `2d`. */
  readonly expires: string;
  /** The folder that the work is in. */
  readonly root: string;
}

/**
 * An open contract, unsigned. A problem for one that can never be met. `file`: where it is to be written, which must not be in
 * the repository, as it would be an undeclared change. Nothing is written.
 */
export function openContract(
  file: string,
  { id, mode, targets, operations, expires, root: written }: Declaration,
  meeting: Meeting & { readonly now: number },
): Result<ContractFile, "unsignable"> {
  const root = realPath(resolve(written));
  if (root === undefined) return failure("unsignable", `there is no folder \`${written}\``);
  try {
    const { top, commit } = checkedOut(root);
    const place = realPlace(resolve(file));
    if (place === undefined || liesIn(place, top))
      return failure("unsignable", `\`${file}\` lies in the repository`, "keep contracts where agents cannot write");
    const contract = {
      contract_id: id,
      created_at: timestamp(meeting.now),
      status: "open",
      expires_at: expiryOf(expires, meeting.now),
      mode,
      declared_targets: targets,
      declared_operations: operations,
      baseline_sha: commit,
      contract_root: root,
    };
    return canBeMet(file, contract, meeting);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return failure("unsignable", `the repository cannot be read: ${error.message}`);
  }
}

const MINUTES: { readonly [unit: string]: number } = { m: 1, h: 60, d: 24 * 60 };

/** A text that is not a time stays as it is, and is refused later. */
function expiryOf(text: string, now: number): string {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return timestamp(now + Number(count) * (MINUTES[unit] as number) * 60_000);
  const at = instant(text);
  return at === undefined ? text : timestamp(at);
}
