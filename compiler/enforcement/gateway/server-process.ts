/** The server behind the gateway: a process with everything that it starts, of which nothing stays. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { within } from "./within.ts";

/** A process group, so that what the server starts ends with it. Windows has none: there the server alone is ended. */
const GROUPS = process.platform !== "win32";

export class ServerProcess {
  readonly streams: ChildProcessWithoutNullStreams;
  /** How it ended, in words; it is over when this resolves. */
  readonly ended: Promise<string>;
  private over = false;

  constructor(command: string, args: readonly string[]) {
    this.streams = spawn(command, args, { stdio: "pipe", detached: GROUPS, env: environment() });
    // Writing to a server that is gone: `ended` tells.
    this.streams.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => {
      this.streams.once("error", (error) => this.finish(resolve, `cannot be started: ${error.message}`));
      // `exit`, not `close`: a grandchild may hold the pipes open for ever.
      this.streams.once("exit", (code, signal) =>
        this.finish(resolve, signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
      );
    });
  }

  signal(name: NodeJS.Signals): void {
    const { pid } = this.streams;
    if (pid === undefined) return;
    try {
      if (GROUPS) process.kill(-pid, name);
      else if (!this.over) this.streams.kill(name);
    } catch {
      // The process has ended already.
    }
  }

  /** As the protocol wants it: no more input, then SIGTERM, then SIGKILL. */
  async stop(graceMs: number): Promise<void> {
    this.streams.stdin.end();
    for (const name of ["SIGTERM", "SIGKILL"] as const) {
      if (await within(graceMs, this.ended)) return;
      this.signal(name);
    }
    await this.ended;
  }

  private finish(resolve: (how: string) => void, how: string): void {
    this.over = true;
    this.signal("SIGKILL");
    resolve(how);
  }
}

/** The gateway's own, without what is Portcullis's: the session's secret signs for people. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PORTCULLIS_/i.test(name)));
}
