/**
 * Part of the benchmark: `portcullis serve` and OPA's own server over HTTP, on this machine, with the same requests from the same
 * client. In every round each server is asked for a while, after a warm-up; both run all the time, and one of them waits.
 */

import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { entrypointOf, readBundle } from "@portcullis/runtime";
import { packBundle } from "../../compiler/rego/bundle/index.ts";
import { freePort } from "../../test/free-port.ts";
import type { Bundle } from "../bundles.ts";
import { spreadOf } from "../interleave.ts";
import type { Absence, ServedMeasure, ServingRow } from "../results.ts";
import { textsOf, workloadsOf } from "../workloads/index.ts";

export const SERVE = "portcullis serve";
export const OPA_SERVER = "opa run --server";

const CONNECTIONS = 16;
const REQUESTS = 256;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLIENT = fileURLToPath(new URL("http-load.mjs", import.meta.url));

interface Server {
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** What the client prints. */
interface Round {
  readonly seconds: number;
  readonly micros: readonly number[];
}

export async function measureServing(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<{ readonly rows: readonly ServingRow[]; readonly absences: readonly Absence[] }> {
  const pace = quick ? { rounds: 3, warmMs: 300, ms: 500 } : { rounds: 15, warmMs: 500, ms: 2000 };
  const servers = [await serveOf(bundle)];
  const absences: Absence[] = [];
  try {
    const theirs = await opaOf(bundle);
    if (theirs === undefined) absences.push({ policy: bundle.name, name: OPA_SERVER, why: "no `opa` on the PATH" });
    else servers.push(theirs);
    const workloads = workloadsOf(bundle.data.portcullis.policy).filter(
      ({ kind, size, outcome }) => (kind === "tool" || kind === "call") && size === "typical" && outcome === "allow",
    );
    const rows: ServingRow[] = [];
    for (const workload of workloads) {
      const bodies = textsOf(workload, 0, REQUESTS).map((text) => `{"input":${text}}`);
      const path = `/v1/data/${entrypointOf(workload.kind)}`;
      await assertAlike(servers, path, bodies);
      const rounds = new Map(servers.map(({ name }) => [name, [] as Round[]]));
      for (let i = 0; i < pace.rounds; i++) {
        progress(`policies ${bundle.name}: ${workload.kind} over HTTP, round ${i + 1} of ${pace.rounds}`);
        // Each begins every other round.
        for (const { name, url } of i % 2 === 0 ? servers : [...servers].reverse())
          rounds.get(name)?.push(await ask({ url: url + path, connections: CONNECTIONS, bodies, ...pace }));
      }
      rows.push({
        policy: bundle.name,
        kind: workload.kind,
        connections: CONNECTIONS,
        measured: servers.map(({ name }) => measureOf(name, rounds)),
      });
    }
    return { rows, absences };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function ask(options: object): Promise<Round> {
  const asked = promisify(execFile)(process.execPath, [CLIENT], { maxBuffer: 2 ** 28 });
  asked.child.stdin?.end(JSON.stringify(options));
  return JSON.parse((await asked).stdout) as Round;
}

function measureOf(name: string, rounds: ReadonlyMap<string, readonly Round[]>): ServedMeasure {
  const ratesOf = (of: string): number[] =>
    (rounds.get(of) ?? []).map(({ micros, seconds }) => micros.length / seconds);
  const micros = (rounds.get(name) ?? []).flatMap((round) => round.micros).sort((a, b) => a - b);
  const at = (share: number): number => micros[Math.floor(share * (micros.length - 1))] as number;
  const { median, low, high } = spreadOf(ratesOf(name));
  const theirs = ratesOf(OPA_SERVER);
  return {
    name,
    perSecond: median,
    low,
    high,
    p50Micros: at(0.5),
    p99Micros: at(0.99),
    p999Micros: at(0.999),
    ...(name === OPA_SERVER || theirs.length === 0
      ? {}
      : { ratio: spreadOf(ratesOf(name).map((rate, i) => rate / (theirs[i] as number))) }),
  };
}

/** Who answers otherwise, or denies, is not measured. */
async function assertAlike(servers: readonly Server[], path: string, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const answers = await Promise.all(
      servers.map(async ({ url }) => (await fetch(url + path, { method: "POST", body })).text()),
    );
    if (new Set(answers).size !== 1 || !answers[0]?.includes('"allowed":true'))
      throw new Error(`${path} ${body} is answered with ${answers.join(" and ")}`);
  }
}

async function serveOf(bundle: Bundle): Promise<Server> {
  const bin = join(ROOT, "compiler/bin/portcullis.js");
  const argv = [bin, "serve", bundle.path, "--addr", "127.0.0.1:0"];
  return started(SERVE, process.execPath, argv, (said) => /serving revision .* on (http:\S+)/.exec(said)?.[1]);
}

async function opaOf(bundle: Bundle): Promise<Server | undefined> {
  try {
    execFileSync("opa", ["version"], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const rego = join(dirname(bundle.path), "rego.tar.gz");
  writeFileSync(rego, await withoutModule(bundle.bytes));
  const url = `http://127.0.0.1:${await freePort()}`;
  // Its log would tell of every request: neither server writes one.
  const argv = ["run", "--server", "--addr", url.slice("http://".length), "--log-level", "error", "-b", rego];
  const answers = async (): Promise<string | undefined> =>
    (await fetch(`${url}/health?bundles`).catch(() => undefined))?.ok === true ? url : undefined;
  return started(OPA_SERVER, "opa", [...argv, "--disable-telemetry"], answers);
}

/** As `build --target rego` makes it: an OPA may have no engine for the module. */
async function withoutModule(bytes: Uint8Array): Promise<Uint8Array> {
  const files = await readBundle(bytes);
  const { wasm: _, ...manifest } = JSON.parse(new TextDecoder().decode(files.get(".manifest"))) as { wasm?: unknown };
  files.set(".manifest", new TextEncoder().encode(JSON.stringify(manifest)));
  files.delete("policy.wasm");
  return packBundle([...files].map(([path, content]) => ({ path, bytes: content })));
}

async function started(
  name: string,
  program: string,
  argv: readonly string[],
  urlIn: (said: string) => Promise<string | undefined> | string | undefined,
): Promise<Server> {
  const child = spawn(program, argv, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  const end = performance.now() + 60_000;
  for (;;) {
    const url = await urlIn(said);
    if (url !== undefined) return { name, url, stop };
    if (child.exitCode !== null || performance.now() > end) {
      child.kill("SIGKILL");
      throw new Error(`${name} does not start: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
