/** A server takes an approval with the call, as a guard does: once, for this very call, with facts of its own. */

import { callDigest, type DecisionEvent, memoryHistory } from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { type Server, serve } from "../../../compiler/enforcement/serving/index.ts";
import { approvalOf, call, DIGEST, policy, policyOf } from "../approved-call.ts";

describe("serve", () => {
  const servers: Server[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));
  const started = async (history: object | undefined, trustFacts = false, served = policy): Promise<string> => {
    const server = await serve({
      served: () => ({ policy: served }),
      ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, anonymous: true },
      ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0", trustFacts },
      facts: { history } as never,
    });
    servers.push(server);
    return server.url;
  };
  const posted = async (url: string, body: string): Promise<Record<string, unknown>> =>
    (await (await fetch(url, { method: "POST", body })).json()) as Record<string, unknown>;
  const asked = async (url: string, input: string): Promise<unknown> => {
    const { result } = await posted(`${url}/v1/data/portcullis/call/decision`, `{"input":${input}}`);
    const { allowed, reason } = result as { allowed: boolean; reason: string };
    return allowed ? "allowed" : reason;
  };

  it("takes an approval as the file's content, once", async () => {
    const url = await started(memoryHistory());
    const input = JSON.stringify({ ...call, approval: approvalOf() });
    expect(await asked(url, input)).toBe("allowed");
    expect(await asked(url, input)).toBe("approval_used");
    expect(await asked(url, JSON.stringify(call))).toBe("approval_required");
    expect(await asked(await started(undefined), JSON.stringify({ ...call, approval: approvalOf() }))).toBe(
      "approval_used",
    );
  });

  it("decides on no text that readers understand differently", async () => {
    const url = await started(memoryHistory());
    const input = JSON.stringify({ ...call, approval: approvalOf() });
    for (const odd of [
      input.replace('"role":"EDITOR"', '"role":"CHIEF","role":"EDITOR"'),
      input.replace("0.5", "0.5000000000000000000001"),
      input.replace("120000", "120000.00000000000000001"),
    ])
      expect(await asked(url, odd), odd).toBe("approval_not_for_this_call");
    expect(await asked(url, input)).toBe("allowed");
  });

  it("makes the facts of an approval anew, where a trusted client says others", async () => {
    const url = await started(memoryHistory(), true);
    const facts = {
      call_sha256: DIGEST,
      approval: { signature_valid: true, key_of: "m.ortiz", used: false, refused: false },
    };
    const forged = { ...approvalOf(), ref: "another" };
    expect(await asked(url, JSON.stringify({ ...call, approval: forged, facts }))).toBe("approval_signature_invalid");
    // Where files lie is the client's to say: it is a part of what was approved.
    const paths = { file: "src/a" };
    const placed = approvalOf({ call_sha256: callDigest(call, paths) });
    expect(await asked(url, JSON.stringify({ ...call, approval: placed }))).toBe("approval_not_for_this_call");
    expect(await asked(url, JSON.stringify({ ...call, approval: placed, facts: { paths } }))).toBe("allowed");
  });

  it("says that the store does not answer", async () => {
    const url = await started({ reserve: () => Promise.reject(new Error("it is down")) });
    const body = JSON.stringify({ input: { ...call, approval: approvalOf() } });
    const { result } = await posted(`${url}/v1/data/portcullis/call/decision`, body);
    const problem = "the history of the call is not known: it is down";
    expect(result).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", problem });
  });

  it("writes one decision down for each of AuthZEN's evaluations", async () => {
    const events: DecisionEvent[] = [];
    const heard = await policyOf(undefined, { onDecision: (event) => void events.push(event) });
    const url = await started(memoryHistory(), false, heard);
    const { scope, lineage } = call;
    const one = { resource: { type: "tool", id: "payout.release" }, context: { scope, lineage } };
    const asked = { subject: { type: "role", id: "EDITOR" }, action: { name: "use" } };
    await posted(`${url}/access/v1/evaluation`, JSON.stringify({ ...asked, ...one }));
    await posted(`${url}/access/v1/evaluations`, JSON.stringify({ ...asked, evaluations: [one, one] }));
    heard.events?.flush();
    expect(events.map(({ path }) => path)).toEqual(Array(3).fill("portcullis/authzen/evaluation"));
    expect(events.map(({ result }) => result)).toMatchObject(Array(3).fill({ decision: false }));
  });

  it("takes it in the context of AuthZEN's evaluations", async () => {
    const url = await started(memoryHistory());
    const { scope, lineage } = call;
    const evaluation = (approval: unknown): string =>
      JSON.stringify({
        ...{ subject: { type: "role", id: "EDITOR" }, action: { name: "use" } },
        ...{ resource: { type: "tool", id: "payout.release" }, context: { scope, lineage, approval } },
      });
    const missing = await posted(`${url}/access/v1/evaluation`, evaluation(undefined));
    expect(missing).toMatchObject({ decision: false, context: { reason: "approval_required", approval: "bound" } });
    const { call_sha256: digest } = missing["context"] as { call_sha256: string };
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const approval = approvalOf({ call_sha256: digest });
    const { subject, action, ...own } = JSON.parse(evaluation(approvalOf({ call_sha256: digest })));
    // What an evaluation of a list says stands in the place of what they share.
    const shared = { subject, action, resource: { type: "tool", id: "none" }, context: { scope: {} } };
    const list = await posted(`${url}/access/v1/evaluations`, JSON.stringify({ ...shared, evaluations: [{}, own] }));
    expect(list).toMatchObject({ evaluations: [{ decision: false }, { decision: true }] });
    expect(await posted(`${url}/access/v1/evaluation`, evaluation(approval))).toMatchObject({ decision: true });
    expect(await posted(`${url}/access/v1/evaluation`, evaluation(approval))).toMatchObject({
      decision: false,
      context: { reason: "approval_used" },
    });
  });
});
