/** With a log that is required, an allow is answered when it is in the log: no flood, no slow sink and no full disk changes that. */

import { readFileSync } from "node:fs";
import {
  BatchRefused,
  type DecisionLog,
  decisionLog,
  type EventSink,
  type FactHost,
  type HistoryStore,
  load,
  loggedDecisions,
  type Metrics,
  memoryHistory,
  metrics,
  type Policy,
} from "@portcullis/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { type Server, serve } from "../../../compiler/enforcement/serving/index.ts";
import { bundle as limited } from "../limited-policy.ts";

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
  readonly policy: Policy;
  readonly meter: Metrics;
  post(
    path: string,
    body: string,
  ): Promise<{ readonly status: number; readonly body: { readonly [name: string]: unknown } }>;
}

async function required(
  sink: EventSink,
  options: { readonly timeoutMs?: number; readonly source?: Uint8Array; readonly facts?: FactHost } = {},
): Promise<Required> {
  const { source = bundle, facts = {}, ...rest } = options;
  const log = decisionLog({ sink, ...rest });
  const policy = await load(source, { onDecision: log, unrecorded: "deny" });
  const meter = metrics(policy);
  const server = await serve({
    served: () => ({ policy }),
    metrics: meter.toPrometheus,
    authzen: "portcullis/authzen/evaluation",
    host: "127.0.0.1",
    port: 0,
    requiredLog: log,
    facts,
    maxBodyBytes: 1 << 20,
    maxConnections: 400,
    requestMs: 60_000,
    graceMs: 200,
    version: "0",
  });
  servers.push(server);
  return {
    url: server.url,
    ...{ log, policy, meter },
    async post(path, body) {
      const response = await fetch(`${server.url}${path}`, { method: "POST", body });
      return { status: response.status, body: (await response.json()) as { [name: string]: unknown } };
    },
  };
}

const TOOL = "/v1/data/portcullis/tool/decision";

function linesOf(text: string): { readonly [member: string]: unknown }[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly [member: string]: unknown });
}

/** A sink that takes nothing while it has a problem. */
function fullDisk(): { readonly sink: EventSink; problem: Error | undefined; text: string } {
  const disk = {
    problem: new Error("disk full") as Error | undefined,
    text: "",
    sink: {
      write(batch: Uint8Array): void {
        if (disk.problem !== undefined) throw disk.problem;
        disk.text += new TextDecoder().decode(batch);
      },
    },
  };
  return disk;
}

