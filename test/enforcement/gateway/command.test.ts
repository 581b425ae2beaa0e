/** `portcullis mcp` as a host starts it: a process, with a real client on its pipes. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "../../cli/terminal.ts";
import { root } from "../../pages/page.ts";
import { hostile } from "./session.ts";

const bin = join(root, "compiler/bin/portcullis.js");
const bundle = join(root, "generated/bundle.tar.gz");
const built = existsSync(join(root, "compiler/dist/bin/start.js"));
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const caller = ["--policy", bundle, "--role", "WRITER", "--lane", "DRAFTING", "--lineage", "publisher"];
const scoped = [...caller, "--scope", "story_id=s-1", "--scope", "run_id=r-1"];
const server = (mode: string, file = ""): string[] => ["--", process.execPath, hostile, mode, file];
const remote = ["--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:1/mcp"];
const run = (args: readonly string[], input = "") =>
  spawnSync(process.execPath, [bin, "mcp", ...args], {
    ...{ encoding: "utf8", input },
    ...{ timeout: 60_000, killSignal: "SIGKILL" },
  });

describe.skipIf(!built)("portcullis mcp", () => {
  it("stands between a client and its server, and writes down what it decides", async () => {
    const log = join(folder, "decisions.ndjson");
    const args = [bin, "mcp", ...scoped, "--decision-log", log, ...server("well")];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["draft.create", "draft.revise"]);
    expect(await client.callTool({ name: "draft.create", arguments: { a: 1 } })).toMatchObject({
      content: [{ text: 'draft.create {"a":1} 1' }],
    });
    expect(await client.callTool({ name: "payout.release" })).toMatchObject({ isError: true });
    await client.close();
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      [
        { name: "draft.create", tool: "draft.create", disposition: "ALLOW", revision: /^[0-9a-f]{16}$/ },
        { name: "payout.release", disposition: "DENY", gate: "LANE_TOOL", reason: "tool_not_allowed_in_lane" },
      ].map(({ revision: _, ...line }) => line),
    );
    expect(lines[0]).toMatch(/"time":"\d{4}-.*"revision":"[0-9a-f]{16}"/);
  });

  it("listens in front of a remote server until a signal ends it", async () => {
    const proxy: ChildProcess = spawn(process.execPath, [bin, "mcp", ...scoped, ...remote]);
    const [said] = (await once(proxy.stderr as NodeJS.ReadableStream, "data")) as [Buffer];
    const [, url = ""] = /listening on (\S+), in front of http:\/\/127\.0\.0\.1:1\/mcp\n/.exec(String(said)) ?? [];
    expect((await fetch(url.replace(/mcp$/, "health"))).status).toBe(200);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "payout.release" } });
    const headers = { "content-type": "application/json" };
    const denied = await fetch(url, { method: "POST", headers, body });
    expect(await denied.json()).toMatchObject({ result: { isError: true, resultType: "complete" } });
    const metrics = await (await fetch(url.replace(/mcp$/, "metrics"))).text();
    expect(metrics).toMatch(/^portcullis_\w+\{.*LANE_TOOL/m);
    proxy.kill("SIGTERM");
    expect(await once(proxy, "exit")).toEqual([0, null]);
  });

  it("ends with 1 when the server ends by itself, and says how", () => {
    const lines = [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "draft.create" } }];
    const { status, stdout, stderr } = run([...scoped, ...server("dies")], `${JSON.stringify(lines[0])}\n`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `portcullis mcp: \`${process.execPath}\` ended with exit code 3\n`,
    });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: "the server has ended" } });
  });

  it.each([
    [["--role", "R"], "required option '--policy <path>'"],
    [[...caller, "--scope", "x", "--", "node"], "is not KEY=VALUE"],
    [[...caller, "--map", "x", "--", "node"], "is not NAME=REGISTRY_ID"],
    [[...caller, "--timeout", "0", "--", "node"], "a whole number from 1 to 2147483"],
    [[...caller, "--tools", "none.yaml", "--", "node"], "cannot read `none.yaml`"],
    [[...caller, "--decision-log", "/no/where", "--", "node"], "cannot write `/no/where`"],
    [caller, "name the command of a server behind `--`, or `--listen` and `--upstream`"],
    [[...caller, "--listen", "127.0.0.1:0"], "`--listen` needs `--upstream`"],
    [[...caller, "--upstream", "http://127.0.0.1:1/mcp"], "`--listen` needs `--upstream`"],
    [[...caller, "--listen", "127.0.0.1:0", "--upstream", "http://h/mcp", "--", "node"], "take the place of a command"],
    [[...caller, "--listen", "here", "--upstream", "http://h/mcp"], "an address is host:port"],
    [[...caller, "--listen", "127.0.0.1:0", "--upstream", "ftp://h/mcp"], "is no http(s) URL"],
    [[...caller, "--listen", "127.0.0.1:0", "--upstream", "http://u:p@h/mcp"], "holds no password"],
    [[...caller, "--listen", "0.0.0.0:0", "--upstream", "http://h/mcp"], "say who calls with `--identity`"],
    [[...caller, "--identity", "jwks=x", "--", "node"], "`--identity` needs `--listen`"],
    [[...caller, ...remote, "--identity", "role=x"], "`--identity` needs `jwks=FILE`"],
    [[...caller, ...remote, "--identity", "jwks=/no/such"], "cannot read the keys `/no/such`"],
    [[...caller, ...remote, "--max-sessions", "0"], "a whole number above zero"],
    [[...caller.with(3, "WRITERS"), "--", "node"], "the policy has no role `WRITERS`; did you mean `WRITER`?"],
    [[...caller.with(5, "NOWHERE"), "--", "node"], "the policy has no lane `NOWHERE`"],
    [[...caller, "--map", "x=draft.creat", "--", "node"], "the policy has no tool `draft.creat`; did you mean"],
    [[...caller.with(7, "publisher,stranger"), "--", "node"], "the policy has no manifest of `stranger`"],
    [[...caller, "--", "/no/such/server"], "cannot be started"],
  ])("refuses to start, with 2: %j", async (args, message) => {
    const { code, out, err } = await portcullis("mcp", ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("refuses to start on a policy with findings", () => {
    write(join(folder, "broken/roles.yaml"), "roles: 7\n");
    const { status, stdout } = run([...caller.with(1, join(folder, "broken")), "--", "node"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  });

  it.skipIf(process.platform === "win32").each(["ping", "tools/list"])(
    "hands a signal on, ends, and leaves nothing behind, after %s",
    async (method) => {
      const file = join(folder, `signal-${method.length}`);
      // What a list has is kept beside the pins: from the first file that is written on, commands wait for signals.
      const pins = ["--pin", `${file}.pins`];
      const proxy: ChildProcess = spawn(process.execPath, [bin, "mcp", ...scoped, ...pins, ...server("signals", file)]);
      proxy.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method })}\n`);
      await once(proxy.stdout as NodeJS.ReadableStream, "data");
      expect(existsSync(`${file}.pins.new`)).toBe(method === "tools/list");
      const said = text(proxy.stderr as NodeJS.ReadableStream);
      const exit = once(proxy, "exit");
      for (const signal of ["SIGUSR1", "SIGUSR2"] as const) proxy.kill(signal);
      // It has heard them when it answers.
      proxy.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" })}\n`);
      await Promise.race([exit, once(proxy.stdout as NodeJS.ReadableStream, "data")]);
      proxy.kill("SIGTERM");
      expect(await exit).toEqual([0, null]);
      expect(await said).not.toMatch(/debugger/i);
      expect(readFileSync(file, "utf8")).toBe("SIGTERM");
    },
  );

  it.skipIf(process.platform === "win32").each(["", ".new"])("waits for no pipe where its pins are: %j", (ending) => {
    const file = join(folder, `piped${ending.length}`);
    execFileSync("mkfifo", [file + ending]);
    const { status, stderr } = run([...scoped, "--pin", file, ...server("well")]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("no regular file") });
  });
});
