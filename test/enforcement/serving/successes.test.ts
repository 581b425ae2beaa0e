/** A server counts what a client with the token says to have succeeded, and takes no allow for it. */

import { memoryHistory } from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { type ServeOptions, type Server, serve } from "../../../compiler/enforcement/serving/index.ts";
import { context, forged, policy } from "../limited-policy.ts";

const TOKEN = "0123456789abcdef";
const DATA = "/v1/data/portcullis/call/decision";
const AUTHZEN = "/access/v1/evaluation";
const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function started(changed: Partial<ServeOptions> = {}): Promise<string> {
  const server = await serve({
    served: () => ({ policy }),
    ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, token: TOKEN },
    ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0" },
    ...{ facts: { history: memoryHistory() }, ...changed },
  });
  servers.push(server);
  return server.url;
}

async function post(url: string, body: unknown, token = TOKEN): Promise<{ status: number; said: string }> {
  const headers = { Authorization: `Bearer ${token}` };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, { method: "POST", headers, body: text });
  return { status: response.status, said: await response.text() };
}

const COUNTED = { status: 200, said: "{}\n" };
const asked = (tool: string, more: object = {}): object => ({ input: { ...context, tool, ...more } });
const evaluation = (id: string): object => ({
  ...{ subject: { type: "role", id: "R" }, action: { name: "use" }, resource: { type: "tool", id } },
});
const reason = async (url: string, tool: string, more: object = {}): Promise<unknown> =>
  (JSON.parse((await post(url + DATA, asked(tool, more))).said) as { result: { reason: unknown } }).result.reason;

describe("serve", () => {
  it("counts no allow as a success, and what a client says to have succeeded", async () => {
    const url = await started();
    expect(await reason(url, "publish")).toBe("limit_order");
    expect(await reason(url, "review")).toBe("call_allowed");
    expect(await reason(url, "publish")).toBe("limit_order");
    expect(await post(`${url}/succeeded${DATA}`, asked("note"))).toEqual(COUNTED);
    expect(await reason(url, "publish")).toBe("limit_order");
    expect(await post(`${url}/succeeded${DATA}`, asked("review"))).toEqual(COUNTED);
    expect(await reason(url, "publish")).toBe("call_allowed");
  });

  it("takes AuthZEN's evaluations, as the policy reads them", async () => {
    const url = await started();
    const published = async (): Promise<unknown> => JSON.parse((await post(url + AUTHZEN, evaluation("publish"))).said);
    expect(await published()).toMatchObject({ decision: false, context: { reason: "limit_order" } });
    expect(JSON.parse((await post(url + AUTHZEN, evaluation("review"))).said)).toMatchObject({ decision: true });
    expect(await published()).toMatchObject({ decision: false });
    expect(await post(`${url}/succeeded${AUTHZEN}`, evaluation("review"))).toEqual(COUNTED);
    expect(await published()).toMatchObject({ decision: true });
  });

  it("counts a success as no call of its limits", async () => {
    const url = await started();
    const pay = { args: { cents: 1 } };
    for (let i = 0; i < 3; i++) expect(await post(`${url}/succeeded${DATA}`, asked("pay", pay))).toEqual(COUNTED);
    for (const said of ["call_allowed", "call_allowed", "limit_calls"])
      expect(await reason(url, "pay", pay)).toBe(said);
    const mail = { facts: { session: "s" } };
    const trusting = await started({ trustFacts: true });
    // What must not come before has not begun by it.
    expect(await post(`${trusting}/succeeded${DATA}`, asked("fetch", mail))).toEqual(COUNTED);
    expect(await reason(trusting, "mail", mail)).toBe("call_allowed");
  });

  it("is told by clients with the token alone", async () => {
    const url = await started();
    expect((await post(`${url}/succeeded${DATA}`, asked("review"), "fedcba9876543210")).status).toBe(401);
    expect(await reason(url, "publish")).toBe("limit_order");
    for (const anonymous of [true, false]) {
      const open = await started({ token: undefined, anonymous });
      const { status, said } = await post(`${open}/succeeded${DATA}`, asked("review"));
      expect({ status, isTold: said.includes("`--token-file`") }).toEqual({ status: 403, isTold: true });
      expect(await reason(open, "publish")).toBe("limit_order");
    }
  });

  it("refuses what says no success", async () => {
    const url = await started();
    const refused = async (path: string, body: unknown): Promise<readonly [number, string]> => {
      const { status, said } = await post(`${url}/succeeded${path}`, body);
      return [status, (JSON.parse(said) as { message: string }).message];
    };
    const untrusted = [400, expect.stringContaining("`--trust-facts`")];
    expect(await refused(DATA, asked("review", { facts: forged }))).toEqual(untrusted);
    expect(await refused(AUTHZEN, { ...evaluation("review"), facts: forged })).toEqual(untrusted);
    const noCall = [400, "the request is for no call that is counted"];
    for (const body of ["", "{}", { input: null }, { input: [] }, { input: { tool: 1 } }])
      expect(await refused(DATA, body)).toEqual(noCall);
    for (const body of [{}, [], "null", { ...evaluation("review"), action: { name: "none" } }])
      expect(await refused(AUTHZEN, body)).toEqual(noCall);
    expect(await refused(DATA, "{")).toEqual([400, expect.stringContaining("is not JSON")]);
    expect(await refused(AUTHZEN, "{")).toEqual([400, "the request is no JSON"]);
    for (const path of ["", "/v1/data/portcullis/tool/decision", `${DATA}/allowed`, "/access/v1/evaluations"])
      expect(await refused(path, asked("review"))).toEqual([404, expect.stringContaining(DATA)]);
    expect((await fetch(`${url}/succeeded${DATA}`, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(
      405,
    );
    expect(await reason(url, "publish")).toBe("limit_order");
  });

  it("says where a success cannot be counted", async () => {
    const unkept = await started({ facts: {} });
    expect(await post(`${unkept}/succeeded${DATA}`, asked("review"))).toMatchObject({
      ...{ status: 404, said: expect.stringContaining("`--history`") },
    });
    const broken = await started({ facts: { history: { reserve: () => Promise.reject(new Error("gone")) } } });
    expect(await post(`${broken}/succeeded${DATA}`, asked("review"))).toMatchObject({
      ...{ status: 503, said: expect.stringContaining("gone") },
    });
  });
});