describe("a required log", () => {
  it("says of an answer whose batch came late that it was not given", async () => {
    const written: Uint8Array[] = [];
    let hanging: Uint8Array | undefined;
    const sink: EventSink = {
      write: (batch) => {
        if (hanging !== undefined) return written.push(batch);
        hanging = batch;
        return new Promise(() => {});
      },
    };
    const { post, log } = await required(sink, { timeoutMs: 30 });
    const denied = { allowed: false, gate: "INTERNAL_ERROR" };
    expect((await post(TOOL, ask("LATE"))).body["result"]).toMatchObject(denied);
    await log.flush();
    const [given, taken] = linesOf(new TextDecoder().decode(Buffer.concat([hanging as Uint8Array, ...written])));
    expect(given).toMatchObject({ input: { mark: "LATE" }, result: { allowed: true } });
    expect(taken).toMatchObject({ decision_id: given?.["decision_id"], error: { code: "unrecorded" } });
    expect(taken).not.toHaveProperty("result");
  });

  it("takes back every decision of a list, and none of another answer", async () => {
    const disk = fullDisk();
    const { post, log, policy } = await required(disk.sink);
    // A guard that asks the same policy is answered at once.
    policy.tool({ role: "WRITER", lane: "DRAFTING", tool: "draft.create" } as never);
    const got = await Promise.all([
      post("/access/v1/evaluations", JSON.stringify({ evaluations: [{}, {}] })),
      post(TOOL, ask("a")),
      post("/v1/data/portcullis/lane/decision", "{}"),
    ]);
    expect(JSON.stringify(got)).not.toContain("true");
    disk.problem = undefined;
    await log.flush();
    expect(linesOf(disk.text).filter((line) => line["path"] !== undefined)).toMatchObject([
      { result: { allowed: true } },
    ]);
    expect(disk.text).not.toContain('"mark"');
  });

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
    const disk = fullDisk();
    const { post, log, url, meter } = await required(disk.sink);
    const denied = { allowed: false, gate: "INTERNAL_ERROR" };
    for (let i = 0; i < 3; i++) expect((await post(TOOL, ask(i))).body["result"]).toMatchObject(denied);
    expect((await post("/v0/data/portcullis/tool/decision", "{}")).body).toMatchObject(denied);
    expect((await post("/access/v1/evaluation", "{}")).body).toMatchObject({ decision: false });
    const input = encodeURIComponent(JSON.stringify({ role: "WRITER", lane: "DRAFTING" }));
    const got = await fetch(`${url}/v1/data/portcullis/lane/decision?input=${input}`);
    expect(((await got.json()) as { result: unknown }).result).toMatchObject(denied);
    disk.problem = undefined;
    await log.flush();
    expect((await post(TOOL, ask("after"))).body["result"]).toMatchObject({ allowed: true });
    // Metrics count what was answered, once: no attempt that was taken back.
    const { decisions, faults, durations } = meter.snapshot();
    expect(decisions.map(({ outcome, count }) => [outcome, count])).toEqual([
      ["fault", 4],
      ["fault", 1],
      ["fault", 1],
      ["allow", 1],
    ]);
    expect([faults, durations.reduce((sum, { count }) => sum + count, 0)]).toEqual([{ unrecorded: 6 }, 7]);
    // What was denied stands nowhere as allowed. The first of them tried the disk.
    const [tried, after, ...rest] = linesOf(disk.text);
    expect(tried).toEqual({
      ...{ decision_id: expect.any(String), timestamp: expect.any(String) },
      error: { code: "unrecorded", message: "the answer waited for the log, and was not given" },
    });
    expect(after).toMatchObject({ input: { mark: "after" }, result: { allowed: true }, refused: 6 });
    expect(rest).toEqual([]);
    expect(loggedDecisions(JSON.stringify(tried))).toEqual([]);
    // A batch that its service will never take is recorded nowhere.
    disk.problem = new BatchRefused("413");
    const refused = await post(TOOL, ask("UNTAKEN"));
    expect(refused.body["result"] ?? refused.status).not.toMatchObject({ allowed: true });
    expect(disk.text).not.toContain("UNTAKEN");
  });

  it("answers no list of which the sink refused a part before the rest was decided", async () => {
    let isRefusing = true;
    const sink: EventSink = {
      write: () => {
        if (isRefusing) throw new BatchRefused("413");
      },
    };
    const { reserve } = memoryHistory();
    let asked = 0;
    // The second call waits, and meanwhile the first was sent.
    const history: HistoryStore = {
      reserve: async (request) => {
        if (++asked === 2) await service.log.flush().catch(() => undefined);
        isRefusing = asked === 1;
        return reserve(request);
      },
    };
    const service = await required(sink, { source: limited, facts: { history } });
    const entity = (type: string, id: string): object => ({ type, id });
    const review = { subject: entity("role", "R"), resource: entity("tool", "review"), action: { name: "use" } };
    const { body } = await service.post("/access/v1/evaluations", JSON.stringify({ evaluations: [review, review] }));
    expect(body).toMatchObject({ evaluations: [{ decision: true }, { decision: true }] });
    // Made again, and all of it written.
    expect([asked, service.log.status]).toMatchObject([4, { delivered: 3, dropped: 1 }]);
  });

  it("answers no allow for a sink that never answers", async () => {
    const { post } = await required({ write: () => new Promise(() => {}) }, { timeoutMs: 30 });
    const { body } = await post(TOOL, ask(1));
    expect(body["result"]).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
  });
});
