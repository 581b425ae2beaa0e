/** `portcullis serve` as a process, and what it took of the machine. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../compiler/bin/portcullis.js", import.meta.url));

export interface Served {
  readonly url: string;
  readonly pid: number;
  /** Resident memory now. */
  residentMb(): number;
  /** Loads the bundle again; resolves when it decides. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

export async function served(bundle: string, flags: readonly string[] = []): Promise<Served> {
  const child = spawn(process.execPath, [bin, "serve", bundle, "--addr", "127.0.0.1:0", ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => void (said += bytes));
  const count = (): number => said.split("serving revision").length - 1;
  const says = async (times: number): Promise<void> => {
    while (count() < times || !said.endsWith("\n")) {
      if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  await says(1);
  return {
    url: / on (http:\S+)/.exec(said)?.[1] as string,
    pid: child.pid as number,
    residentMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    async reload() {
      const before = count();
      child.kill("SIGHUP");
      await says(before + 1);
    },
    async stop() {
      const end = once(child, "exit");
      child.kill();
      await end;
    },
  };
}

/** Ticks a second of `/proc`, on every Linux that Node runs on. */
const TICKS = 100;

/** Processor time of a process so far, in microseconds, of all of its threads. */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Behind the name, which may have spaces in it: `utime` and `stime` are the twelfth and thirteenth.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1e6;
}
