/** Ways around the decision that a client, a server or a model may try. Each was written before what stops it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { CallRecord, Policy } from "@portcullis/runtime";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { answerHook, type ToolMap, Verdicts } from "../../../compiler/enforcement/gateway/index.ts";
import { removeFolder, temporaryFolder } from "../../cli/terminal.ts";
import { nearMisses } from "../../governance/library/near-misses.ts";
import { against, connected, examplePolicy, type Session, writer } from "./session.ts";

let policy: Policy;
let folder = "";
beforeAll(async () => {
  policy = await examplePolicy();
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));
afterEach(() => vi.unstubAllEnvs());

interface Loose {
  readonly id?: unknown;
  readonly result?: { readonly [name: string]: unknown; readonly tools?: readonly { readonly name: string }[] };
  readonly error?: { readonly message: string };
}

const request = (id: unknown, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const allowed = { name: "draft.create", arguments: {} };

function received(output: Readable): Loose[] {
  const lines = String(output.read() ?? "").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Loose);
}

async function exchange(of: Session, lines: readonly string[]): Promise<Loose[]> {
  of.input.end(lines.map((line) => `${line}\n`).join(""));
  await of.end;
  return received(of.output);
}
const answerText = (answer: Loose | undefined): unknown =>
  (answer?.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;

describe("a call that two readers read differently", () => {
  it.each([
    ["a second name in other case", '"name":"draft.create","Name":"payout.release"'],
    ["a second name in letters that fold", '"name":"draft.create","\u017eame":0,"na\u{1d5c6}e":"payout.release"'],
    ["second arguments in other case", '"name":"draft.create","arguments":{},"ARGUMENTS":{"a":1}'],
    ["second arguments with a long s", '"name":"draft.create","arguments":{},"argument\u017f":{"a":1}'],
    ["a second task", '"name":"draft.create","Task":{"ttl":1}'],
    ["a name with what is not seen", '"name":"draft.create","n\u200bame":"payout.release"'],
    ["a name that is inherited", '"__proto__":{"name":"draft.create"},"arguments":{}'],
  ])("never reaches the server: %s", async (_, members) => {
    const of = against("well", { policy });
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${members}}}`;
    const answers = await exchange(of, [line, request(2, "tools/call", allowed)]);
    expect(answers.find(({ id }) => id === 1)?.error?.message).toMatch(/name/);
    expect(answerText(answers.find(({ id }) => id === 2))).toBe("draft.create {} 1");
  });

  it("never reaches the server with half of a surrogate pair, which a policy reads as U+FFFD and Python as a byte", async () => {
    const of = against("well", { policy });
    const answers = await exchange(of, [
      request(1, "tools/call", { name: "draft.create", arguments: { a: "\udcc3\udca9" } }),
      request(2, "tools/call", { name: "draft.create", arguments: { "\udcc3": 1 } }),
      request(3, "tools/call", { name: "draft.create", arguments: { a: "\u{1f600}" } }),
    ]);
    const texts = [1, 2, 3].map((asked) => answerText(answers.find(({ id }) => id === asked)));
    expect(texts.slice(0, 2)).toEqual([
      expect.stringMatching(/INTERNAL_ERROR/),
      expect.stringMatching(/INTERNAL_ERROR/),
    ]);
    expect(texts[2]).toBe('draft.create {"a":"\u{1f600}"} 1');
  });

  it("is decided on its own arguments, not on what they inherit", async () => {
    const of = against("well", { policy });
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"draft.create","__proto__":{"arguments":{"a":1}}}}`;
    const [answer] = await exchange(of, [line]);
    expect(answerText(answer)).toBe("draft.create null 1");
  });

  it.each(["contributor", "Contributor", "contr\u0131butor", "CONTRIBUTOR", "contributor\u200b"])(
    "is denied where another argument could be taken for one of the scope's: %s",
    async (other) => {
      const scope = new Map([
        ["contributor_id", "contributor"],
        ["amount_cents", "cents"],
      ]);
      const mapped = { tool: "payout.release", scope, flags: [], writes: [] };
      const tools: ToolMap = new Map([["pay", mapped]]);
      const records: string[] = [];
      const paying = {
        ...{ role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", flags: [] },
        scope: { run_id: "r-7" },
        lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
      };
      const given = { policy, caller: paying, tools, record: ({ gate }: CallRecord) => void records.push(gate) };
      const args = { contributor: "c-9", cents: 120_000, [other]: "c-9" };
      await answerHook(JSON.stringify({ tool: "pay", args }), given, { format: "generic", ask: false });
      // With the argument alone nothing is left to ask but a person.
      expect(records).toEqual([other === "contributor" ? "APPROVAL" : "INTERNAL_ERROR"]);
    },
  );

  const other = 'the argument "story" gives another "story_id" than the host';
  const absent = 'the argument "story" is absent, and the host demands "s-118" of it';
  it.each([
    [{ story: "s-118" }, "ALLOW", ""],
    [{ story: "s-119" }, "INTERNAL_ERROR", other],
    [{ story: ["s-118"] }, "INTERNAL_ERROR", other],
    [{ story: null }, "INTERNAL_ERROR", other],
    // The tool would choose a story for itself.
    [{}, "INTERNAL_ERROR", absent],
    [undefined, "INTERNAL_ERROR", absent],
    ["s-118", "INTERNAL_ERROR", absent],
  ])("is denied where an argument says otherwise than the host, or nothing: %j", async (args, gate, problem) => {
    const scope = new Map([["story_id", "story"]]);
    const tools: ToolMap = new Map([["draft", { tool: "draft.create", scope, flags: [], writes: [] }]]);
    const records: string[] = [];
    const given = { policy, caller: writer, tools, record: ({ gate }: CallRecord) => void records.push(gate) };
    const call = JSON.stringify({ tool: "draft", args });
    const { message } = await answerHook(call, given, { format: "generic", ask: false });
    expect(records).toEqual([gate]);
    expect(message).toContain(JSON.stringify(problem).slice(1, -1));
  });

  it.each([
    "tools\u200b/call",
    "\u200btools/call",
    "to\u00adols/call",
    "t\u043eols/call",
    "tool\u017f/call",
    "tools\u2215call",
    "TOOLS/CALL\u0000",
    "",
  ])("is no method that only looks like one: %j", async (method) => {
    const of = against("well", { policy });
    const answers = await exchange(of, [request(1, method, allowed), request(2, "ping")]);
    expect(answers.find(({ id }) => id === 1)?.error?.message).toContain("knows no method");
    expect(answers.find(({ id }) => id === 2)?.result).toEqual({});
  });

  it.each([
    ["with an id that is null", '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"draft.create"}}'],
    ["with a second method", '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{}}'],
    ["with a method that is inherited", '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"}}'],
    ["with parameters that are a list", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["draft.create"]}'],
    ["that is cut off", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"draft.create"}'],
  ])("is no call %s", async (_, line) => {
    const of = against("well", { policy });
    const answers = await exchange(of, [line, request(2, "tools/call", allowed)]);
    expect(answerText(answers.find(({ id }) => id === 2))).toBe("draft.create {} 1");
    expect(of.records).toHaveLength(1);
  });

  it("is not a message before its line has ended", async () => {
    const of = against("well", { policy });
    of.input.end(`${request(1, "ping")}\n${request(2, "tools/call", allowed)}`);
    await of.end;
    expect(received(of.output).map(({ id }) => id)).toEqual([1]);
    expect(of.records).toEqual([]);
  });
});

describe("the name of a tool", () => {
  const unlike = [...nearMisses("draft.create"), "draft\u3002create", "constructor", "toString", "__proto__", ""];

  it.each(unlike)("is the very same or another tool's: %j", async (name) => {
    const verdicts = new Verdicts(policy, writer, new Map(), () => {});
    expect((await verdicts.call(name, {}, () => expect.unreachable())).allowed).toBe(false);
    expect(await verdicts.visible(name)).toBe(false);
    const map: ToolMap = new Map([["draft", { tool: name, scope: new Map(), flags: [], writes: [] }]]);
    const mapping = new Verdicts(policy, writer, map, () => {});
    expect((await mapping.call("draft", {}, () => expect.unreachable())).allowed).toBe(false);
    for (const near of nearMisses("draft")) expect(await mapping.visible(near)).toBe(false);
  });
});

describe("a list of tools", () => {
  it("is filtered on every page", async () => {
    const of = against("pages", { policy });
    const answers = await exchange(of, [request(1, "tools/list"), request(2, "tools/list", { cursor: "2" })]);
    expect(answers.map(({ result }) => [result?.tools?.map(({ name }) => name), result?.["nextCursor"]])).toEqual([
      [[], "2"],
      [["draft.create", "draft.revise"], undefined],
    ]);
  });

  it("is filtered again when the server has changed it; a name is asked when it is called", async () => {
    const of = against("renames", { policy });
    const client = await connected(of);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["draft.create", "draft.revise", "draft.create"]);
    await changed;
    expect(await names()).toEqual(["draft.revise", "draft.create"]);
    expect(await client.callTool({ name: "payout.release" })).toMatchObject({ isError: true });
    of.input.end();
    await of.end;
    await client.close();
  });

  it("is filtered though it comes under the id of another request", async () => {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    for (const [method, params] of [
      ["ping", undefined],
      ["tools/call", allowed],
      ["resources/list", {}],
    ] as const) {
      const of = against("well", { policy });
      const answers = await exchange(of, [
        request(1, "tools/list"),
        JSON.stringify(cancelled),
        request(1, method, params),
      ]);
      expect(JSON.stringify(answers)).not.toContain("payout.release");
    }
  });
});

describe("the process of a server", () => {
  it("is not told the session's secret, and is told everything else", async () => {
    vi.stubEnv("PORTCULLIS_SESSION_SECRET", "00".repeat(32));
    vi.stubEnv("DRAFTS_API_KEY", "k-1");
    const file = join(folder, "environment.json");
    const of = against("environment", { policy }, file);
    await exchange(of, [request(1, "ping")]);
    const environment = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    expect(Object.keys(environment).filter((name) => name.startsWith("PORTCULLIS_SESSION"))).toEqual([]);
    expect(environment).toMatchObject({ DRAFTS_API_KEY: "k-1", PATH: process.env["PATH"] });
  });
});

describe("depth and size", () => {
  it("of what is passed on unread stop no session", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const of = against("well", { policy, limits: { answerMs: 20_000 } });
    const line = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`;
    const wide = request(2, "tools/call", { ...allowed, arguments: { a: Array(300_000).fill(0) } });
    const answers = await exchange(of, [line, wide, request(3, "tools/call", allowed)]);
    expect(answers.find(({ id }) => id === 1)?.error?.message).toBe("the message could not be passed on");
    expect(answers.find(({ id }) => id === 2)?.error?.message).toContain("longer than 8388608 bytes or 250000 values");
    expect(answerText(answers.find(({ id }) => id === 3))).toBe("draft.create {} 1");
  });
});
