/** A script signed under a contract, in a queue of its own, and what `portcullis exec check` says of it. */

import { createHash, createHmac } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/index.ts";
import { makeRepository } from "../enforcement/execution/repository.ts";
import { hasGit, useGit } from "../git.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

export const SECRET = "00112233445566778899aabbccddeeff";
export const folder = temporaryFolder();
export const queue = join(folder, "queue");
export const bundle = join(folder, "bundle.tar.gz");
export const limited = join(folder, "limited.tar.gz");
export const script = join(queue, "c-1", "run.py");
export const hat = `${script}.hat.json`;
export const contract = join(folder, "c-1.json");
export const source = "print('hello')\n";
let baseline = "";

export const hmac = (payload: string, secret = SECRET): string =>
  createHmac("sha256", Buffer.from(secret, "hex")).update(payload).digest("hex");
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const read = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

export const terms = (): Record<string, unknown> => ({
  contract_id: "c-1",
  created_at: "2026-03-02T09:00:00Z",
  status: "open",
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  mode: "work",
  declared_targets: ["docs", "index.json"],
  declared_operations: ["WRITE"],
  baseline_sha: baseline,
  contract_root: join(folder, "site"),
});

export interface Decided {
  readonly allowed: boolean;
  readonly reason: string;
  readonly detail?: string;
}

export async function check(path: string = script, ...more: string[]): Promise<Decided & { exit: number }> {
  const argv = ["exec", "check", path, "--policy", bundle, "--mode", "work", "--format", "json"];
  const { code, out } = await portcullis(...argv, ...(more.length > 0 ? more : ["--contract", contract]));
  return { ...(JSON.parse(out) as Decided), exit: code };
}

export async function expectDenied(reason: string, detail?: string): Promise<void> {
  expect(await check()).toMatchObject({
    ...{ allowed: false, reason, reply: "D", code: "EN-EXEC-D-001", exit: 1 },
    ...(detail === undefined ? {} : { detail }),
  });
}

export const allowed = {
  allowed: true,
  gate: "ALLOW",
  reason: "hat_verified_script",
  reply: "S",
  code: "EN-EXEC-S-001",
  exit: 0,
};

/** Signs the script again as a thief of the session's secret would, with other fields. */
export function forge(fields: Record<string, unknown>, secret = SECRET): void {
  const packet: Record<string, unknown> = { ...read(hat), ...fields };
  const ordered = (name: string): readonly string[] => [...(packet[name] as string[])].sort();
  const declared = {
    declared_operations: ordered("declared_operations"),
    declared_targets: ordered("declared_targets"),
  };
  const { contract_id, script_sha256, mode, timestamp } = packet;
  const payload = `hat-exec2:${JSON.stringify({ contract_id, ...declared, mode, script_sha256, timestamp })}`;
  write(hat, { ...packet, signature: hmac(payload, secret) });
}

/** To be called once by a file of tests: each finds a signed script under a signed contract. */
export function useSignedScript(): void {
  useGit();
  beforeAll(async () => {
    if (!hasGit) return;
    baseline = makeRepository(join(folder, "site")).commit();
    const exec = `modes: [work, other, mode-init]\nstaging_root: ${JSON.stringify(queue)}\n`;
    for (const [file, text] of [
      [bundle, exec],
      [limited, `${exec}hat_lifetime_seconds: 60\n`],
    ] as const) {
      const dir = join(folder, `sources-${sha256(text).slice(0, 8)}`);
      write(join(dir, "exec.yaml"), text);
      const { compiled } = await compile({ host: nodeHost, dirs: [dir] });
      write(file, compiled?.bundle as Uint8Array);
    }
  });

  afterAll(() => removeFolder(folder));

  beforeEach(async () => {
    process.env["PORTCULLIS_SESSION_SECRET"] = SECRET;
    rmSync(queue, { recursive: true, force: true });
    write(contract, terms());
    write(script, source);
    expect((await portcullis("exec", "sign", "--contract", contract, "--policy", bundle)).code).toBe(0);
    expect((await portcullis("exec", "sign", script, "--contract", contract, "--policy", bundle)).code).toBe(0);
  });

  afterEach(() => {
    delete process.env["PORTCULLIS_SESSION_SECRET"];
  });
}
