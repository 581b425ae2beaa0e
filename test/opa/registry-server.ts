/** A registry of the OCI on this machine: Debian's `docker-registry`. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

export const HAS_REGISTRY = spawnSync("docker-registry", ["--version"]).status === 0;
export const WITHOUT_REGISTRY =
  "SKIPPED, NOT TESTED: there is no docker-registry on the PATH (apt-get install docker-registry)";

export interface Registry {
  /** `127.0.0.1:port`. */
  readonly host: string;
  stop(): Promise<void>;
}

/** Who may ask a registry that asks who it is. */
export const USER = { username: "newsroom", password: "newsroom-secret" };
const HASH = "$2b$04$QQeOgsFoVVJ.Zzz73UG9UeC0I1dnkj3MgkyEdmp/BADtXrh7iVYoO";

/** `asks`: whether it asks who it is. It is empty. */
export async function startRegistry(asks: boolean, at?: number): Promise<Registry> {
  const port = at ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), "portcullis-registry-"));
  const [config, users] = [join(folder, "config.yml"), join(folder, "users")];
  writeFileSync(users, `${USER.username}:${HASH}\n`);
  const auth = asks ? { auth: { htpasswd: { realm: "newsroom", path: users } } } : {};
  const storage = { filesystem: { rootdirectory: join(folder, "data") } };
  const http = { addr: `127.0.0.1:${port}` };
  writeFileSync(config, JSON.stringify({ version: 0.1, log: { level: "error" }, storage, http, ...auth }));
  const child = spawn("docker-registry", ["serve", config], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => void (said += bytes));
  for (const end = performance.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (child.exitCode !== null || performance.now() > end) throw new Error(`the registry does not run: ${said}`);
    if ((await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => undefined)) !== undefined) break;
  }
  return {
    host: `127.0.0.1:${port}`,
    async stop() {
      const exit = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
