/**
 * The samples that a policy set ships: records that must be accepted, and records that must be refused for the reason that
 * their file is named after (`REASON.json`, or `REASON-more-words.json`). Their artifacts lie in `handoff-samples/root`.
 */

import { dirname, join } from "node:path";
import { failure, type Result, success } from "@portcullis/documents";
import type { Policy } from "@portcullis/runtime";
import { realPath } from "../real-path.ts";
import { type CheckedRecord, checkRecord } from "./check.ts";

/** A sample record, and whether it was decided as its folder and name say. */
export interface CheckedSample extends CheckedRecord {
  readonly positive: boolean;
  /** Why the sample contradicts its folder and name; `undefined` when it agrees with them. */
  readonly failure: string | undefined;
}

/** The samples of the policy set in `dir`. Needs at least one of each kind: a test of nothing proves nothing. */
export function selfTest(
  policy: Policy,
  dir: string,
  samples: readonly Sample[],
): Result<readonly CheckedSample[], "no-samples"> {
  for (const kind of ["positive", "negative"]) {
    if (samples.some((sample) => sample.positive === (kind === "positive"))) continue;
    const help = `write records to \`handoff-samples/${kind}/*.json\``;
    return failure("no-samples", `no ${kind} samples in \`${dir}\``, help);
  }
  return success(checkSamples(policy, samples));
}

/** A record of `handoff-samples/positive` or `handoff-samples/negative`. */
export interface Sample {
  /** The folder of the policy set. */
  readonly dir: string;
  readonly path: string;
  readonly text: string;
  readonly positive: boolean;
}

/** Each sample against its folder and name, with the artifacts on the disk. */
export function checkSamples(policy: Pick<Policy, "handoff">, samples: readonly Sample[]): CheckedSample[] {
  return samples.map((sample) => {
    const file = join(sample.dir, sample.path);
    const root = realPath(join(dirname(dirname(file)), "root"));
    const record = JSON.parse(sample.text) as unknown;
    const found = checkRecord(policy, root, { file, record, problem: undefined });
    return { ...found, positive: sample.positive, failure: failureOf(found, sample.positive, sample.path) };
  });
}

function failureOf(checked: CheckedRecord, positive: boolean, path: string): string | undefined {
  const reasons = [...new Set(checked.violations.map((v) => v.reason))];
  if (positive) {
    if (checked.allowed) return undefined;
    return `a positive sample was refused: ${reasons.length === 0 ? checked.reason : reasons.join(", ")}`;
  }
  if (checked.allowed) return "a negative sample was accepted";
  const name = (path.split("/").at(-1) as string).replace(/\.json$/, "");
  if (reasons.some((reason) => name === reason || name.startsWith(`${reason}-`))) return undefined;
  return `refused, but for ${reasons.join(", ") || checked.reason}, not for what its name says`;
}
