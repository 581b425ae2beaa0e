/** The decision log: masks as OPA's, a bounded buffer, retries, and sinks that fail. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { gunzipSync } from "node:zlib";
import {
  BatchRefused,
  type DecisionEvent,
  decisionLog,
  type EventSink,
  httpSink,
  load,
  type Policy,
  streamSink,
} from "@portcullis/runtime";
import { fileSink } from "@portcullis/runtime/node";
import { describe, expect, it } from "vitest";

const bytes = readFileSync("generated/bundle.tar.gz");
const request = {
  role: "WRITER",
  lane: "DRAFTING",
  tool: "draft.create",
  args: { token: "s3cret", list: [1, { pin: 2 }] },
};

/** A sink that keeps what it is given, after failing as often as it is told. */
function keeping(
  failures = 0,
): EventSink & { readonly events: Record<string, never>[]; batches: number; attempts: number } {
  const sink = {
    events: [] as Record<string, never>[],
    batches: 0,
    attempts: 0,
    write(batch: Uint8Array) {
      if (sink.attempts++ < failures) throw new Error("not now");
      sink.batches++;
      const lines = new TextDecoder().decode(batch).trim().split("\n");
      sink.events.push(...lines.map((line) => JSON.parse(line) as Record<string, never>));
    },
  };
  return sink;
}

async function logged(options: Omit<Parameters<typeof decisionLog>[0], "sink">, ask: (policy: Policy) => void) {
  const sink = keeping();
  const log = decisionLog({ sink, ...options });
  const policy = await load(bytes, { onDecision: log });
  ask(policy);
  policy.events?.flush();
  const status = await log.close();
  return { events: sink.events as unknown as Record<string, unknown>[], status };
}

describe("a mask", () => {
  it("erases and replaces, and says where", async () => {
    const { events } = await logged(
      { mask: ["/input/args/token", "/input/args/list/1/pin", { op: "upsert", path: "/input/role", value: "***" }, "/input/nothing", "/result/reason", "/input/args/list/9"] },
      (policy) => policy.call(request as never),
    ); // biome-ignore format: a list
    expect(events[0]).toMatchObject({
      input: { role: "***", args: { list: [1, {}] } },
      erased: ["/input/args/token", "/input/args/list/1/pin", "/result/reason"],
      masked: ["/input/role"],
    });
    expect(JSON.stringify(events)).not.toContain("s3cret");
    expect(events[0]?.["result"]).not.toHaveProperty("reason");
  });

  it("takes whole inputs, items of lists, and keys with `/` and `~`", async () => {
    const ask = (policy: Policy): void =>
      void policy.evaluate("portcullis/lane/decision", { "a/b": 1, "c~d": 2, l: [1, 2] });
    const { events } = await logged({ mask: ["/input/a~1b", "/input/c~0d", "/input/l/0"] }, ask);
    expect(events[0]?.["input"]).toEqual({ l: [null, 2] });
    const whole = await logged({ mask: ["/input"] }, ask);
    expect(whole.events[0]).not.toHaveProperty("input");
    expect(whole.events[0]?.["erased"]).toEqual(["/input"]);
  });

  it("that is not a function is refused; an event whose mask fails is not written", async () => {
    for (const path of ["", "input", "/labels", "/inputs", "/input/~2", 7])
      expect(() => decisionLog({ sink: keeping(), mask: [path as never] })).toThrow(TypeError);
    expect(() => decisionLog({ sink: keeping(), mask: [{ op: "delete" as never, path: "/input" }] })).toThrow(
      TypeError,
    );
    const { events, status } = await logged(
      {
        mask: (event: DecisionEvent) => {
          if (event.path.includes("tool")) throw new Error("no");
          return ["/input/role"];
        },
      },
      (policy) => {
        policy.tool(request);
        policy.lane(request);
      },
    );
    expect(events.map((event) => [event["path"], (event["input"] as { role?: string }).role])).toEqual([
      ["portcullis/lane/decision", undefined],
    ]);
    expect(status).toMatchObject({ unmasked: 1, delivered: 1, dropped: 0 });
  });

  it("keeps the digits of what it leaves", async () => {
    const sink = { text: "", write: (batch: Uint8Array) => void (sink.text += new TextDecoder().decode(batch)) };
    const log = decisionLog({ sink, mask: ["/input/role"] });
    const policy = await load(bytes, { onDecision: log });
    policy.evaluateJson("portcullis/lane/decision", '{"role":"X","amount":0.1000000000000000055511151231257827}');
    policy.events?.flush();
    await log.close();
    expect(sink.text).toContain('{"amount":0.1000000000000000055511151231257827}');
  });
});

