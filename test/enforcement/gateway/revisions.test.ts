/** What revision 2026-07-28 has besides: rounds, subscriptions and kinds of results go through, and what the gateway says is valid there. */

import { PassThrough, type Readable } from "node:stream";
import type { Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { against, examplePolicy, type Session } from "./session.ts";

let policy: Policy;
beforeAll(async () => {
  policy = await examplePolicy();
});

interface Loose {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly result?: { readonly [name: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
const request = (id: unknown, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } })}\n`;

/** All that has come by now. */
function received(output: Readable): Loose[] {
  const lines = String(output.read() ?? "").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Loose);
}

/** Until so much has come. */
async function heard(of: Session, count: number): Promise<Loose[]> {
  const all: Loose[] = [];
  await expect.poll(() => all.push(...received(of.output))).toBeGreaterThanOrEqual(count);
  return all;
}

async function ended(of: Session): Promise<void> {
  of.input.end();
  await of.end;
  expect(of.output).toBeInstanceOf(PassThrough);
}

describe("revision 2026-07-28", () => {
  it("is told of a denial by a result of its kind", async () => {
    const of = against("modern", { policy });
    of.input.write(request(1, "tools/call", { name: "payout.release", arguments: {} }));
    const [denied] = await heard(of, 1);
    expect(denied?.result).toMatchObject({ resultType: "complete", isError: true });
    expect(JSON.stringify(denied?.result)).toContain("LANE_TOOL, tool_not_allowed_in_lane");
    await ended(of);
  });

  it("finds its server without a handshake, and gets lists that no cache may share", async () => {
    const of = against("modern", { policy });
    of.input.write(request(1, "server/discover"));
    of.input.write(request(2, "tools/list"));
    const [discovered, listed] = await heard(of, 2);
    expect(discovered?.result).toMatchObject({ supportedVersions: ["2026-07-28"] });
    expect(listed?.result).toMatchObject({
      ...{ resultType: "complete", ttlMs: 60_000, cacheScope: "private" },
      tools: [{ name: "draft.create" }, { name: "draft.revise" }],
    });
    await ended(of);
  });

  it("asks in rounds, each of which is decided", async () => {
    const of = against("modern", { policy });
    const call = { name: "draft.create", arguments: { ask: true } };
    of.input.write(request(1, "tools/call", call));
    const [asked] = await heard(of, 1);
    expect(asked?.result).toEqual({
      resultType: "input_required",
      inputRequests: { who: { method: "elicitation/create", params: { mode: "form", message: "Who?" } } },
      requestState: "s-1",
    });
    const inputResponses = { who: { action: "accept", content: { name: "m.okafor" } } };
    of.input.write(request(2, "tools/call", { ...call, inputResponses, requestState: "s-1" }));
    of.input.write(request(3, "tools/call", { ...call, name: "payout.release", inputResponses, requestState: "s-1" }));
    of.input.write(request(4, "tools/call", { ...call, InputResponses: inputResponses }));
    const answers = new Map((await heard(of, 3)).map((answer) => [answer.id, answer]));
    expect(answers.get(2)?.result).toMatchObject({ content: [{ text: `m.okafor ${JSON.stringify(call.arguments)}` }] });
    expect(answers.get(3)?.result).toMatchObject({ isError: true });
    expect(answers.get(4)?.error?.message).toBe('"InputResponses" could be read as another name');
    expect(of.records.map(({ disposition }) => disposition)).toEqual(["ALLOW", "ALLOW", "DENY"]);
    await ended(of);
  });

  it("listens for longer than an answer may take, and is not waited for", async () => {
    const of = against("modern", { policy, limits: { answerMs: 100 } });
    of.input.write(request(1, "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    const [acknowledged, changed] = await heard(of, 2);
    expect(acknowledged).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    // The server sends this after three times as long.
    expect(changed).toMatchObject({ method: "notifications/tools/list_changed" });
    of.input.write(request(2, "subscriptions/listen", { notifications: { resourceSubscriptions: ["file:///a"] } }));
    expect((await heard(of, 1))[0]?.error?.message).toContain("OFFER");
    await ended(of);
    expect(of.lines).toEqual([]);
  });
});
