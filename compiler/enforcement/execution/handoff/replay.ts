/**
 * Replay after a fix: a handoff that was refused has to be delivered again. Who deletes a refused record, or delivers another
 * one in its place, has fixed nothing.
 */

import { failure, isJsonObject, type Result, success } from "@portcullis/documents";
import { strictJson } from "../strict-json.ts";
import type { CheckedRecord } from "./check.ts";

/** A record that a report says was refused. */
export interface Refused {
  readonly file: string;
  /** As the record had it; `null` when it had none that shows something, or another record of the run had it as well. */
  readonly handoffId: string | null;
}

/** The refused records of what `handoff validate --json` printed. A problem for any other text; `name`: its name in messages. */
export function refusedIn(name: string, bytes: Uint8Array): Result<readonly Refused[], "broken-json" | "no-report"> {
  const json = strictJson(name, bytes);
  if (!json.ok) return json;
  const records = isJsonObject(json.value) ? json.value["records"] : undefined;
  if (!Array.isArray(records) || !records.every(isEntry))
    return failure("no-report", `\`${name}\` is no report of records`, "it is what `handoff validate --json` printed");
  const ids = records.map(({ handoff_id }) => handoff_id);
  const isOwn = (id: string): boolean => ids.indexOf(id) === ids.lastIndexOf(id);
  return success(
    records
      .filter((entry) => !entry.allowed)
      .map(({ file, handoff_id }) => ({
        file,
        handoffId: handoff_id?.trim() && isOwn(handoff_id) ? handoff_id : null,
      })),
  );
}

interface Entry {
  readonly file: string;
  readonly handoff_id: string | null;
  readonly allowed: boolean;
}

function isEntry(value: unknown): value is Entry {
  if (!isJsonObject(value) || typeof value["file"] !== "string" || typeof value["allowed"] !== "boolean") return false;
  return value["handoff_id"] === null || typeof value["handoff_id"] === "string";
}

/** The refused ones that are not among the records: by their id, or else by their file. Each stands for a record that is missing. */
export function notReplayed(refused: readonly Refused[], records: readonly CheckedRecord[]): CheckedRecord[] {
  const ids = new Set(records.map((one) => one.handoffId));
  const files = new Set(records.map((one) => one.file));
  return refused
    .filter(({ file, handoffId }) => (handoffId === null ? !files.has(file) : !ids.has(handoffId)))
    .map(({ file, handoffId }) => ({
      file,
      handoffId,
      allowed: false,
      gate: "REPLAY",
      reason: "refused_before_and_not_replayed",
      violations: [],
      problem: undefined,
      milliseconds: 0,
    }));
}
