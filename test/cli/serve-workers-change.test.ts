/** `portcullis serve --workers`: what changes reaches all of them, or those that it does not reach are gone. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { BundleServer } from "../runtime/operate/bundle-server.ts";
import { ended, example, folder, healthOf, type Running, start, until, useServeProcesses } from "./serve-process.ts";
import { portcullis } from "./terminal.ts";

useServeProcesses();

/** Denies what the example allows. */
let stricter: Uint8Array;
beforeAll(async () => {
  const dir = join(folder, "stricter");
  mkdirSync(dir);
  writeFileSync(join(dir, "roles.yaml"), "roles: [{ role_id: EDITOR }]\n");
  writeFileSync(join(dir, "lanes.yaml"), "lanes: [{ lane_id: DRAFTING, allowed_callers: { roles: [EDITOR] } }]\n");
  const { compiled } = await compile({ host: nodeHost, dirs: [dir], revision: "stricter" });
  stricter = compiled?.bundle as Uint8Array;
});

const WORKERS = 3;

/** What a worker answers, over a connection of its own or of the agent: `true`, `false`, or the status of no decision. */
function answer({ url }: Running, agent: Agent | false = false): Promise<boolean | number | undefined> {
  return new Promise((resolve, reject) => {
    const path = `${url}/v1/data/portcullis/lane/decision`;
    const asking = request(path, { method: "POST", agent }, (response) => {
      let text = "";
      response.on("data", (bytes: Buffer) => (text += bytes.toString()));
      response.on("end", () =>
        resolve(response.statusCode === 200 ? JSON.parse(text).result.allowed : response.statusCode),
      );
    });
    asking.on("error", reject);
    asking.end(JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING" } }));
  });
}

/** As many connections as reach each worker several times. */
const answers = (running: Running): Promise<unknown[]> =>
  Promise.all(Array.from({ length: 4 * WORKERS }, () => answer(running)));
const all = (value: unknown): unknown[] => Array.from({ length: 4 * WORKERS }, () => value);
const workersOf = ({ child }: Running): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
/** Over a connection of its own. Empty where that goes to a worker that was killed: it may never be answered. */
const metricsOf = async ({ url }: Running): Promise<string> =>
  fetch(`${url}/metrics`, { headers: { connection: "close" }, signal: AbortSignal.timeout(5000) })
    .then((response) => response.text())
    .catch(() => "");
const times = (running: Running, text: string): number => running.said().split(text).length - 1;

/** Resolves when another process has taken the place of the one that was killed. */
async function killOne(running: Running): Promise<void> {
  const before = workersOf(running);
  process.kill(before[0] as number, "SIGKILL");
  await until(() => workersOf(running).filter((pid) => !before.includes(pid)).length === 1);
  await until(async () => (await metricsOf(running)).includes("portcullis_worker_restarts_total "));
}

describe.skipIf(process.platform !== "linux")("serve --workers, when something changes", () => {
  it("decides by a new bundle in all workers when it says so, and by no bad one", async () => {
    const file = join(folder, "reloaded.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--workers", String(WORKERS));
    for (let i = 1; i < 4; i++) {
      expect(await answers(running)).toEqual(all(true));
      writeFileSync(file, stricter);
      running.child.kill("SIGHUP");
      await until(() => times(running, "serving revision stricter\n") === i);
      expect(await answers(running)).toEqual(all(false));
      writeFileSync(file, "no bundle");
      running.child.kill("SIGHUP");
      await until(() => times(running, "warning: the policy stays as it was: ") === i);
      expect(await answers(running)).toEqual(all(false));
      const before = times(running, "serving revision ");
      writeFileSync(file, example);
      running.child.kill("SIGHUP");
      await until(() => times(running, "serving revision ") > before);
    }
    expect(await metricsOf(running)).toMatch(/^portcullis_reloads_total 6$/m);
    expect(await metricsOf(running)).toMatch(/^portcullis_failed_reloads_total\{code="not-a-policy"\} 3$/m);
  });

  it("gives new data to all workers at once, also while the source does not answer", async () => {
    const { compiled } = await compile({
      host: virtualHost({
        p: {
          "portcullis.yaml": "rego: { host_data: [desk.frozen] }\n",
          "roles.yaml": "roles: [{ role_id: WRITER, privileges: { lanes: [DRAFTING] } }]\n",
          "lanes.yaml": "lanes: [{ lane_id: DRAFTING, allowed_callers: { roles: [WRITER] } }]\n",
          "ext/lane.rego":
            'package portcullis.ext.lane\n\ndeny contains {"gate": "FREEZE", "reason": "frozen"} if data.desk.frozen[input.lane]\n',
        },
      }),
      dirs: ["p"],
    });
    const data = join(folder, "data.json");
    writeFileSync(data, '{"desk":{"frozen":{}}}');
    const server = await new BundleServer(compiled?.bundle as Uint8Array).start();
    try {
      const flags = ["--follow", "3600", "--data", data, "--workers", String(WORKERS)];
      const running = await start(server.url, ...flags);
      expect(await answers(running)).toEqual(all(true));
      server.answer = () => undefined;
      writeFileSync(data, '{"desk":{"frozen":{"DRAFTING":true}}}');
      running.child.kill("SIGHUP");
      await until(async () => (await answers(running)).every((allowed) => allowed === false));
      expect(await ended(running, "SIGTERM")).toBe(0);
    } finally {
      await server.stop();
    }
  });

  it("verifies in the primary alone: keys rotate, and a worker that comes later needs none", async () => {
    const keys = ["old", "new"].map(() => generateKeyPairSync("ec", { namedCurve: "P-256" }));
    const [old, fresh] = keys as [(typeof keys)[0], (typeof keys)[0]];
    const jwks = join(folder, "keys.json");
    const setKeys = (...named: [string, KeyObject][]): void => {
      const jwk = ([kid, key]: [string, KeyObject]) => ({ ...key.export({ format: "jwk" }), kid, alg: "ES256" });
      writeFileSync(jwks, JSON.stringify({ keys: named.map(jwk) }));
    };
    const signed = async (bundle: Uint8Array, kid: string, key: KeyObject): Promise<Uint8Array> => {
      const [plain, secret, out] = ["plain.tar.gz", "secret.pem", "signed.tar.gz"].map((name) => join(folder, name));
      writeFileSync(plain as string, bundle);
      writeFileSync(secret as string, key.export({ type: "pkcs8", format: "pem" }));
      const flags = ["--signing-key", secret, "--signing-alg", "ES256", "--verification-key-id", kid, "-o", out];
      const { code, err } = await portcullis("sign", plain as string, ...(flags as string[]));
      expect(code, err).toBe(0);
      return readFileSync(out as string);
    };
    setKeys(["old", old.publicKey]);
    const server = await new BundleServer(await signed(example, "old", old.privateKey)).start();
    try {
      const flags = ["--follow", "3600", "--verification-key", jwks, "--workers", String(WORKERS)];
      const running = await start(server.url, ...flags);
      expect(await answers(running)).toEqual(all(true));
      server.bundle = await signed(stricter, "new", fresh.privateKey);
      running.child.kill("SIGHUP");
      await until(() => running.said().includes("warning: the policy stays as it was: "));
      expect(await answers(running)).toEqual(all(true));
      // What was refused is given to none that comes later.
      await killOne(running);
      for (let i = 0; i < 3; i++) expect(await answers(running)).toEqual(all(true));
      setKeys(["old", old.publicKey], ["new", fresh.publicKey]);
      running.child.kill("SIGHUP");
      await until(() => running.said().includes("serving revision stricter\n"));
      expect(await answers(running)).toEqual(all(false));
      await server.stop();
      rmSync(jwks);
      await killOne(running);
      for (let i = 0; i < 3; i++) expect(await answers(running)).toEqual(all(false));
    } finally {
      await server.stop();
    }
  });

  it("denies everything in all workers when the source is away for too long, and in none when it is back", async () => {
    const server = await new BundleServer(example).start();
    const flags = ["--follow", "1", "--stale-after", "3", "--workers", String(WORKERS)];
    const running = await start(server.url, ...flags);
    try {
      expect(await answers(running)).toEqual(all(true));
      await server.stop();
      await until(() => running.said().includes("warning: the policy is stale: everything is denied"));
      expect(await answers(running)).toEqual(all(503));
      const bundlesHealth = async (): Promise<number> =>
        (await fetch(`${running.url}/health?bundles`, { headers: { connection: "close" } })).status;
      for (let i = 0; i < WORKERS; i++) expect(await bundlesHealth()).toBe(503);
      expect(await healthOf(running)).toBe(200);
      expect(await metricsOf(running)).toContain("portcullis_policy_stale 1\n");
      // One that comes meanwhile knows it, too.
      process.kill(workersOf(running)[0] as number, "SIGKILL");
      await until(async () => (await metricsOf(running)).includes("portcullis_worker_restarts_total 1\n"));
      await until(() => workersOf(running).length === WORKERS);
      for (let i = 0; i < 3; i++) expect(await answers(running)).toEqual(all(503));
      server.bundle = stricter;
      await server.start();
      await until(() => running.said().includes("serving revision stricter\n"));
      expect(await answers(running)).toEqual(all(false));
    } finally {
      await server.stop();
    }
  });

  it("denies in a worker of which the primary has said nothing for too long", async () => {
    const server = await new BundleServer(example).start();
    const running = await start(server.url, "--follow", "1", "--stale-after", "3", "--workers", "2");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      expect(await answer(running, agent)).toBe(true);
      process.kill(running.child.pid as number, "SIGSTOP");
      // Over the connection that the worker has: the primary takes no others now.
      await until(async () => (await answer(running, agent)) === 503);
      process.kill(running.child.pid as number, "SIGCONT");
      await until(async () => (await answer(running)) === true);
    } finally {
      agent.destroy();
      await server.stop();
    }
  });

  it("kills a worker that does not take a bundle, before it says that the bundle is served", async () => {
    const file = join(folder, "hangs.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--workers", "2");
    const [hanging = 0] = workersOf(running);
    process.kill(hanging, "SIGSTOP");
    writeFileSync(file, stricter);
    running.child.kill("SIGHUP");
    await until(() => running.said().includes("serving revision stricter\n"));
    expect(workersOf(running)).not.toContain(hanging);
    await until(() => workersOf(running).length === 2);
    expect(running.said()).toContain("warning: a worker ended (SIGKILL): another takes its place\n");
    for (let i = 0; i < 4; i++) expect(await answer(running)).toBe(false);
  });

  it("replaces workers that end, one after the other, and keeps what they counted", async () => {
    const file = join(folder, "killed.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--workers", "2");
    for (let i = 0; i < 6; i++) await answer(running);
    expect(await metricsOf(running)).toMatch(/^portcullis_decisions_total\{.*\} 6$/m);
    const [first = 0, second = 0] = workersOf(running);
    process.kill(first, "SIGKILL");
    await until(() => workersOf(running).length === 2 && !workersOf(running).includes(first));
    await until(async () => /worker_restarts_total 1$/m.test(await metricsOf(running)));
    for (let i = 0; i < 4; i++) expect(await answer(running)).toBe(true);
    process.kill(second, "SIGKILL");
    await until(async () => /worker_restarts_total 2$/m.test(await metricsOf(running)));
    expect(await metricsOf(running)).toMatch(/^portcullis_decisions_total\{.*\} (?:[6-9]|10)$/m);
    expect(await ended(running, "SIGTERM")).toBe(0);
  });

  it("counts once what was counted by a worker that ends while others are asked", async () => {
    const file = join(folder, "counted.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--workers", "3");
    const sum = (text: string): number =>
      [...text.matchAll(/^portcullis_decisions_total\{.*\} (\d+)$/gm)].reduce((total, [, n]) => total + Number(n), 0);
    const scrape = (): Promise<string> =>
      fetch(`${running.url}/metrics`, { headers: { connection: "close" } })
        .then((response) => response.text())
        .catch(() => "");
    expect(await answers(running)).toEqual(all(true));
    const counted = sum(await scrape());
    expect(counted).toBe(all(true).length);
    const [hanging = 0, killed = 0] = workersOf(running);
    process.kill(hanging, "SIGSTOP");
    let isOver = false;
    const scrapes = Array.from({ length: 6 }, () => scrape().finally(() => (isOver = true)));
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(killed, "SIGKILL");
    await until(() => isOver || running.said().includes("warning: a worker ended (SIGKILL)"));
    process.kill(hanging, "SIGCONT");
    const sums = (await Promise.all(scrapes)).filter((text) => text !== "").map(sum);
    expect(sums.length).toBeGreaterThan(0);
    expect(sums).toEqual(sums.map(() => counted));
  });

  it("has a decision once in its log, also where the primary stood still for longer than a log waits", async () => {
    const [file, log] = [join(folder, "still.tar.gz"), join(folder, "still.jsonl")];
    writeFileSync(file, example);
    const running = await start(file, "--workers", "2", "--decision-log", log, "--log-required");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await answer(running, agent)).toBe(true);
    process.kill(running.child.pid as number, "SIGSTOP");
    expect(await answer(running, agent)).toBe(false);
    process.kill(running.child.pid as number, "SIGCONT");
    await until(async () => (await answer(running, agent)) === true);
    agent.destroy();
    const ids = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).decision_id as string);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("ends with its primary, whatever ends that", async () => {
    const file = join(folder, "ends.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--workers", "2");
    const workers = workersOf(running);
    expect(workers).toHaveLength(2);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await answer(running, agent)).toBe(true);
    await ended(running, "SIGKILL");
    const isAlive = (pid: number): boolean => {
      try {
        return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      } catch {
        return false;
      }
    };
    await until(() => !workers.some(isAlive));
    await expect(answer(running, agent)).rejects.toThrow();
    agent.destroy();
  });
});
