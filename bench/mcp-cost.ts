/**
 * What `portcullis mcp --listen` adds to a call: a hundred sessions ask a server of the official SDK, straight and through the
 * gateway, in turns. The bundle is signed, and each decision is logged. Prints medians of the gateway's processor time and of the wall
 * time that it adds, each by call. Exit 1 where that is above what a call may cost, which counts on a machine that does nothing
 * else.
 *
 *   npx tsx bench/mcp-cost.ts [CALLS]      calls of one round, of all sessions together; default 1,000
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

const SESSIONS = 100;
const ROUNDS = 11;
/** Milliseconds that a call may cost. */
const MOST = 0.3;
const REVISION = "2025-11-25";
const calls = Number(process.argv[2] ?? 1000);

const root = fileURLToPath(new URL("..", import.meta.url));
const portcullis = join(root, "compiler/bin/portcullis.js");
const folder = mkdtempSync(join(tmpdir(), "portcullis-mcp-cost-"));
const at = (name: string): string => join(folder, name);

interface Started {
  readonly program: ChildProcess;
  readonly url: string;
}

/** Starts a program of Node, and waits until it says where it listens. */
async function started(words: readonly string[]): Promise<Started> {
  const program = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const said = new PassThrough();
  program.stdout?.pipe(said, { end: false });
  program.stderr?.pipe(said, { end: false });
  program.once("exit", () => said.end());
  const lines: string[] = [];
  for await (const line of createInterface(said)) {
    const [, url] = /listening on (http[^\s,]+)/.exec(line) ?? [];
    if (url !== undefined) return { program, url };
    lines.push(line);
  }
  throw new Error(`${words.join(" ")}: ${lines.join("\n")}`);
}

/** Milliseconds of processor time that the program has taken. */
async function cpuOf({ program }: Started): Promise<number> {
  program.send("cpu");
  const [micros] = (await once(program, "message")) as [number];
  return micros / 1000;
}

/** Headers that name a session. */
type Session = Readonly<Record<string, string>>;

interface Told {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function post(agent: Agent, url: string, message: object, headers: Session = {}): Promise<Told> {
  const own = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", agent, headers: { ...own, ...headers } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    asked.on("error", reject);
    asked.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
  });
}

/** Opens a session; gives its headers. */
async function opened(url: string): Promise<Session> {
  const agent = new Agent();
  const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "cost", version: "1" } };
  const { headers } = await post(agent, url, { id: 0, method: "initialize", params });
  const session = { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": REVISION };
  await post(agent, url, { method: "notifications/initialized" }, session);
  return session;
}

interface Round {
  /** Milliseconds of wall time a call. */
  readonly wall: number;
  /** Milliseconds of the gateway's processor time a call. */
  readonly cpu: number;
}

/** Each session makes its calls one after the other, beside the others, on a connection that is open. Throws for a wrong answer. */
async function round(url: string, sessions: readonly Session[]): Promise<Round> {
  const agent = new Agent({ keepAlive: true });
  const call = async (id: number, session: Session): Promise<void> => {
    const params = { name: "draft.create", arguments: { title: `Tides ${id}` } };
    const { status, text } = await post(agent, url, { id, method: "tools/call", params }, session);
    if (status !== 200 || !text.includes(`draft of Tides ${id}`)) throw new Error(`${status}: ${text}`);
  };
  const each = Math.ceil(calls / sessions.length);
  await Promise.all(sessions.map((session) => call(0, session)));
  const [cpu, began] = [await cpuOf(gateway), performance.now()];
  await Promise.all(
    sessions.map(async (session) => {
      for (let id = 1; id <= each; id++) await call(id, session);
    }),
  );
  const [took, used] = [performance.now() - began, (await cpuOf(gateway)) - cpu];
  agent.destroy();
  return { wall: took / (each * sessions.length), cpu: used / (each * sessions.length) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

function signedBundle(): readonly string[] {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
  writeFileSync(at("public.pem"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(at("private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const bundle = join(root, "generated/bundle.tar.gz");
  const signing = ["sign", bundle, "--signing-key", at("private.pem"), "-o", at("bundle.tar.gz")];
  if (spawnSync(process.execPath, [portcullis, ...signing], { stdio: "inherit" }).status !== 0)
    throw new Error("the bundle was not signed");
  return ["--policy", at("bundle.tar.gz"), "--verification-key", at("public.pem")];
}

const server = await started([join(root, "bench/parts/mcp-server.mjs")]);
const gateway = await started([
  ...["--import", join(root, "bench/parts/cpu-time.mjs"), portcullis, "mcp", ...signedBundle()],
  ...["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk"],
  ...["--scope", "story_id=s-118", "--scope", "run_id=r-7", "--decision-log", at("log.jsonl")],
  ...["--listen", "127.0.0.1:0", "--upstream", server.url],
]);
const many = Array.from({ length: SESSIONS });
const straight = await Promise.all(many.map(() => opened(server.url)));
const through = await Promise.all(many.map(() => opened(gateway.url)));
await round(server.url, straight);
await round(gateway.url, through);
const rounds: (readonly [straight: Round, through: Round])[] = [];
for (let i = 0; i < ROUNDS; i++) rounds.push([await round(server.url, straight), await round(gateway.url, through)]);
for (const { program } of [gateway, server]) program.kill();
rmSync(folder, { recursive: true });

const cpu = median(rounds.map(([, { cpu }]) => cpu));
const [without, behind] = [median(rounds.map(([{ wall }]) => wall)), median(rounds.map(([, { wall }]) => wall))];
const added = median(rounds.map(([straight, through]) => through.wall - straight.wall));
const ms = (value: number): string => `${value.toFixed(3)} ms`;
console.log(`mcp over HTTP, ${SESSIONS} sessions, ${calls} calls: CPU of the gateway ${ms(cpu)} a call`);
console.log(
  `wall time a call: ${ms(without)} straight, ${ms(behind)} through the gateway, ${ms(added)} more (at most ${MOST})`,
);
process.exitCode = added > MOST ? 1 : 0;
