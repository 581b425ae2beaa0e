/**
 * Running a script that was checked: its very bytes, by the interpreter that the policy names, in a folder of its own, with next
 * to nothing of the environment. It is containment, no sandbox: the operating system lets the script do what its user may.
 */

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { failure, isJsonObject, type Result, success } from "@portcullis/documents";
import { SESSION_SECRET } from "./session.ts";

/** How a policy has scripts of one extension started. */
export interface Launch {
  /** The program and its arguments; the script's path comes last. */
  readonly command: readonly string[];
  /** Names of variables that the script has, beside PATH and LANG. */
  readonly environment: readonly string[];
}

/** `policy`: `data.portcullis.policy` of a bundle. A problem where it names no interpreter for the script's extension. */
export function launchOf(policy: unknown, scriptPath: string): Result<Launch, "no-interpreter"> {
  const exec = isJsonObject(policy) && isJsonObject(policy["exec"]) ? policy["exec"] : {};
  const table = isJsonObject(exec["interpreters"]) ? exec["interpreters"] : {};
  const name = basename(scriptPath);
  // The longest, as `.tar.gz` before `.gz`.
  const extension = Object.keys(table)
    .filter((one) => name.endsWith(one))
    .sort((a, b) => b.length - a.length)[0];
  const command = extension === undefined ? [] : texts(table[extension]);
  if (command.length > 0) return success({ command, environment: texts(exec["environment"]) });
  return failure(
    "no-interpreter",
    `the policy names no interpreter for \`${name}\``,
    "write one into exec.yaml: interpreters: { .py: [/usr/bin/python3, -I] }",
  );
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : [];
}

/** Where a script writes to. A promise makes the script wait until it resolves. */
export interface ScriptOutput {
  readonly out: (bytes: Uint8Array) => Promise<void> | void;
  readonly err: (bytes: Uint8Array) => Promise<void> | void;
  /** Whether the reader of `out` has left, as `| head` does. The script cannot write there then, as without us. */
  readonly isGone?: () => boolean;
}

/**
 * Runs the bytes as a read-only file of the name, with an empty folder to work in and nothing to read. Gives
 * the exit code; 128 and more for a signal. Rejects where the interpreter cannot be started. The folders are gone afterwards.
 */
export async function runScript(
  script: { readonly name: string; readonly bytes: Uint8Array },
  { command, environment }: Launch,
  output: ScriptOutput,
): Promise<number> {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-run-")));
  try {
    const [held, work] = [join(folder, "script"), join(folder, "work")];
    for (const one of [held, work]) mkdirSync(one, { mode: 0o700 });
    const file = join(held, script.name);
    writeFileSync(file, script.bytes, { flag: "wx", mode: 0o400 });
    chmodSync(held, 0o500);
    const [program, ...rest] = command as readonly [string, ...string[]];
    return await ended(program, [...rest, file], { work, environment, output });
  } finally {
    remove(folder);
  }
}

/** What the script may have left there cannot always be removed; that changes nothing about how it ended. */
function remove(folder: string): void {
  try {
    chmodSync(join(folder, "script"), 0o700);
    rmSync(folder, { recursive: true });
  } catch {
    // It lies among temporary files.
  }
}

interface Running {
  readonly work: string;
  readonly environment: readonly string[];
  readonly output: ScriptOutput;
}

function ended(program: string, args: readonly string[], { work, environment, output }: Running): Promise<number> {
  const child = spawn(program, args, {
    cwd: work,
    env: environmentOf(environment, work),
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  passOn(child.stdout, output.out, output.isGone);
  passOn(child.stderr, output.err);
  // Who ends this process means the script.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const pass = (signal: NodeJS.Signals): void => {
    if (child.kill(signal)) return;
    // It has ended, and something that it left behind holds its output open.
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  };
  for (const signal of signals) process.on(signal, pass);
  return new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)));
  }).finally(() => {
    for (const signal of signals) process.off(signal, pass);
  });
}

function passOn(pipe: Readable, write: ScriptOutput["out"], isGone = (): boolean => false): void {
  pipe.on("data", (bytes: Uint8Array) => {
    const waits = write(bytes);
    if (isGone()) return void pipe.destroy();
    if (waits === undefined) return;
    pipe.pause();
    void waits.then(() => pipe.resume());
  });
}

/** PATH, LANG and what the policy lists, as the caller has them, and the folder to work in as PWD. Never the session's secret. */
function environmentOf(listed: readonly string[], work: string): NodeJS.ProcessEnv {
  // One that is absent stays absent: `spawn` leaves out what is undefined.
  const names = ["PATH", "LANG", ...listed].filter((name) => name !== SESSION_SECRET);
  return { ...Object.fromEntries(names.map((name) => [name, process.env[name]])), PWD: work };
}
