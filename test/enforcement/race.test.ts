/** Two gateways that race for the last call that a limit leaves, each a process of its own: one of them gets it, every time. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../compiler/governance/pipeline.ts";
import { between } from "../campaign.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { HAS_REDIS, startRedis, WITHOUT_REDIS } from "../runtime/redis/redis-server.ts";
import type { Raced } from "./racing-gateway.ts";

const ROUNDS = between(300, 1000);
const SET = {
  "portcullis.yaml": JSON.stringify({ call: { host_scope: ["round"] } }),
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml": "lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] } }\n",
  "tool_registry.yaml": "tools:\n  - { tool_name: pay, enabled: true, implementation_status: implemented }\n",
  "limits.yaml":
    "limits:\n  - { limit_id: LAST, calls: { tools: [pay] }, per: [scope.round], max_calls: 1, within: 1h }\n",
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "portcullis-race-"));
const [script, bundle] = [join(folder, "gateway.mjs"), join(folder, "bundle.tar.gz")];
const children: ChildProcess[] = [];

beforeAll(async () => {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: SET }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  writeFileSync(bundle, compiled.bundle);
  await build({
    entryPoints: [join(root, "test/enforcement/racing-gateway.ts")],
    ...{ outfile: script, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
    tsconfig: join(root, "tsconfig.json"),
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A gateway, and the lines that it says. */
async function gateway(place: string) {
  const child = spawn(process.execPath, [script, bundle, place], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async (): Promise<string> => String((await lines.next()).value);
  expect(await said()).toBe("ready");
  return {
    child,
    async race(round: number, begins: number): Promise<Raced> {
      child.stdin.write(`${round} ${begins}\n`);
      return JSON.parse(await said()) as Raced;
    },
  };
}

describe.each(["a folder", "a Redis"])("with the history in %s", (kind) => {
  const skipped = kind === "a Redis" && !HAS_REDIS;
  if (skipped) process.stderr.write(`${WITHOUT_REDIS}\n`);

  it.skipIf(skipped)(`one of two gets the last one, ${ROUNDS} times`, async () => {
    const server = kind === "a Redis" ? await startRedis() : undefined;
    const place = server?.url ?? join(folder, "history");
    const [one, other] = [await gateway(place), await gateway(place)];
    let together = 0;
    const wins = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const begins = 1000 * (Date.now() + 4);
      const raced = await Promise.all([one.race(round, begins), other.race(round, begins)]);
      const sorted = raced.map(({ allowed, reason, runs }) => ({ allowed, reason, runs }));
      sorted.sort((a, b) => Number(b.allowed) - Number(a.allowed));
      expect([round, sorted]).toEqual([
        round,
        [
          { allowed: true, reason: "call_allowed", runs: 1 },
          { allowed: false, reason: "limit_calls", runs: 0 },
        ],
      ]);
      const [first, second] = raced as [Raced, Raced];
      if (first.from < second.to && second.from < first.to) together++;
      const winner = first.allowed ? 0 : 1;
      wins[winner] = (wins[winner] ?? 0) + 1;
    }
    for (const { child } of [one, other]) child.kill("SIGKILL");
    await server?.stop();
    process.stderr.write(`${kind}: ${together} of ${ROUNDS} at the same time; won ${wins.join(" and ")}\n`);
    expect(together).toBeGreaterThan(0);
  });
});
