/** The proxy between a real client and servers that behave and misbehave. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ListRootsRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readToolMap } from "../../../compiler/enforcement/gateway/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { removeFolder, temporaryFolder } from "../../cli/terminal.ts";
import { root } from "../../pages/page.ts";
import { against, connected, examplePolicy, type Given, type Session, session, writer } from "./session.ts";

let policy: Policy;
let folder = "";
beforeAll(async () => {
  policy = await examplePolicy();
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

/** Runs with a client in front of a server, and ends both. */
async function using(of: Session, work: (client: Client) => Promise<void>): Promise<void> {
  const client = await connected(of);
  try {
    await work(client);
  } finally {
    of.input.end();
    await of.end;
    await client.close();
  }
}
const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });
const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map((tool) => tool.name);
const serverFile = (name: string): string => join(root, "node_modules/@modelcontextprotocol", name, "dist/index.js");
const mapped = (yaml: string): Given => {
  const map = readToolMap(new SourceFile("mcp.yaml", yaml));
  if (!map.ok) throw new Error(map.problem.message);
  return { policy, tools: map.value };
};

describe("a server that behaves", () => {
  it("shows the tools that may be called, and no others", async () => {
    await using(against("well", { policy }), async (client) => {
      expect(await names(client)).toEqual(["draft.create", "draft.revise"]);
    });
    const unscoped = { ...writer, scope: {} };
    await using(against("well", { policy, caller: unscoped }), async (client) => {
      expect(await names(client)).toEqual(["draft.create", "draft.revise"]);
    });
    await using(against("well", { policy, caller: { ...writer, role: "ARCHIVIST" } }), async (client) => {
      expect(await names(client)).toEqual([]);
    });
  });

  it("is sent more values than a call may have: it is answered at once, and nothing is made of them", async () => {
    const of = against("well", { policy, limits: { messageValues: 1_000 } });
    await using(of, async (client) => {
      const values = (count: number) => ({ ids: Array.from({ length: count }, (_, i) => i) });
      const asked = (count: number) => call(client, "draft.create", values(count));
      await expect(asked(1_100)).rejects.toThrow("longer than 8388608 bytes or 1000 values");
      // Commas in a text do not count.
      const text = { text: ",".repeat(10_000) };
      expect(await call(client, "draft.create", text)).toMatchObject({ content: [{}] });
      expect(await asked(900)).toMatchObject({ content: [{}] });
    });
    expect(of.lines).toEqual(["client: a message over 8388608 bytes or 1000 values was dropped"]);
  });

  it("gets the calls that are allowed, with their arguments; the others get a reason", async () => {
    const of = against("well", { policy });
    await using(of, async (client) => {
      const made = await call(client, "draft.create", { title: "Tides", n: [1, { deep: null }] });
      expect(made.content).toEqual([{ type: "text", text: 'draft.create {"title":"Tides","n":[1,{"deep":null}]} 1' }]);
      const denied = await call(client, "payout.release", { cents: 1 });
      expect(denied).toMatchObject({
        isError: true,
        content: [
          {
            type: "text",
            text: 'The policy denies "payout.release": LANE_TOOL, tool_not_allowed_in_lane',
          },
        ],
        _meta: { "portcullis/decision": { allowed: false, gate: "LANE_TOOL", reason: "tool_not_allowed_in_lane" } },
      });
      expect((await call(client, "shell.run")).isError).toBe(true);
      // Neither of the two reached the server: it counts its calls.
      expect(await call(client, "draft.revise")).toMatchObject({ content: [{ text: "draft.revise {} 2" }] });
    });
    expect(of.records.map(({ name, disposition, gate }) => [name, disposition, gate])).toEqual([
      ["draft.create", "ALLOW", "ALLOW"],
      ["payout.release", "DENY", "LANE_TOOL"],
      ["shell.run", "DENY", "TOOL"],
      ["draft.revise", "ALLOW", "ALLOW"],
    ]);
    expect(of.lines).toEqual([]);
    expect(await of.end).toEqual({ why: "client-left", started: true, message: "ended with exit code 0" });
  });

  it("names what the scope lacks; the host's words count where an argument says nothing", async () => {
    const given = mapped("tools: { draft.create: { tool: draft.create, scope: { story_id: story } } }");
    await using(against("well", { ...given, caller: { ...writer, scope: { run_id: "r" } } }), async (client) => {
      const denied = await call(client, "draft.create", {});
      expect(denied._meta).toMatchObject({ "portcullis/decision": { gate: "SCOPE", missing: ["story_id"] } });
      expect(await call(client, "draft.create", { story: "s-1" })).not.toHaveProperty("isError");
    });
    await using(
      against("well", { ...given, caller: { ...writer, scope: { run_id: "r", story_id: " " } } }),
      async (c) => {
        expect(await call(c, "draft.create", {})).toHaveProperty("isError", true);
      },
    );
  });

  it("is not called where the decision cannot be recorded", async () => {
    const record = (): never => {
      throw new Error("no space left on the device");
    };
    const of = against("well", { policy, record });
    await using(of, async (client) => {
      await expect(call(client, "draft.create")).rejects.toThrow("could not be decided and recorded");
      expect(await client.ping()).toEqual({});
    });
    expect(of.lines).toEqual(["a request was not forwarded: no space left on the device"]);
  });
});