describe("a decision log", () => {
  it("drops what it is told to drop, and counts it", async () => {
    const { events, status } = await logged({ drop: ({ path }) => path.includes("lane") }, (policy) => {
      policy.lane(request);
      policy.tool(request);
    });
    expect(events.map(({ path }) => path)).toEqual(["portcullis/tool/decision"]);
    expect(status.excluded).toBe(1);
  });

  it("tries again until the sink takes it, in order", async () => {
    const sink = keeping(2);
    const log = decisionLog({ sink, flushMs: 1 });
    const policy = await load(bytes, { onDecision: log });
    for (const role of ["A", "B", "C"]) policy.lane({ role, lane: "L" });
    policy.events?.flush();
    await expect(log.flush()).rejects.toThrow("not now");
    expect(log.status).toMatchObject({ pending: 3, failures: 1, lastError: "not now" });
    await expect.poll(() => log.status.delivered).toBe(3);
    expect(sink.events.map((event) => (event["input"] as unknown as { role: string }).role)).toEqual(["A", "B", "C"]);
    expect(log.status).toMatchObject({ pending: 0, failures: 2, dropped: 0 });
  });

  it("holds no more than its buffer: the oldest go first, and are counted", async () => {
    const sink = keeping(1);
    const log = decisionLog({ sink, bufferBytes: 4000 });
    const policy = await load(bytes, { onDecision: log });
    for (let i = 0; i < 100; i++) policy.lane({ role: `R${i}`, lane: "L" });
    policy.events?.flush();
    expect(log.status.pending).toBeLessThan(12);
    expect(log.status.pending + log.status.dropped).toBe(100);
    const status = await log.close();
    expect(status.pending).toBe(0);
    // The one attempt of `close` failed.
    expect(status).toMatchObject({ delivered: 0, dropped: 100, failures: 1 });
  });

  it("gives up a sink that never answers, and a batch that is refused for good", async () => {
    const hanging = decisionLog({ sink: { write: () => new Promise(() => {}) }, timeoutMs: 20 });
    const refusing = decisionLog({
      sink: {
        write: () => {
          throw new BatchRefused("never");
        },
      },
    });
    const policy = await load(bytes, { onDecision: [hanging, refusing] });
    policy.lane(request);
    policy.events?.flush();
    await expect(hanging.flush()).rejects.toThrow("longer than 20 ms");
    await expect(refusing.flush()).rejects.toThrow("never");
    expect(refusing.status).toMatchObject({ dropped: 1, delivered: 0, pending: 0 });
    expect(await hanging.close()).toMatchObject({ dropped: 1 });
  });

  it("writes lines into streams of Node and of the platform, compressed where that is asked for", async () => {
    const chunks: Uint8Array[] = [];
    const node = new Writable({ write: (chunk: Uint8Array, _, done) => done(void chunks.push(chunk)) });
    const web = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
    const logs = [decisionLog({ sink: streamSink(node) }), decisionLog({ sink: streamSink(web), gzip: true })];
    const policy = await load(bytes, { onDecision: logs });
    policy.lane(request);
    policy.events?.flush();
    for (const log of logs) await log.close();
    const [plain, zipped] = chunks as [Uint8Array, Uint8Array];
    expect(new TextDecoder().decode(plain)).toBe(gunzipSync(zipped).toString());
    expect(new TextDecoder().decode(plain)).toMatch(/^\{.*\}\n$/);
  });

  it("begins a line of its own in a file that a stopped process left in the middle of one", async () => {
    const directory = mkdtempSync(join(tmpdir(), "portcullis-log-"));
    try {
      for (const [before, lines] of [
        ["", []],
        ["{}\n", ["{}"]],
        ['{}\n{"labels":{"a', ["{}", '{"labels":{"a']],
      ] as const) {
        const path = join(directory, "log.jsonl");
        writeFileSync(path, before);
        const log = decisionLog({ sink: fileSink(path) });
        const policy = await load(bytes, { onDecision: log });
        for (let i = 0; i < 2; i++) {
          policy.lane(request);
          policy.events?.flush();
          await log.flush();
        }
        await log.close();
        const all = readFileSync(path, "utf8").split("\n");
        expect(all.slice(0, -3)).toEqual(lines);
        expect(all.slice(-3, -1).map((line) => (JSON.parse(line) as { path: string }).path)).toEqual(
          Array(2).fill("portcullis/lane/decision"),
        );
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("httpSink", () => {
  it("posts a gzipped JSON array to /logs, as OPA does, and tries again after a 503", async () => {
    const requests: {
      readonly url: string;
      readonly headers: NodeJS.Dict<string | string[]>;
      readonly body: unknown;
    }[] = [];
    const statuses = [503, 200, 400];
    const server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const body = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as unknown;
        requests.push({ url: incoming.url ?? "", headers: incoming.headers, body });
        response.writeHead(statuses.shift() ?? 500).end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const log = decisionLog({ sink: httpSink(url, { headers: { Authorization: "Bearer t" } }) });
      const policy = await load(bytes, { onDecision: log });
      policy.lane(request);
      policy.tool(request);
      policy.events?.flush();
      await expect(log.flush()).rejects.toThrow("503");
      await log.flush();
      expect(requests[1]).toMatchObject({
        url: "/logs",
        headers: { "content-encoding": "gzip", "content-type": "application/json", authorization: "Bearer t" },
        body: [{ path: "portcullis/lane/decision" }, { path: "portcullis/tool/decision" }],
      });
      policy.lane(request);
      await expect(log.flush()).rejects.toThrow("400");
      expect(log.status).toMatchObject({ delivered: 2, dropped: 1, pending: 0 });
    } finally {
      server.close();
    }
  });

  it.each([
    ["http://ann:secret@127.0.0.1/", "a user or a password"],
    ["http://127.0.0.1/?tenant=a", "a query or a fragment"],
    ["http://127.0.0.1/#a", "a query or a fragment"],
    ["http://[::1", "malformed"],
  ])("refuses %s, which it could not send to, or would send elsewhere", (url, problem) => {
    expect(() => httpSink(url)).toThrow(TypeError);
    expect(() => httpSink(url)).toThrow(problem);
    expect(() => httpSink(url)).not.toThrow("secret");
  });

  it("says why there is no answer", async () => {
    const server = createServer((_, response) => void response.writeHead(302, { location: "/elsewhere" }).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const log = decisionLog({ sink: httpSink(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) });
    const policy = await load(bytes, { onDecision: log });
    policy.lane(request);
    await expect(log.flush()).rejects.toThrow("no answer from the log service: unexpected redirect");
    await new Promise((resolve) => server.close(resolve));
    await expect(log.flush()).rejects.toThrow("ECONNREFUSED");
    await log.close();
  });
});
