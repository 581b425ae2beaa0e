/** Handoff records as they were delivered. */

import { strictJson } from "../strict-json.ts";

export interface DeliveredRecord {
  readonly file: string;
  /** The file's JSON; `null`, which is no record, when it has none. */
  readonly record: unknown;
  /** Why it is none. */
  readonly problem: string | undefined;
}

/** Never throws: a file without JSON is no record, and the policy decides on that. */
export function parseRecord(file: string, bytes: Uint8Array): DeliveredRecord {
  const result = strictJson(file, bytes);
  return result.ok
    ? { file, record: result.value, problem: undefined }
    : { file, record: null, problem: result.problem.message };
}
