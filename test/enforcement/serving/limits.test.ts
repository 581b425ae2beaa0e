/** A server counts by the limits of a policy, over the data API and AuthZEN alike, and by no facts that its clients write. */

import { memoryHistory } from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { type Server, serve } from "../../../compiler/enforcement/serving/index.ts";
import { context, forged, missing, policy } from "../limited-policy.ts";

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

describe("serve", () => {
  const started = async (trustFacts = false, isKept = true): Promise<string> => {
    const server = await serve({
      served: () => ({ policy }),
      ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, anonymous: true },
      ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0", trustFacts },
      facts: isKept ? { history: memoryHistory() } : {},
    });
    servers.push(server);
    return server.url;
  };
  const post = async (url: string, body: unknown): Promise<unknown> => {
    const response = await fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
    return response.status === 200 ? response.json() : response.status;
  };
  const asked = (tool: string, args: object = {}): object => ({ input: { ...context, tool, args } });
  const DATA = "/v1/data/portcullis/call/decision";

  it("counts calls of the data API, also of its members, and gives back what is denied", async () => {
    const url = await started();
    const reason = async (tool: string, args: object): Promise<unknown> =>
      ((await post(url + DATA, asked(tool, args))) as { result: { reason: string } }).result.reason;
    expect(await reason("pay", { cents: 101 })).toBe("limit_sum");
    expect(await reason("note", { cents: 100 })).toBe("approval_required");
    expect(await post(`${url}${DATA}/allowed`, asked("pay", { cents: 60 }))).toMatchObject({ result: true });
    expect(
      await post(`${url}/v0/data/portcullis/call/decision/allowed`, { ...context, tool: "pay", args: { cents: 40 } }),
    ).toBe(true);
    expect(await reason("pay", { cents: 0 })).toBe("limit_calls");
  });

  it("lets one of many that ask at once have the last one", async () => {
    const url = await started();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(`${url}${DATA}/allowed`, asked("pay", { cents: 1 }))),
    );
    expect(answers.filter((answer) => (answer as { result: boolean }).result)).toHaveLength(2);
  });

  it("refuses facts of clients, and makes those of trusted ones anew, but for the session", async () => {
    const url = await started();
    const body = { input: { ...context, tool: "pay", args: { cents: 1 }, facts: forged } };
    expect(await post(url + DATA, body)).toBe(400);
    const trusting = await started(true);
    for (const reason of ["call_allowed", "call_allowed", "limit_calls"])
      expect(await post(trusting + DATA, body)).toMatchObject({ result: { reason } });
    const mail = (session: string) => ({ input: { ...context, tool: "mail", facts: { session } } });
    await post(trusting + DATA, { input: { ...context, tool: "fetch", facts: { session: "s" } } });
    expect(await post(trusting + DATA, mail("s"))).toMatchObject({ result: { reason: "limit_order" } });
    expect(await post(trusting + DATA, mail("t"))).toMatchObject({ result: { reason: "call_allowed" } });
    expect(await post(trusting + DATA, asked("mail"))).toMatchObject({ result: { reason: "limit_key_missing" } });
  });

  it("reads of two members the last one, as the policy does", async () => {
    const url = await started();
    const twice =
      '{"input": {"role": "R", "lane": "L", "tool": "note", "tool": "pay", "args": {"cents": 1, "cents": 60}}}';
    expect(await post(url + DATA, twice)).toMatchObject({ result: { allowed: true } });
    expect(await post(url + DATA, twice)).toMatchObject({ result: { reason: "limit_sum" } });
  });

  it("denies without a store what a limit counts, and what it has to remember", async () => {
    const url = await started(false, false);
    expect(await post(url + DATA, asked("pay", { cents: 1 }))).toMatchObject({ result: missing });
    expect(await post(url + DATA, asked("review"))).toMatchObject({
      result: { allowed: false, gate: "INTERNAL_ERROR" },
    });
    expect(await post(url + DATA, asked("note"))).toMatchObject({ result: { allowed: false } });
  });

  it("counts AuthZEN's evaluations, each of a list, and refuses their facts", async () => {
    const url = await started();
    const one = (name: string, properties: object = {}): object => ({
      subject: { type: "role", id: "R" },
      action: { name: "use", properties },
      resource: { type: "tool", id: name },
    });
    const evaluation = `${url}/access/v1/evaluation`;
    expect(await post(evaluation, one("pay", { cents: 101 }))).toMatchObject({
      decision: false,
      context: { reason: "limit_sum" },
    });
    expect(await post(evaluation, { ...one("pay", { cents: 1 }), facts: forged })).toBe(400);
    const list = { ...one("pay", { cents: 1 }), evaluations: [{}, { resource: { type: "tool", id: "none" } }, {}, {}] };
    expect(await post(`${url}/access/v1/evaluations`, list)).toMatchObject({
      evaluations: [
        { decision: true },
        { decision: false },
        { decision: true },
        { context: { reason: "limit_calls" } },
      ],
    });
    const of = (name: string): object => ({ resource: { type: "tool", id: name } });
    const elsewhere = await started();
    const among = { ...one("pay", { cents: 1 }), evaluations: [of("note"), {}, of("note"), {}, of("note")] };
    expect(await post(`${elsewhere}/access/v1/evaluations`, among)).toMatchObject({
      evaluations: [
        { context: { reason: "approval_required" } },
        { decision: true },
        { context: { reason: "approval_required" } },
        { decision: true },
        { context: { reason: "approval_required" } },
      ],
    });
    const before = { ...one("review"), evaluations: [of("publish"), of("review"), of("publish")] };
    const evaluations = `${url}/access/v1/evaluations`;
    const decided = async (body: object): Promise<boolean[]> =>
      ((await post(evaluations, body)) as { evaluations: { decision: boolean }[] }).evaluations.map((e) => e.decision);
    // A list that is refused for one of its requests decides none: the review was not allowed.
    expect(await post(evaluations, { ...before, evaluations: [of("review"), { facts: forged }] })).toBe(400);
    // An allow is no success.
    for (let i = 0; i < 2; i++) expect(await decided(before)).toEqual([false, true, false]);
    const without = await started(false, false);
    expect(await post(`${without}/access/v1/evaluation`, one("review"))).toMatchObject({
      decision: false,
      context: { gate: "INTERNAL_ERROR" },
    });
  });
});