describe("real servers", () => {
  it("server-everything: lists, calls, refuses, and passes on a name that is not a tool", async () => {
    // It stays when its input ends, and is told to go.
    const given = { ...mapped("tools: { echo: draft.create, get-sum: payout.release }"), limits: { graceMs: 100 } };
    const of = session([process.execPath, serverFile("server-everything"), "stdio"], given);
    await using(of, async (client) => {
      expect(await names(client)).toEqual(["echo"]);
      expect(await call(client, "echo", { message: "hello" })).toMatchObject({ content: [{ text: "Echo: hello" }] });
      expect(await call(client, "get-sum", { a: 1, b: 2 })).toMatchObject({ isError: true });
      expect(await call(client, "get-env")).toMatchObject({ isError: true });
      // The policy opens none.
      expect(await client.listPrompts()).toMatchObject({ prompts: [] });
      expect(await client.listResources()).toMatchObject({ resources: [] });
    });
  });

  it("server-filesystem: reads, and does not write", async () => {
    const home = join(folder, "files");
    mkdirSync(home);
    writeFileSync(join(home, "a.txt"), "tides");
    const given = mapped("tools: { read_text_file: archive.lookup }");
    await using(session([process.execPath, serverFile("server-filesystem"), home], given), async (client) => {
      expect(await names(client)).toEqual(["read_text_file"]);
      const read = await call(client, "read_text_file", { path: join(home, "a.txt") });
      expect(read).toMatchObject({ content: [{ type: "text", text: "tides" }] });
      const denied = await call(client, "write_file", { path: join(home, "b.txt"), content: "x" });
      expect(denied).toMatchObject({ isError: true });
      expect(existsSync(join(home, "b.txt"))).toBe(false);
    });
  });
});

