/** Handoff records as they were delivered. */

import { strictJson } from "../strict-json.ts";

export interface DeliveredRecord {
  readonly file: string;
  /** The file's JSON; `null`, which no gate takes for a record, if it is not JSON. */
  readonly record: unknown;
  /** Why the file is not JSON. */
  readonly problem: string | undefined;
}

/** Never throws: a file without JSON is no record, and the policy decides on that. */
export function parseRecord(file: string, bytes: Uint8Array): DeliveredRecord {
  const result = strictJson(file, bytes);
  return result.ok
    ? { file, record: result.value, problem: undefined }
    : { file, record: null, problem: result.problem.message };
}
