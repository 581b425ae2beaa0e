/** Handoff records as they were delivered. */

import { strictJson } from "../strict-json.ts";

export interface DeliveredRecord {
  readonly file: string;
  /** What the file holds; `null`, which is no record, when that is no JSON. */
  readonly record: unknown;
  /** Why it is none. */
  readonly problem: string | undefined;
}

/** Never throws: what is no JSON is no record, and the policy says what that means. */
export function parseRecord(file: string, bytes: Uint8Array): DeliveredRecord {
  const result = strictJson(file, bytes);
  return result.ok
    ? { file, record: result.value, problem: undefined }
    : { file, record: null, problem: result.problem.message };
}