describe("a server that misbehaves", () => {
  it("dies: its open calls fail, and the proxy ends with it", async () => {
    const of = against("dies", { policy });
    const client = await connected(of);
    await expect(call(client, "draft.create")).rejects.toThrow("the server has ended");
    expect(await of.end).toEqual({ why: "server-ended", started: true, message: "ended with exit code 3" });
    await client.close();
  });

  it("was never there", async () => {
    const of = session([join(folder, "no-such-server")], { policy });
    expect(await of.end).toMatchObject({ why: "server-ended", started: false, message: /^cannot be started: / });
  });

  it("never answers: the call fails in time, and the server hears that it is not waited for", async () => {
    const of = against("silent", { policy, limits: { answerMs: 1_000 } });
    await using(of, async (client) => {
      await expect(call(client, "draft.create")).rejects.toThrow("did not answer in time");
      expect(await client.ping()).toEqual({});
    });
    expect(of.lines).toEqual(['server: no answer to "tools/call" in 1000 ms']);
  });

  it("answers with ids that are not open, and twice", async () => {
    const of = against("wrong-ids", { policy });
    const unasked: unknown[] = [];
    await using(of, async (client) => {
      client.onerror = (error) => unasked.push(error);
      expect(await call(client, "draft.create")).toMatchObject({ content: [{ text: "draft.create {} 1" }] });
      expect(await client.ping()).toEqual({});
    });
    expect(unasked).toEqual([]);
    expect(of.lines.filter((line) => line.includes("nothing that is open"))).toHaveLength(4);
  });

  it("sends garbage: it is dropped, and the answer behind it arrives", async () => {
    const of = against("garbage", { policy });
    await using(of, async (client) => {
      expect(await call(client, "draft.create")).toMatchObject({ content: [{ text: "draft.create {} 1" }] });
    });
    expect(of.lines.length).toBeGreaterThan(3);
    expect(of.lines.join("")).not.toMatch(/[\u0000-\u001f]/);
  });

  it("sends too long a message: it is dropped, and the answer behind it arrives", async () => {
    const of = against("long", { policy, limits: { messageBytes: 1_000_000 } });
    await using(of, async (client) => {
      expect(await call(client, "draft.create")).toMatchObject({ content: [{ text: "draft.create {} 1" }] });
    });
    expect(of.lines).toEqual(["server: a message over 1000000 bytes was dropped"]);
  });

  it("sends too long an answer: the call fails at once, with the reason", async () => {
    const of = against("long-answer", { policy, limits: { messageBytes: 1_000_000 } });
    await using(of, async (client) => {
      await expect(call(client, "draft.create")).rejects.toThrow("the server's answer is longer than 1000000 bytes");
      expect(await client.ping()).toEqual({});
    });
    expect(of.lines).toEqual(["server: a message over 1000000 bytes was dropped"]);
  });

  it("sends one message without an end: the call fails in time, and memory does not grow", async () => {
    const of = against("endless", { policy, limits: { messageBytes: 100_000, answerMs: 1_000, graceMs: 100 } });
    const before = process.memoryUsage().rss;
    await using(of, async (client) => {
      await expect(call(client, "draft.create")).rejects.toThrow("did not answer in time");
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it("floods: it is read no faster than allowed, and nothing is lost", async () => {
    const of = against("flood", { policy, limits: { messagesPerSecond: 2_000 } });
    let heard = 0;
    await using(of, async (client) => {
      client.setNotificationHandler(LoggingMessageNotificationSchema, () => void heard++);
      const started = performance.now();
      await call(client, "draft.create");
      // Two thousand at once, and a thousand in the half second after.
      expect(performance.now() - started).toBeGreaterThan(400);
    });
    expect(heard).toBe(3_000);
  });

  it("asks too much: some of it is refused, and the client is asked the rest", async () => {
    const of = against("asks", { policy, limits: { openRequests: 100 } }, join(folder, "asked"));
    let asked = 0;
    await using(of, async (client) => {
      client.setRequestHandler(ListRootsRequestSchema, () => {
        asked++;
        return new Promise(() => {});
      });
      await call(client, "draft.create");
    });
    expect(asked).toBe(100);
  });

  it.each([
    ["odd-list", ["draft.create", "draft.revise"]],
    ["no-list", undefined],
  ])("lists oddly: %s", async (mode, shown) => {
    await using(against(mode, { policy }), async (client) => {
      if (shown === undefined) await expect(names(client)).rejects.toThrow("list of tools");
      else expect(await names(client)).toEqual(shown);
    });
  });

  it("writes to the terminal: what it writes is one line each, and escaped", async () => {
    const of = against("stderr", { policy });
    await using(of, async (client) => void (await client.ping()));
    expect(of.lines[0]).toBe("server: \\u001b[31m::error::x");
    expect(of.lines.length).toBeLessThanOrEqual(300);
  });
});

describe.skipIf(process.platform === "win32")("the end", () => {
  const alive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      // A zombie is gone, too: its parent has not asked for its exit code yet.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };

  it("of a server that does not want to end", async () => {
    const of = against("stubborn", { policy, limits: { graceMs: 100 } });
    await using(of, async (client) => void (await client.ping()));
    expect(await of.end).toMatchObject({ why: "client-left", message: "was ended by SIGKILL" });
  });

  it("of what the server has started", async () => {
    const file = join(folder, "pid");
    await using(
      against("parent", { policy, limits: { graceMs: 100 } }, file),
      async (client) => void (await client.ping()),
    );
    await expect.poll(() => alive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  it("by a signal, which the server gets", async () => {
    const file = join(folder, "signal");
    const of = against("signals", { policy }, file);
    const client = await connected(of);
    of.signal("SIGTERM");
    expect(await of.end).toMatchObject({ why: "signalled" });
    expect(readFileSync(file, "utf8")).toBe("SIGTERM");
    await client.close();
  });
});
