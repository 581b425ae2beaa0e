/** The processes of the rehearsal, their clock, and the questions that they are asked without end. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** What `clock.mjs` begins with. */
const START_SECONDS = Date.UTC(2026, 0, 1) / 1000;

/** What a member is told. */
export interface MemberChoice {
  readonly source: string;
  readonly keys: string;
  readonly folder: string;
  readonly redis: string | undefined;
  readonly channel: string;
  readonly pollMs: number;
  readonly staleAfterMs: number;
  readonly isLogRequired: boolean;
  readonly bufferBytes: number;
}

/** How a process is started: `start` gives the words behind `node`. */
export interface MemberPlan {
  readonly name: string;
  readonly ring: "canary" | "stable";
  readonly isLogRequired: boolean;
  readonly folder: string;
  readonly words: readonly string[];
}

/** What was asked, between which times, and what came back. */
export interface Asked {
  readonly mark: string;
  readonly role: string;
  readonly began: number;
  readonly ended: number;
  readonly status: number;
  /** The decision that was given; `undefined` for none. */
  readonly result: { readonly allowed: boolean; readonly gate: string; readonly reason: string } | undefined;
}

export type Series = ReadonlyMap<string, number>;

export class Member {
  readonly plan: MemberPlan;
  readonly asked: Asked[] = [];
  url = "";
  said = "";
  child: ChildProcess | undefined;

  constructor(plan: MemberPlan) {
    this.plan = plan;
    mkdirSync(plan.folder);
  }

  get log(): string {
    return join(this.plan.folder, "decisions.ndjson");
  }

  async start(clock: string): Promise<void> {
    const preload = ["--import", fileURLToPath(new URL("clock.mjs", import.meta.url))];
    this.said = "";
    const child = spawn(process.execPath, [...preload, ...this.plan.words], {
      env: { ...process.env, REHEARSAL_CLOCK: clock },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.child = child;
    child.stderr.on("data", (bytes: Buffer) => void (this.said += bytes));
    await until(
      () => / on http:\S+\n/.test(this.said) || child.exitCode !== null,
      () => `${this.plan.name} starts`,
    );
    const [, url] = / on (http:\S+)\n/.exec(this.said) ?? [];
    if (url === undefined) throw new Error(`${this.plan.name} does not serve: ${this.said}`);
    this.url = url;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
    return child.exitCode;
  }

  /** May this role draft? */
  async ask(role: string, mark: string): Promise<Asked> {
    const began = performance.now();
    const [status, body] = await post(`${this.url}/v1/data/portcullis/lane/decision`, { role, lane: "DRAFTING", mark });
    const result = (JSON.parse(body || "{}") as { readonly result?: Asked["result"] }).result;
    const asked = { mark, role, began, ended: performance.now(), status, result };
    this.asked.push(asked);
    return asked;
  }

  async clash(): Promise<number> {
    return (await post(`${this.url}/v1/data/rehearsal/clash`, { clash: true }))[0];
  }

  async series(): Promise<Series> {
    const [, text] = await send(`${this.url}/metrics`);
    return new Map(
      text
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
    );
  }

  /** The disk of the log is full: what is written to it from now on is ENOSPC. What was written stays. */
  fillDisk(): void {
    linkSync(this.log, `${this.log}.kept`);
    symlinkSync("/dev/full", `${this.log}.full`);
    renameSync(`${this.log}.full`, this.log);
  }

  makeRoom(): void {
    if (existsSync(`${this.log}.kept`)) renameSync(`${this.log}.kept`, this.log);
  }

  events(): readonly LogEvent[] {
    const text = readFileSync(this.log, "utf8");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as LogEvent]));
  }
}

export interface LogEvent {
  readonly path?: string;
  readonly input?: { readonly role?: string; readonly mark?: string };
  readonly result?: Asked["result"];
  readonly bundles?: { readonly [name: string]: { readonly revision?: string } };
  readonly dropped?: number;
  readonly refused?: number;
}

export function revisionIn(series: Series): string | undefined {
  const [name] = [...series.keys()].filter((key) => key.startsWith("portcullis_policy_info{"));
  return /revision="([^"]*)"/.exec(name ?? "")?.[1];
}

/** The clock of all processes. */
export class Clock {
  readonly file: string;
  minute = 0;

  constructor(folder: string) {
    this.file = join(folder, "clock");
    writeFileSync(this.file, "0");
  }

  /** One minute later: each member looks at its source, and has done so when this resolves. By member, its metrics then. */
  async tick(members: readonly Member[]): Promise<ReadonlyMap<string, Series>> {
    const before = new Map(await Promise.all(members.map(async (one) => [one, await one.series()] as const)));
    writeFileSync(this.file, String(++this.minute));
    for (const { child } of members) for (const signal of ["SIGUSR2", "SIGHUP"] as const) child?.kill(signal);
    const seen = new Map<string, Series>();
    await Promise.all(
      members.map((one) =>
        until(
          async () => {
            const series = await one.series();
            seen.set(one.plan.name, series);
            const isFresh = (series.get(CHECKED) ?? 0) >= START_SECONDS + this.minute * 60;
            return isFresh || (series.get(FAILED) ?? 0) > (before.get(one)?.get(FAILED) ?? 0);
          },
          () => `${one.plan.name} looks at its source in minute ${this.minute}: ${one.said}`,
        ),
      ),
    );
    return seen;
  }
}

const CHECKED = "portcullis_last_check_timestamp_seconds";
const FAILED = "portcullis_failed_checks";

/** Seconds of a clock that begins with the rehearsal, for a time that a member tells. */
export function sinceStart(name: string, value: number): number {
  return name.startsWith(CHECKED) ? value - START_SECONDS : value;
}

/** The program of a member, bundled. */
export async function bundleMember(script: string): Promise<void> {
  await build({
    entryPoints: [join(root, "test/rehearsal/member.ts")],
    ...{ outfile: script, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
    external: ["@grpc/grpc-js", "@open-policy-agent/opa-wasm", "binaryen"],
    tsconfig: join(root, "tsconfig.json"),
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
}

function post(url: string, input: object): Promise<[status: number, text: string]> {
  return send(url, JSON.stringify({ input }));
}

/** Over a connection of its own: one that waits for the next question may be closed just then. */
function send(url: string, body?: string): Promise<[status: number, text: string]> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: body === undefined ? "GET" : "POST", agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (bytes: Buffer) => chunks.push(bytes));
      response.on("end", () => resolve([response.statusCode ?? 0, Buffer.concat(chunks).toString()]));
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Rejects after two minutes. */
export async function until(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (const end = performance.now() + 120_000; !(await holds()); )
    if (performance.now() > end) throw new Error(`waited for two minutes: ${what()}`);
    else await new Promise((resolve) => setTimeout(resolve, 10));
}
