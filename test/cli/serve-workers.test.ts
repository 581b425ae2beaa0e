/** `portcullis serve --workers`: the answers, the log, the counts and the bounds are those of one process. */

import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as grpc from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import { describe, expect, it } from "vitest";
import { MESSAGES, SERVICE } from "../../compiler/enforcement/serving/ext-authz-grpc.ts";
import { bundleOf, context } from "../enforcement/limited-policy.ts";
import { freePort } from "../free-port.ts";
import { questions } from "../opa/questions.ts";
import { ask, ended, example, folder, healthOf, start, until, useServeProcesses } from "./serve-process.ts";
import { portcullis } from "./terminal.ts";

useServeProcesses();

const CALL = "/v1/data/portcullis/call/decision";
const LANE = "/v1/data/portcullis/lane/decision";
const ALLOW = { allowed: true, gate: "ALLOW", reason: "lane_authorized" };
const writer = { input: { role: "WRITER", lane: "DRAFTING" } };

const TOKEN = "0123456789abcdef0123";

/** Over a connection of its own: the next one is another worker's. */
function post(url: string, body: unknown): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(
      url,
      { method: "POST", agent: false, headers: { Authorization: `Bearer ${TOKEN}` } },
      (response) => {
        let text = "";
        response.on("data", (bytes: Buffer) => (text += bytes.toString()));
        response.on("end", () => resolve({ status: response.statusCode, text }));
      },
    );
    asking.on("error", reject);
    asking.end(JSON.stringify(body));
  });
}

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe("serve --workers", () => {
  it("answers as one process does", async () => {
    const file = write("answers.tar.gz", example);
    const [one, three] = await Promise.all([start(file), start(file, "--workers", "3")]);
    const texts = new Set<string>();
    let asked = 0;
    for (const { entrypoint, input } of questions()) {
      if (asked++ % 20 !== 0) continue;
      const path = `/v1/data/${entrypoint}`;
      const [mine, theirs] = await Promise.all([one, three].map(({ url }) => post(url + path, { input })));
      expect(theirs, `${entrypoint} ${JSON.stringify(input)}`).toEqual(mine);
      texts.add(JSON.stringify(mine));
    }
    expect(texts.size).toBeGreaterThan(30);
    expect(await post(three.url + LANE, "{")).toEqual(await post(one.url + LANE, "{"));
    expect(await healthOf(three)).toBe(200);
    expect(await ended(three, "SIGTERM")).toBe(0);
  });

  it("has each decision once in one log, before it is answered", async () => {
    const log = join(folder, "required.jsonl");
    const running = await start(
      write("logged.tar.gz", example),
      ...["--workers", "3", "--decision-log", log, "--log-required"],
    );
    const ids = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const { decision_id } = JSON.parse((await post(running.url + LANE, writer)).text);
        expect(readFileSync(log, "utf8")).toContain(decision_id);
        return decision_id as string;
      }),
    );
    const lines = readFileSync(log, "utf8").split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line).decision_id).sort()).toEqual(ids.sort());
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/^portcullis_decisions_total\{.*outcome="allow".*\} 200$/m);
    expect(metrics).toMatch(/^portcullis_decision_duration_seconds_count\{.*\} 200$/m);
    expect(metrics).toContain("portcullis_worker_restarts_total 0\n");
    expect(metrics.match(/^# HELP portcullis_decisions_total /gm)).toHaveLength(1);
  });

  it("writes what waits for the log when it is told to end", async () => {
    const log = join(folder, "waits.jsonl");
    const running = await start(write("waits.tar.gz", example), "--workers", "2", "--decision-log", log);
    for (let i = 0; i < 10; i++) await post(running.url + LANE, writer);
    expect(await ended(running, "SIGINT")).toBe(0);
    expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(10);
  });

  it("sends batches to a log service, and goes on behind one that is refused", async () => {
    const batches: unknown[] = [];
    const service = createServer((asked, answer) => {
      const chunks: Buffer[] = [];
      asked.on("data", (chunk: Buffer) => chunks.push(chunk));
      asked.on("end", () => {
        batches.push(...JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()));
        answer.writeHead(batches.length === 1 ? 413 : 200).end();
      });
    }).listen(0, "127.0.0.1");
    await once(service, "listening");
    try {
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const file = write("sent.tar.gz", example);
      const running = await start(file, "--workers", "2", "--decision-log", url, "--log-required");
      const results: unknown[] = [];
      for (let i = 0; i < 6; i++) results.push(JSON.parse((await post(running.url + LANE, writer)).text).result);
      // What is refused is not in the log: it is decided again, or denied.
      expect(results.slice(1)).toEqual(Array.from({ length: 5 }, () => ALLOW));
      expect(batches.length).toBeGreaterThanOrEqual(6);
      const metrics = await (await fetch(`${running.url}/metrics`)).text();
      expect(metrics).toContain("portcullis_dropped_events_total 1\n");
      expect(await ended(running, "SIGTERM")).toBe(0);
    } finally {
      service.closeAllConnections();
      service.close();
    }
  });

  it.skipIf(process.platform !== "linux")("denies what the log of all does not take", async () => {
    const file = write("full.tar.gz", example);
    const running = await start(file, "--workers", "2", "--decision-log", "/dev/full", "--log-required");
    for (let i = 0; i < 6; i++)
      expect(JSON.parse((await post(running.url + LANE, writer)).text)).toMatchObject({
        result: { allowed: false, gate: "INTERNAL_ERROR" },
      });
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/^portcullis_log_failures_total [1-9]/m);
    expect(await ended(running, "SIGTERM")).toBe(0);
    expect(running.said()).toContain("decision events were lost; the log's last problem: ENOSPC");
    expect(running.said().split("warning: decisions are denied: the decision log fails: ENOSPC").length).toBe(2);
  });

  it("never lets more calls through than a limit says, whichever workers are asked", async () => {
    const file = write("limited.tar.gz", await bundleOf());
    const kept = join(folder, "history");
    const token = write("limited-token", Buffer.from(TOKEN));
    const running = await start(file, "--workers", "3", "--history", kept, "--token-file", token);
    const call = { input: { ...context, tool: "pay", args: { cents: 1 } } };
    const reason = async (body: object): Promise<string> =>
      JSON.parse((await post(running.url + CALL, body)).text).result.reason;
    const reasons = await Promise.all(Array.from({ length: 20 }, () => reason(call)));
    // `max_calls: 2`. One that waited too long for the folder is denied as well.
    let allowed = reasons.filter((said) => said === "call_allowed").length;
    await until(async () => {
      const said = await reason(call);
      if (said === "call_allowed") allowed++;
      return said === "limit_calls";
    });
    for (let i = 0; i < 3; i++) expect(await reason(call)).toBe("limit_calls");
    expect(allowed).toBe(2);
    // What one worker has seen, all know.
    const publish = { input: { ...context, tool: "publish" } };
    expect(await reason(publish)).toBe("limit_order");
    const review = { input: { ...context, tool: "review" } };
    expect(await reason(review)).toBe("call_allowed");
    for (let i = 0; i < 3; i++) expect(await reason(publish)).toBe("limit_order");
    expect(await post(`${running.url}/succeeded${CALL}`, review)).toEqual({ status: 200, text: "{}\n" });
    for (let i = 0; i < 3; i++) expect(await reason(publish)).toBe("call_allowed");
    // Which limits that is true of, is said once.
    expect(running.said().match(/^note: .*/gm)).toEqual([
      "note: `REVIEWED` waits until review has succeeded: `POST /succeeded/…` says it",
    ]);
    // Without a place that all share nothing is counted, and nothing allowed.
    const without = await start(file, "--workers", "2");
    for (let i = 0; i < 3; i++) expect((await post(without.url + CALL, call)).text).toContain("history_missing");
    expect(without.said()).not.toContain("note: ");
  });

  it("refuses what one process alone can keep", async () => {
    const file = write("refused.tar.gz", example);
    const token = write("refused-token", Buffer.from(TOKEN));
    const kept = join(folder, "refused-history");
    mkdirSync(kept, { mode: 0o700 });
    const run = async (...args: string[]): Promise<string> => {
      const { code, err } = await portcullis("serve", file, ...args);
      expect(code, err).toBe(2);
      return err;
    };
    const state = ["--state", "--history", kept, "--token-file", token];
    expect(await run("--workers", "2", ...state)).toContain("`--state` is for one process");
    expect(await run("--workers", "2", "--shadow", file)).toContain("`--shadow` is for one process");
    expect(await run("--workers", "0")).toContain("a whole number from 1");
    expect(await run("--workers", "3", "--max-connections", "2")).toContain("each takes one at least");
    // As a process: it would begin others.
    const taken = new URL((await start(file)).url).host;
    await expect(start(file, "--workers", "2", "--addr", taken)).rejects.toThrow(
      /somebody else listens there\n(?:.*\n)*error: a worker did not start/,
    );
  });

  it("keeps no more connections than it may, and answers when they are gone", async () => {
    const running = await start(write("bound.tar.gz", example), "--workers", "2", "--max-connections", "4");
    const { port } = new URL(running.url);
    let closed = 0;
    const sockets: Socket[] = Array.from({ length: 12 }, () =>
      connect(Number(port), "127.0.0.1")
        .on("close", () => closed++)
        .on("error", () => undefined)
        .resume(),
    );
    await until(() => closed >= 8);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await healthOf(running)) === 200);
    expect(await ask(running)).toMatchObject({ allowed: true });
  });

  it("finishes what is under way when it is told to end", async () => {
    const running = await start(write("drained.tar.gz", example), "--workers", "2");
    const body = JSON.stringify(writer);
    const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.write(
      `POST ${LANE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until(() => answer.includes("100 Continue"));
    const end = ended(running, "SIGTERM");
    await until(async () => (await healthOf(running)) === undefined);
    socket.write(body);
    expect(await end).toBe(0);
    expect(answer).toContain('"allowed":true');
    expect(answer).toContain("Connection: close");
  });

  it("takes Envoy's checks over gRPC", async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const running = await start(write("checked.tar.gz", example), "--workers", "2", "--ext-authz", address);
    const found = fromJSON(MESSAGES as never, { longs: String, defaults: false, bytes: Buffer, oneofs: false });
    const Client = grpc.makeGenericClientConstructor(found[SERVICE] as grpc.ServiceDefinition, SERVICE);
    const http = { method: "GET", path: "/no/such/route", headers: {} };
    for (let i = 0; i < 4; i++) {
      // Each with a connection of its own.
      const options = { "grpc.use_local_subchannel_pool": 1 };
      const client = new Client(address, grpc.credentials.createInsecure(), options);
      const answer = await new Promise<{ deniedResponse?: { status?: { code?: number } } }>((resolve, reject) => {
        const check = client["Check"] as unknown as (
          message: object,
          done: (error: Error | null, value: object) => void,
        ) => void;
        check.call(client, { attributes: { request: { http } } }, (error, value) =>
          error === null ? resolve(value) : reject(error),
        );
      });
      expect(answer.deniedResponse?.status?.code).toBe(403);
      client.close();
    }
    expect(await ended(running, "SIGTERM")).toBe(0);
  });

  it("listens on a socket, with the token that the primary has read", async () => {
    const token = write("socket-token", Buffer.from("0123456789abcdef0123\n"));
    const socketPath = join(folder, "workers.sock");
    const flags = ["--addr", `unix:${socketPath}`, "--token-file", token, "--workers", "2"];
    const running = await start(write("socket.tar.gz", example), ...flags);
    const askSocket = (authorization: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        const asking = request({ socketPath, path: LANE, agent: false, headers: { authorization } }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        });
        asking.on("error", () => resolve(undefined)).end();
      });
    for (let i = 0; i < 4; i++) {
      expect(await askSocket("Bearer 0123456789abcdef0123")).toBe(200);
      expect(await askSocket("Bearer 0123456789abcdef0124")).toBe(401);
    }
    expect(await ended(running, "SIGTERM")).toBe(0);
  });
});
