/**
 * The process of `portcullis hook`. A thread of its own decides; this one waits for it, so that it can deny whatever the other
 * does: an endless loop, more memory than it may have, no answer in time, a signal.
 *
 *   main thread     standard input ──bytes──▶ worker: options, policy, decision, log
 *   deadline, signals, faults of the worker ──▶ denial        ◀──outcome── worker
 *
 * INVARIANT: the text of an agent is not looked at in this thread. INVARIANT: the outcome that comes first is written, and no
 * other: a late allow does not count. V8 stops JavaScript and WebAssembly at any loop, but no built-in function of its own:
 * none is given text that it takes more than linear time for.
 *
 * A thread that waits in the system, as for a file on a dead mount, cannot be ended, and `process.exit` would wait for it. Then
 * the process kills itself: the answer has been written, and no way of Node's ends it with a code. A host that is given the bare
 * command takes that for a failed hook; the line that `init --for` writes takes it for a denial.
 */

import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { EXIT_USAGE } from "../exit.ts";
import { DEADLINE_SECONDS, HEAP_MEGABYTES, MOST_DEADLINE_SECONDS, MOST_INPUT_BYTES } from "./limits.ts";
import { denied, type HookOutcome } from "./outcome.ts";

/** What would end the process without an answer. */
const FATAL = ["uncaughtException", "unhandledRejection", "SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT"];

/** How long the thread has to end, once the answer is written. */
const ENDING_MS = 1000;

/** Answers once, and ends the process: the promise does not settle. `argv` is what stands behind `hook`. */
export function hookProcess(argv: readonly string[]): Promise<never> {
  /** The code of the answer, once there is one. */
  let answered: HookOutcome["code"] | undefined;
  const answer = ({ code, out, err }: HookOutcome): void => {
    if (answered !== undefined) return;
    answered = EXIT_USAGE;
    const isWritten = [put(1, out), put(2, err)].every(Boolean);
    if (isWritten) answered = code;
    end(answered);
  };
  let deciding: Worker | undefined;
  const end = (code: number): void => {
    setTimeout(() => process.kill(process.pid, "SIGKILL"), ENDING_MS);
    void (deciding?.terminate() ?? Promise.resolve()).then(() => process.exit(code));
  };
  const deny = (problem: string): void => answer(denied(problem));
  // Whatever ends the process, and with whichever code: the answer counts, and without one it is a denial.
  process.once("exit", () => {
    deny("the hook ended without an answer");
    process.exitCode = answered;
  });
  for (const event of FATAL) process.on(event, (fault: unknown) => deny(`the hook was stopped (${wordsOf(fault)})`));
  const seconds = deadlineOf(argv);
  setTimeout(() => deny(`there was no answer in ${seconds} s`), Math.max(1, seconds * 1000 - performance.now()));

  try {
    deciding = threadOf(argv);
    deciding.on("message", answer);
    deciding.on("error", (error) => deny(wordsOf(error)));
    deciding.on("exit", () => deny("the hook ended without an answer"));
  } catch (error) {
    // As where Node's permissions give it no thread.
    deny(wordsOf(error));
  }
  readInput((bytes) => deciding?.postMessage(bytes), deny);
  return new Promise(() => {});
}

/** What decides. */
function threadOf(argv: readonly string[]): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES };
  // What else it prints, such as a builtin of somebody's own, is no part of the answer.
  const streams = { stdout: true, stderr: true };
  return new Worker(new URL("hook-worker.cjs", import.meta.url), { workerData: argv, resourceLimits, ...streams });
}

/** The option's value; another one than a number of seconds is refused by the worker, in time. */
function deadlineOf(argv: readonly string[]): number {
  const at = argv.lastIndexOf("--deadline");
  const word = argv.findLast((text) => text.startsWith("--deadline="))?.slice("--deadline=".length);
  const seconds = Number(word ?? (at < 0 ? undefined : argv[at + 1]));
  return seconds > 0 && seconds <= MOST_DEADLINE_SECONDS ? seconds : DEADLINE_SECONDS;
}

function readInput(whole: (bytes: Uint8Array) => void, deny: (problem: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  process.stdin.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_INPUT_BYTES) deny(`standard input has more than ${MOST_INPUT_BYTES} bytes`);
    else chunks.push(chunk);
  });
  process.stdin.on("error", (error) => deny(`standard input cannot be read: ${error.message}`));
  process.stdin.on("end", () => whole(Buffer.concat(chunks)));
}

/** Whether all of it was written. A host that reads nothing still gets the exit code. */
function put(descriptor: number, text: string): boolean {
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    return true;
  } catch {
    return false;
  }
}

function wordsOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
