/** The gateway with a process behind it: small programs, which answer as a server would. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { LIMITS, type Limits, NO_TOOLS, type ProxyEnd, runProxy } from "../../../compiler/enforcement/gateway/index.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CALLER, deciding } from "./verdicts.ts";

export function proxyChecks(): readonly Check[] {
  return [
    { what: "a session", run: session },
    { what: "ends of servers", run: servers },
    { what: "ends of clients", run: clients },
    { what: "the environment of a server", run: () => inFolder(environment) },
    { what: "what a server starts", run: () => inFolder(children) },
  ];
}

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;
const pong = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`;
/** Answers every ping. */
const ECHO = `sed -u 's/"method":"ping"/"result":{}/'`;

function running(script: string, limits: Partial<Limits> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const log: string[] = [];
  const records: string[] = [];
  let signal: (name: NodeJS.Signals) => void = () => {};
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    signal = resolve;
  });
  const end = runProxy({
    ...{ policy: deciding({ yes: ALLOW }), caller: CALLER, tools: NO_TOOLS },
    // Longer than a question may take: who waits for it in vain is noticed.
    ...{ limits: { ...LIMITS, graceMs: 60_000, ...limits }, server: ["sh", "-c", script] },
    ...{ input, output, signalled, record: (_: unknown, name: string) => records.push(name) },
    log: (line: string) => log.push(line),
  });
  return { input, output, log, records, signal, end, text: () => String(output.read() ?? "") };
}

async function until(isSo: () => boolean): Promise<boolean> {
  for (const end = performance.now() + 4_000; performance.now() < end; ) {
    if (isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

const LEFT: ProxyEnd = { why: "client-left", started: true, message: "ended with exit code 0" };

async function session(): Promise<void> {
  const of = running(ECHO, { messageBytes: ping(10).length, messageValues: 20 });
  of.input.write(`${ping(1)}${ping(10)}${ping(100)}x\n`);
  of.input.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"no"}}\n`);
  of.input.end(ping(11));
  same("a session", await of.end, LEFT);
  const { length } = Buffer.from(ping(10));
  const tooLong = `client: a message over ${length} bytes or 20 values was dropped`;
  same("its log", [of.log.filter((line) => line === tooLong).length, of.log.length], [2, 3]);
  const said = of.text();
  same(
    "its answers",
    [1, 10, 11, 100].map((id) => said.includes(pong(id))),
    [true, true, true, false],
  );
  const slow = running(`read l; sleep 0.1; echo '${pong(1).trim()}'; read l`);
  slow.input.end(ping(1));
  same(
    "an answer that takes its time",
    [await slow.end, slow.text()],
    [{ ...LEFT, message: "ended with exit code 1" }, pong(1)],
  );
  const calling = running(`read l; echo "$l" >&2; read l`);
  calling.input.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"yes"}}\n`);
  same("a call", await until(() => calling.log.length > 0), true);
  calling.signal("SIGTERM");
  await calling.end;
  same("its record", [calling.records, calling.log[0]?.startsWith("server: {")], [["yes"], true]);
}

async function servers(): Promise<void> {
  same("a server that ends", await running("exit 3").end, {
    why: "server-ended",
    started: true,
    message: "ended with exit code 3",
  });
  same("a server that is killed", (await running("kill -9 $$").end).message, "was ended by SIGKILL");
  const none = running("true");
  same("a server that reads nothing", (await none.end).why, "server-ended");
  const last = running(`read l; echo '${pong(1).trim()}'`);
  last.input.write(`${ping(1)}${ping(2)}`);
  same("a server that answers and ends", (await last.end).why, "server-ended");
  const said = last.text();
  same("its last words", [said.includes(pong(1)), said.includes("the server has ended")], [true, true]);
  // The last of them is read when the server is gone already.
  const leaving = `read l; for i in 1 2 3 4 5 6 7 8 9 10; do echo '${pong(0).trim()}'; done; echo '${pong(1).trim()}'`;
  const left = running(leaving, { messagesPerSecond: 10 });
  left.input.write(ping(1));
  same("a server that leaves answers", (await left.end).why, "server-ended");
  same("what it left", left.text().includes(pong(1)), true);
  const missing = await runProxy({
    ...{ policy: deciding({}), caller: CALLER, tools: NO_TOOLS, limits: LIMITS, server: ["/nowhere/none"] },
    ...{ input: new PassThrough(), output: new PassThrough(), signalled: new Promise<never>(() => {}) },
    ...{ record: () => {}, log: () => {} },
  });
  same(
    "no server",
    [missing.why, missing.started, missing.message],
    ["server-ended", false, "cannot be started: spawn /nowhere/none ENOENT"],
  );
  const stubborn = running(`trap "" TERM; echo ready >&2; while :; do sleep 0.05; done`, { graceMs: 40 });
  await until(() => stubborn.log.length > 0);
  stubborn.input.end();
  same("a server that does not end", await stubborn.end, { ...LEFT, message: "was ended by SIGKILL" });
  const willing = running(`trap "exit 5" TERM; echo ready >&2; while :; do sleep 0.01; done`, { graceMs: 500 });
  await until(() => willing.log.length > 0);
  willing.input.end();
  same("a server that ends when it is told", await willing.end, { ...LEFT, message: "ended with exit code 5" });
}

async function clients(): Promise<void> {
  const signalled = running(`trap "exit 7" HUP; echo ready >&2; while :; do sleep 0.01; done`);
  await until(() => signalled.log.length > 0);
  signalled.signal("SIGHUP");
  same("a signal", await signalled.end, { why: "signalled", started: true, message: "ended with exit code 7" });
  const said = pong(1).trim().replaceAll('"', '\\"');
  const answering = running(`trap "echo '${said}'; exit 0" HUP; read l; echo ready >&2; while :; do sleep 0.01; done`);
  answering.input.write(ping(1));
  await until(() => answering.log.length > 0);
  answering.signal("SIGHUP");
  same("an answer after a signal", [(await answering.end).why, answering.text()], ["signalled", pong(1)]);
  const gone = running("cat > /dev/null");
  gone.input.write(ping(1));
  gone.output.destroy();
  same("a client that is gone", await gone.end, LEFT);
}

function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-mutant-"));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

async function environment(folder: string): Promise<void> {
  process.env["PORTCULLIS_SESSION_SECRET"] = "00".repeat(16);
  process.env["OTHERS_PORTCULLIS_SECRET"] = "told";
  await running(`env > ${folder}/env`).end;
  delete process.env["PORTCULLIS_SESSION_SECRET"];
  const names = readFileSync(join(folder, "env"), "utf8")
    .split("\n")
    .map((line) => line.split("=")[0]);
  const told = ["PATH", "OTHERS_PORTCULLIS_SECRET", "PORTCULLIS_SESSION_SECRET"].map((name) => names.includes(name));
  same("what is told", told, [true, true, false]);
}

async function children(folder: string): Promise<void> {
  const of = running(`sleep 100 & echo $! > ${folder}/pid; echo ready >&2; read l`);
  await until(() => of.log.length > 0);
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  of.input.end();
  await of.end;
  // A zombie is gone, too: its parent has not asked for its exit code yet.
  const isGone = (): boolean => {
    try {
      return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return true;
    }
  };
  const gone = await until(isGone);
  if (!gone) process.kill(pid, "SIGKILL");
  same("a grandchild is gone", gone, true);
}
