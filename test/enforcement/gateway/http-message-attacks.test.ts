/** The gateway over HTTP against messages that a server, or a client, could read in another way than the one that was decided. */

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../compiler/enforcement/gateway/index.ts";
import { call, done, gateways, idOf } from "./behind.ts";
import { post, say } from "./remote.ts";

const behind = gateways();

describe("a message", () => {
  it("of more values than a call may have is refused before they are made", async () => {
    const of = await behind(done, { limits: { ...LIMITS, messageValues: 1_000, graceMs: 100 } });
    const ids = (count: number) => call(1, "draft.create", { arguments: { ids: Array(count).fill(1) } });
    expect((await post(of, ids(1_100))).status).toBe(413);
    expect(of.sent).toEqual([]);
    expect((await post(of, ids(900))).status).toBe(200);
  });

  it("with a member that stands twice reaches the server as it was decided", async () => {
    const of = await behind(done);
    const twice = (first: string, second: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${first}","name":"${second}","arguments":{}}}`;
    const denied = await post(of, twice("draft.create", "payout.release"));
    expect(denied.json.result).toMatchObject({ isError: true });
    expect((await post(of, twice("payout.release", "draft.create"))).status).toBe(200);
    expect(of.sent.map(({ body }) => body)).toEqual([JSON.stringify({ jsonrpc: "2.0", ...call(1) })]);
  });

  it.each([
    "draft.create\u200b",
    "Draft.create",
    "draft.cre\u0430te",
    "draft.create ",
    "__proto__",
    "draft.create\u0000",
  ])("that calls %j, which looks like a tool, calls nothing", async (name) => {
    const of = await behind(done);
    expect((await post(of, call(1, name))).json.result).toMatchObject({ isError: true });
    expect(of.sent).toEqual([]);
  });

  it.each([
    ["Name", { Name: "payout.release" }],
    ["arguments in another case", { ARGUMENTS: { a: 1 } }],
    ["_meta that looks like it", { "_meta\u200b": {} }],
  ])("with a second %s is not passed on", async (_, more) => {
    const of = await behind(done);
    expect((await post(of, call(1, "draft.create", more))).json.error?.code).toBe(-32_602);
    expect(of.sent).toEqual([]);
  });

  it("that names a prompt or resource beside its kind gets neither", async () => {
    const of = await behind(done);
    const argument = { name: "department", value: "S" };
    for (const ref of [
      { type: "ref/resource", name: "secret" },
      { type: "ref/prompt", uri: "memo://secret" },
      { type: "ref/other", name: "secret" },
      { type: "ref/prompt", Name: "secret" },
    ])
      expect(
        (await post(of, { id: 1, method: "completion/complete", params: { ref, argument } })).json.error?.code,
      ).toBe(-32_602);
    const listen = { notifications: {}, Notifications: { resourceSubscriptions: ["memo://secret"] } };
    expect((await post(of, { id: 1, method: "subscriptions/listen", params: listen })).json.error?.code).toBe(-32_602);
    const refs = { ref: { type: "ref/x" }, Ref: { type: "ref/prompt", name: "secret" }, argument };
    expect((await post(of, { id: 1, method: "completion/complete", params: refs })).json.error?.code).toBe(-32_602);
    expect(of.sent).toEqual([]);
  });
});

describe("a method", () => {
  it.each([
    ["Completion/Complete", { ref: { type: "ref/prompt", name: "secret" }, argument: { name: "a", value: "" } }],
    ["SUBSCRIPTIONS/listen", { notifications: { resourceSubscriptions: ["memo://secret"] } }],
    ["completion/complete/", { ref: { type: "ref/prompt", name: "secret" } }],
  ])("that a server could take for one that is decided is not known: %s", async (method, params) => {
    const of = await behind(done);
    expect((await post(of, { id: 1, method, params })).json.error?.code).toBe(-32_601);
    expect((await post(of, { method, params })).status).toBe(400);
    expect(of.sent).toEqual([]);
  });

  it.each(["constructor", "toString", "__proto__"])(
    "that every object has is passed on as any other: %s",
    async (method) => {
      const of = await behind(done);
      expect((await post(of, { id: 1, method })).json.result).toEqual({ ok: true });
    },
  );
});

describe("a list", () => {
  it.each(["Tools", "TOOLS", "tool\u017f", "tools\u200b", "resourcetemplates"])(
    "beside the one that is filtered, which a client could take for it, is not passed on: %s",
    async (name) => {
      const tools = [{ name: "payout.release", inputSchema: { type: "object" } }];
      for (const result of [{ tools: [], [name]: tools }, { [name]: tools }]) {
        const of = await behind((sent, response) => say(response, { jsonrpc: "2.0", id: idOf(sent), result }));
        for (const method of ["tools/list", "ping"]) {
          const told = await post(of, { id: 1, method });
          expect([told.json.error?.code, told.text.includes("payout.release")]).toEqual([-32_603, false]);
        }
      }
    },
  );
});
