/** A Redis of the machine's own, on a free port, without anything on the disk. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";

/** Whether there is a `redis-server`; a suite that needs one says that it is skipped. */
export const HAS_REDIS = spawnSync("redis-server", ["--version"]).status === 0;
export const WITHOUT_REDIS = "SKIPPED, NOT TESTED: there is no redis-server on the PATH (apt-get install redis-server)";

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

export async function startRedis(more: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-redis-"));
  const words = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
    ...more,
  ];
  const child = spawn("redis-server", words, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const chunk of child.stdout) if (String(chunk).includes("Ready to accept")) break;
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    process: child,
    async stop() {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
