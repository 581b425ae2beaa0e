/** Messages of clients that do not keep to the protocol: none of them makes the server run a tool that was not decided. */

import type { Readable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { memoryHistory, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { context, policy as limited } from "../limited-policy.ts";
import { against, examplePolicy, type Session } from "./session.ts";

let policy: Policy;
beforeAll(async () => {
  policy = await examplePolicy();
});

type Loose = { readonly id?: unknown; readonly result?: unknown; readonly error?: { readonly message: string } };

const request = (id: unknown, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const allowed = { name: "draft.create", arguments: {} };
const refused = { name: "payout.release", arguments: {} };

/** Sends lines, one after the other, and gives all that comes back until the session ends. */
async function exchange(of: Session, lines: readonly string[]): Promise<Loose[]> {
  for (const line of lines) of.input.write(`${line}\n`);
  of.input.end();
  await of.end;
  return received(of.output);
}

function received(output: Readable): Loose[] {
  const text = String(output.read() ?? "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JSONRPCMessage & Loose);
}
const answerText = (answer: Loose | undefined): unknown =>
  (answer?.result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text;

describe("a client", () => {
  it("gets every open answer, though it has sent its last message", async () => {
    const answers = await exchange(against("well", { policy }), [
      request(1, "tools/call", allowed),
      request("one", "tools/call", allowed),
      request(2, "ping"),
    ]);
    const texts = new Map(answers.map((answer) => [answer.id, answerText(answer)]));
    expect(texts).toEqual(
      new Map<unknown, unknown>([
        [1, "draft.create {} 1"],
        ["one", "draft.create {} 2"],
        [2, undefined],
      ]),
    );
  });

  it("gets it though the history of calls takes its time with the success", async () => {
    const history = memoryHistory();
    const slow = {
      reserve: async (asked: Parameters<typeof history.reserve>[0]) => {
        const reservation = await history.reserve(asked);
        const commit = async (): Promise<void> => {
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
          await reservation.commit();
        };
        return { ...reservation, commit };
      },
    };
    const caller = { ...context, scope: {}, flags: [] };
    const of = against("well", { policy: limited, caller, facts: { history: slow, session: "s" } });
    const answers = await exchange(of, [request(1, "tools/call", { name: "review", arguments: {} })]);
    expect(answers.map(answerText)).toEqual(["review {} 1"]);
  });

  it.each([
    ["in a batch", `[${request(1, "tools/call", refused)}]`],
    ["without an id", JSON.stringify({ jsonrpc: "2.0", method: "tools/call", params: allowed })],
    ["by a name that differs in case", request(1, "Tools/Call", allowed)],
    ["by a name with a blank", request(1, "tools/call ", allowed)],
    ["by a name in other letters", request(1, "ｔools/call", allowed)],
    ["by a method that is not known", request(1, "tools/call_all", allowed)],
    ["without a tool", request(1, "tools/call", { arguments: {} })],
    ["with a tool that is not a text", request(1, "tools/call", { name: ["draft.create"] })],
    ["with a tool that an object has", request(1, "tools/call", { name: "__proto__" })],
    ["with a blank behind the tool", request(1, "tools/call", { name: "draft.create " })],
    ["with an id that is an object", request({ a: 1 }, "tools/call", allowed)],
    ["in another version", request(1, "tools/call", allowed).replace("2.0", "1.0")],
    ["with more members", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: allowed, tool: 1 })],
    ["in text that is not JSON", "tools/call"],
  ])("cannot call %s", async (_, line) => {
    const of = against("well", { policy });
    const answers = await exchange(of, [line, request(99, "tools/call", allowed)]);
    // The server counts its calls: the one at the end is the first.
    expect(answerText(answers.find(({ id }) => id === 99))).toBe("draft.create {} 1");
    expect(of.records.filter(({ disposition }) => disposition === "ALLOW")).toHaveLength(1);
  });

  it("is asked for other ids while one is open, and for patience when too many are", async () => {
    const of = against("silent", { policy, limits: { openRequests: 2, answerMs: 1_000 } });
    const lines = [1, 1, 2, 3].map((id) => request(id, "tools/call", allowed));
    const answers = await exchange(of, lines);
    expect(answers.map(({ id, error }) => [id, error?.message])).toEqual([
      [1, "a request of this id is open"],
      [3, "too many requests are open"],
      [1, "the server did not answer in time"],
      [2, "the server did not answer in time"],
    ]);
  });

  it("that takes a call back is not answered", async () => {
    const of = against("silent", { policy });
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const answers = await exchange(of, [
      request(1, "tools/call", allowed),
      JSON.stringify(cancelled),
      request(2, "ping"),
    ]);
    expect(answers.map(({ id }) => id)).toEqual([2]);
  });

  it("cannot answer what it was not asked", async () => {
    const of = against("well", { policy });
    const answers = await exchange(of, [
      JSON.stringify({ jsonrpc: "2.0", id: 5, result: {} }),
      JSON.stringify({ jsonrpc: "2.0", error: { code: 1, message: "no" } }),
      request(1, "ping"),
    ]);
    expect(answers).toHaveLength(1);
    expect(of.lines).toEqual(Array(2).fill("client: an answer to nothing that the server asked"));
  });

  it("that wants a task gets an error, not a result", async () => {
    const of = against("well", { policy });
    const [answer] = await exchange(of, [request(1, "tools/call", { ...refused, task: { ttl: 1000 } })]);
    expect(answer?.error?.message).toContain("The policy denies");
  });

  it("decides on what is sent: of two members of one name, both see the last", async () => {
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payout.release","name":"draft.create","arguments":{"a":1,"a":2}}}`;
    const [answer] = await exchange(against("well", { policy }), [line]);
    expect(answerText(answer)).toBe('draft.create {"a":2} 1');
  });

  it("may nest arguments only as deep as they can be decided", async () => {
    const deep = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"draft.create","arguments":{"a":${deep}}}}`;
    const of = against("well", { policy });
    const answers = await exchange(of, [line, request(2, "tools/call", allowed)]);
    expect(answerText(answers.find(({ id }) => id === 2))).toBe("draft.create {} 1");
    expect(answers.find(({ id }) => id === 1)).toMatchObject({ result: { isError: true } });
  });
});

describe("a server", () => {
  it("that takes back what it asked may ask again, however often", async () => {
    const of = against("asks-and-leaves", { policy, limits: { openRequests: 1 } });
    const answers = await exchange(of, [request(1, "tools/call", allowed)]);
    expect(answers.filter(({ id }) => String(id).startsWith("q"))).toHaveLength(3);
    expect(of.lines).toEqual([]);
  });

  it("hears that its request cannot be passed on", async () => {
    const of = against("asks-deep", { policy, limits: { answerMs: 10_000 } });
    const answers = await exchange(of, [request(1, "tools/call", allowed)]);
    expect(answers.map(answerText)).toEqual(["draft.create {} 1"]);
  });
});
