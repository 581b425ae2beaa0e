/** `--decision-log` of `serve`: where decision events go, and what became of them. */

import { closeSync, constants, openSync } from "node:fs";
import { type DecisionLog, type EventSink, httpSink, type Metrics } from "@portcullis/runtime";
import { fileSink } from "@portcullis/runtime/node";
import { CliError, fileProblem } from "./exit.ts";
import { isUrl } from "./policy/remote-source.ts";
import type { Terminal } from "./terminal.ts";

/** A pipe without a reader is not waited for. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** Throws CliError for a URL that no log can be sent to. */
export function eventSink(target: string): EventSink {
  if (!isUrl(target)) return fileSink(target);
  try {
    return httpSink(target);
  } catch (error) {
    throw new CliError(`\`--decision-log\`: ${(error as Error).message}`);
  }
}

/** Throws CliError for a file that cannot be written, before anything is decided. A URL may be away, and so may the reader of a pipe. */
export function demandWritable(target: string): void {
  if (isUrl(target)) return;
  try {
    closeSync(openSync(target, APPENDING, 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENXIO") return;
    throw new CliError(`cannot write \`--decision-log ${target}\`: ${fileProblem(error)}`);
  }
}

/** Reports what every policy that served has lost on the way to the log. */
export async function closeLog(log: DecisionLog | undefined, meter: Metrics, terminal: Terminal): Promise<void> {
  if (log === undefined) return;
  const { lastError = "they came too fast" } = await log.close();
  const { droppedEvents } = meter.snapshot();
  if (droppedEvents > 0)
    terminal.err(`warning: ${droppedEvents} decision events were lost; the log's last problem: ${lastError}\n`);
}
