/** With a log that is required, an allow is answered when it is in the log: no flood, no slow sink and no full disk changes that. */

import { readFileSync } from "node:fs";
import { BatchRefused, type DecisionLog, decisionLog, type EventSink, load } from "@portcullis/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { type Server, serve } from "../../../compiler/enforcement/serving/index.ts";

const bundle = readFileSync("generated/bundle.tar.gz");
const ask = (mark: unknown): string =>
  JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING", tool: "draft.create", mark } });

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Required {
  readonly url: string;
  readonly log: DecisionLog;
  post(
    path: string,
    body: string,
  ): Promise<{ readonly status: number; readonly body: { readonly [name: string]: unknown } }>;
}

async function required(
  sink: EventSink,
  options: { readonly bufferBytes?: number; readonly timeoutMs?: number } = {},
): Promise<Required> {
  const log = decisionLog({ sink, ...options });
  const policy = await load(bundle, { onDecision: log, unrecorded: "deny" });
  const server = await serve({
    served: () => ({ policy }),
    metrics: () => "",
    authzen: "portcullis/authzen/evaluation",
    host: "127.0.0.1",
    port: 0,
    requiredLog: log,
    maxBodyBytes: 1 << 20,
    maxConnections: 400,
    requestMs: 60_000,
    graceMs: 200,
    version: "0",
  });
  servers.push(server);
  return {
    url: server.url,
    log,
    async post(path, body) {
      const response = await fetch(`${server.url}${path}`, { method: "POST", body });
      return { status: response.status, body: (await response.json()) as { [name: string]: unknown } };
    },
  };
}

const TOOL = "/v1/data/portcullis/tool/decision";

describe("a required log", () => {
  it("has a marked call, whatever a list of evaluations before and after it pushes", async () => {
    let text = "";
    const sink: EventSink = {
      async write(batch) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        text += new TextDecoder().decode(batch);
      },
    };
    const { post, log } = await required(sink);
    const list = JSON.stringify({ evaluations: Array.from({ length: 1000 }, () => ({})) });
    const flood = (count: number): Promise<unknown>[] =>
      Array.from({ length: count }, () => post("/access/v1/evaluations", list));
    const before = flood(15);
    const marked = post(TOOL, ask("INCRIMINATING"));
    const after = flood(15);
    expect((await marked).body["result"]).toMatchObject({ allowed: true });
    expect(text).toContain("INCRIMINATING");
    await Promise.all([...before, ...after]);
    expect(log.status.dropped).toBe(0);
  });

  it("denies in the form that was asked for while its sink fails, and answers again when it does not", async () => {
    let text = "";
    let problem: Error | undefined = new Error("disk full");
    const sink: EventSink = {
      write(batch) {
        if (problem !== undefined) throw problem;
        text += new TextDecoder().decode(batch);
      },
    };
    const { post, log, url } = await required(sink);
    const denied = { allowed: false, gate: "INTERNAL_ERROR" };
    for (let i = 0; i < 3; i++) expect((await post(TOOL, ask(i))).body["result"]).toMatchObject(denied);
    expect((await post("/v0/data/portcullis/tool/decision", "{}")).body).toMatchObject(denied);
    expect((await post("/access/v1/evaluation", "{}")).body).toMatchObject({ decision: false });
    const input = encodeURIComponent(JSON.stringify({ role: "WRITER", lane: "DRAFTING" }));
    const got = await fetch(`${url}/v1/data/portcullis/lane/decision?input=${input}`);
    expect(((await got.json()) as { result: unknown }).result).toMatchObject(denied);
    problem = undefined;
    await log.flush();
    expect((await post(TOOL, ask("after"))).body["result"]).toMatchObject({ allowed: true });
    expect(text).toContain('"mark":"after"');
    // A batch that its service will never take is recorded nowhere.
    problem = new BatchRefused("413");
    const refused = await post(TOOL, ask("UNTAKEN"));
    expect(refused.body["result"] ?? refused.status).not.toMatchObject({ allowed: true });
    expect(text).not.toContain("UNTAKEN");
  });

  it("answers no allow for a sink that never answers", async () => {
    const { post } = await required({ write: () => new Promise(() => {}) }, { timeoutMs: 30 });
    const { body } = await post(TOOL, ask(1));
    expect(body["result"]).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
  });
});
