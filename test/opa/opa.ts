/** A real `opa`, and its server; suites that need one say so where it is missing. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../free-port.ts";

/** These suites are `make test-opa`'s: they take longer, and need an `opa` on the PATH. */
export const hasOpa = process.env["PORTCULLIS_OPA"] !== undefined && succeeds("opa", "version");
if (process.env["PORTCULLIS_OPA"] !== undefined && !hasOpa) console.warn("SKIPPED: no `opa` on the PATH");

export function succeeds(program: string, ...argv: string[]): boolean {
  try {
    execFileSync(program, argv, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export interface Opa {
  readonly url: string;
  /** What it has written to its log. */
  log(): string;
  stop(): Promise<void>;
}

/** `opa run --server`, once it answers. `argv` may hold `PORT` for its own. */
export async function runOpa(argv: readonly string[], program = "opa"): Promise<Opa> {
  const port = await freePort();
  const server = spawn(program, ["run", "--server", "--addr", `127.0.0.1:${port}`, "--disable-telemetry", ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk: Buffer) => void (log += chunk));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`opa ended: ${log}`);
    return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
  });
  return { url, log: () => log, stop: () => stop(server) };
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
}

/** Asks again until it holds; rejects after half a minute. */
export async function until(holds: () => Promise<boolean> | boolean, what = "the server"): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what} took longer than 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
