/**
 * A real OPA server without a wasm engine: it takes our bundle over HTTP, signed, answers every entrypoint as our runtime does,
 * and its decision log is one that `audit verify` decides again.
 */

import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, type Policy, verifyLedger } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Compiled } from "../../compiler/governance/pipeline.ts";
import { freePort } from "../free-port.ts";
import { compileExample, publicKey, signed, withoutWriters } from "./bundles.ts";
import { hasOpa, type Opa, runOpa, until } from "./opa.ts";
import { ENTRYPOINTS, permits, questions, VERDICTS } from "./questions.ts";
import { Services } from "./services.ts";

const writer = { role: "WRITER", lane: "DRAFTING" };

describe.skipIf(!hasOpa)("opa run --server with our bundle", () => {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
  let services: Services;
  let compiled: Compiled;
  let ours: Policy;
  let opa: Opa;

  beforeAll(async () => {
    compiled = await compileExample("one");
    ours = await load(compiled.wasm as Uint8Array<ArrayBuffer>);
    services = new Services(await freePort());
    services.bundle = await signed(compiled.files);
    await services.start();
    const config = {
      services: { here: { url: `http://127.0.0.1:${services.port}` } },
      keys: { release: { algorithm: "RS256", key: publicKey } },
      bundles: {
        portcullis: {
          service: "here",
          resource: "/bundle.tar.gz",
          polling: { min_delay_seconds: 1, max_delay_seconds: 1 },
          signing: { keyid: "release", scope: "production" },
        },
      },
      decision_logs: { service: "here", reporting: { min_delay_seconds: 1, max_delay_seconds: 1 } },
    };
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    opa = await runOpa(["--config-file", join(folder, "config.json")]);
    await until(async () => (await fetch(`${opa.url}/health?bundles`)).ok, "the bundle");
  });

  afterAll(async () => {
    await opa?.stop();
    await services?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(entrypoint: string, input: unknown): Promise<unknown> {
    const response = await fetch(`${opa.url}/v1/data/${entrypoint}`, {
      method: "POST",
      body: JSON.stringify({ input }),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { result?: unknown }).result;
  }

  async function revision(): Promise<unknown> {
    const response = await fetch(`${opa.url}/v1/data/system/bundles/portcullis/manifest/revision`);
    return ((await response.json()) as { result?: unknown }).result;
  }

  it("answers every entrypoint as our runtime does, and logs what our verifier decides alike", async () => {
    const all = questions();
    expect(new Set(all.map(({ entrypoint }) => entrypoint))).toEqual(new Set(ENTRYPOINTS));
    expect([...ENTRYPOINTS].sort()).toEqual(ours.entrypoints.filter((name) => name.startsWith("portcullis/")).sort());
    const permitted = new Set<string>();
    for (const { entrypoint, input } of all) {
      const theirs = await ask(entrypoint, input);
      expect(theirs, `${entrypoint} ${JSON.stringify(input)}`).toEqual(ours.evaluate(entrypoint, input));
      if (permits(theirs)) permitted.add(entrypoint);
    }
    // Each is permitted something: a policy that denies everything would agree, too.
    expect([...permitted].sort()).toEqual([...VERDICTS].sort());
    const ofDecisions = (): string[] =>
      services.events.filter((event) => ENTRYPOINTS.includes((JSON.parse(event) as { path: string }).path));
    await until(() => ofDecisions().length >= all.length, "the decision log");
    const policyOf = (name: string | undefined): Policy | undefined => (name === "one" ? ours : undefined);
    const verdict = await verifyLedger(ofDecisions(), { chained: false, policyOf });
    expect(verdict).toMatchObject({ ok: true, events: all.length, decided: all.length, problems: [] });
    const forged = ofDecisions().map((event) => event.replace('"allowed":false', '"allowed":true'));
    expect((await verifyLedger(forged, { chained: false, policyOf })).ok).toBe(false);
  });

  it("asks with the ETag, and takes a new revision under load without a wrong answer", async () => {
    await until(() => services.answers.includes(304), "a 304");
    services.bundle = await signed(withoutWriters(compiled.files, "two"));
    const seen: unknown[] = [];
    let done = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!done) seen.push(((await ask("portcullis/lane/decision", writer)) as { gate: string }).gate);
    });
    await until(async () => (await revision()) === "two", "the second revision");
    done = true;
    await Promise.all(load);
    expect([...new Set(seen)].sort()).toEqual(["ALLOW", "LANE_ROLE"]);
    expect(await ask("portcullis/lane/decision", writer)).toMatchObject({ allowed: false, gate: "LANE_ROLE" });
  });

  it("goes on deciding while the bundle server is away, and takes what it has when it is back", async () => {
    await services.stop();
    expect(await ask("portcullis/lane/decision", writer)).toMatchObject({ allowed: false });
    services.bundle = await signed(compiled.files);
    await services.start();
    await until(async () => (await revision()) === "one", "the bundle server's return");
    expect(await ask("portcullis/lane/decision", writer)).toMatchObject({ allowed: true });
  });

  it("refuses a bundle that another key signed, or none", async () => {
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const before = services.answers.length;
    services.bundle = await signed(withoutWriters(compiled.files, "forged"), stranger);
    await until(() => services.answers.slice(before).includes(200), "the forged bundle");
    services.bundle = (await compileExample("unsigned")).bundle;
    const then = services.answers.length;
    await until(() => services.answers.slice(then).includes(200), "the unsigned bundle");
    await until(() => opa.log().includes("verification"), "the refusal");
    expect(await revision()).toBe("one");
    expect(await ask("portcullis/lane/decision", writer)).toMatchObject({ allowed: true });
  });
});

describe.skipIf(!hasOpa)("opa", () => {
  it("passes the tests of policies/ as a bundle, where only data.yaml and Rego count", () => {
    expect(execFileSync("opa", ["test", "-b", "policies"]).toString()).toMatch(/^PASS: (\d+)\/\1\n$/);
  });

  it("without a wasm engine refuses a bundle with a module, and takes the one without", async () => {
    const version = execFileSync("opa", ["version"]).toString();
    if (!version.includes("WebAssembly: unavailable")) return console.warn("SKIPPED: this opa has a wasm engine");
    const folder = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
    try {
      writeFileSync(join(folder, "rego.tar.gz"), (await compileExample("one")).bundle);
      const evaluate = (bundle: string): string =>
        execFileSync("opa", ["eval", "-f", "raw", "-b", bundle, "data.portcullis.lane.decision.allowed"]).toString();
      expect(evaluate(join(folder, "rego.tar.gz"))).toBe("false\n");
      expect(() => evaluate("generated/bundle.tar.gz")).toThrow();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
