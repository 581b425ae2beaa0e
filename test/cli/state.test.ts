/**
 * History and approvals that a `portcullis serve` keeps for hooks and proxies, as processes: what they count together, an approval of
 * one call, and every doubt. `init --check` says what is left.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { hostile } from "../enforcement/gateway/session.ts";
import { root } from "../pages/page.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const LEAST = AGENT_HOSTS.find(({ id }) => id === "claude-code")?.least ?? "";
const bin = join(root, "compiler/bin/portcullis.js");
const isBuilt = existsSync(join(root, "compiler/dist/bin/start.js"));
const folder = temporaryFolder();
const bundle = join(folder, "out/bundle.tar.gz");
const other = join(folder, "other/bundle.tar.gz");
const token = join(folder, "token");
const key = join(folder, "m.ortiz.pem");
const children: ChildProcess[] = [];

beforeAll(async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const ids = ["draft.create", "draft.revise", "payout.release", "fetch", "mail"];
  const tools = ids.map((tool_name) => ({
    ...{ tool_name, enabled: true, implementation_status: "implemented" },
    ...(tool_name === "payout.release" ? { approval: "bound" } : {}),
  }));
  const limits = [
    { limit_id: "DRAFTS", calls: { tools: ["draft.create"] }, max_calls: 2, within: "1h" },
    { limit_id: "REVISE", calls: { tools: ["draft.revise"] }, only_after: { tools: ["draft.create"] } },
    { limit_id: "MAIL", calls: { tools: ["mail"] }, never_after: { tools: ["fetch"] } },
  ];
  const policies = join(folder, "policies");
  write(join(policies, "roles.yaml"), { roles: [{ role_id: "R" }] });
  write(join(policies, "lanes.yaml"), {
    lanes: [{ lane_id: "L", allowed_callers: { roles: ["R"] }, allowed_actions: { tools: ids } }],
  });
  write(join(policies, "tool_registry.yaml"), { tools });
  write(join(policies, "approvers.yaml"), {
    approvers: [{ name: "m.ortiz", key: String(publicKey.export({ type: "spki", format: "pem" })) }],
  });
  write(key, String(privateKey.export({ type: "pkcs8", format: "pem" })));
  write(token, "a-token-of-some-length\n");
  write(join(policies, "limits.yaml"), { limits });
  expect(await portcullis("build", policies, "-o", join(folder, "out"))).toMatchObject({ code: 0 });
  write(join(policies, "limits.yaml"), { limits: limits.slice(1) });
  expect(await portcullis("build", policies, "-o", join(folder, "other"))).toMatchObject({ code: 0 });
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  removeFolder(folder);
});

/** State of one test. */
let own = "";
let tests = 0;
beforeEach(() => {
  own = join(folder, `state-${++tests}`);
  mkdirSync(join(own, "approvals"), { recursive: true });
});

async function keep(addr: string, served = bundle): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const kept = ["--history", join(own, "history"), "--approvals", join(own, "approvals")];
  const words = ["serve", served, "--addr", addr, "--token-file", token, "--state", ...kept];
  const child = spawn(process.execPath, [bin, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  let said = "";
  for await (const bytes of child.stderr as AsyncIterable<Buffer>) {
    said += String(bytes);
    const [, url] = / on (\S+)\n/.exec(said) ?? [];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`not serving: ${said}`);
}

const caller = ["--role", "R", "--lane", "L"];
const at = (state: string): string[] => ["--state", state, "--state-token", token];

/** What a hook says of a call, as a process of its own. */
function hook(state: string, tool: string, more: readonly string[] = at(state), by = bundle, end = {}): string {
  const words = [bin, "hook", "--policy", by, ...caller, ...more, "--deadline", "30"];
  if ("succeeded" in end) words.push("--format", "ended");
  const input = JSON.stringify({ tool, args: {}, ...end });
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", input, timeout: 60_000 });
  return status === 0 ? "allow" : stderr.trim();
}

describe.skipIf(!isBuilt)("state that a server keeps", () => {
  it("is counted for all hooks and proxies together, successes among it", async () => {
    const { child, url } = await keep("127.0.0.1:0");
    expect(hook(url, "draft.revise")).toContain("limit_order");
    expect(hook(url, "draft.create")).toBe("allow");
    expect(hook(url, "draft.revise")).toContain("limit_order");
    expect(hook(url, "draft.create", at(url), bundle, { succeeded: true })).toBe("allow");
    expect(hook(url, "draft.revise")).toBe("allow");
    const args = [bin, "mcp", "--policy", bundle, ...caller, ...at(url), "--", process.execPath, hostile, "well", ""];
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" }));
    expect(await client.callTool({ name: "draft.create", arguments: {} })).not.toMatchObject({ isError: true });
    expect(await client.callTool({ name: "draft.create", arguments: {} })).toMatchObject({ isError: true });
    await client.close();
    expect(hook(url, "draft.create")).toContain("limit_calls");
    expect(hook(url, "mail")).toBe("allow");
    expect(hook(url, "fetch")).toBe("allow");
    expect(hook(url, "mail")).toContain("limit_order");
    // It stands where the server keeps it.
    expect(readdirSync(join(own, "history")).length).toBeGreaterThan(1);
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(hook(url, "mail")).toContain("the state cannot be asked");
    expect(hook(url, "fetch")).toContain("the history of the call is not known");
    const unknown =
      'INTERNAL_ERROR, invalid input; problem "the approvals of the call are not known: the state cannot be asked';
    expect(hook(url, "payout.release")).toContain(unknown);
    const again = new Client({ name: "test", version: "1" });
    await again.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" }));
    const called = await again.callTool({ name: "payout.release", arguments: {} });
    expect(called).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(unknown) }] });
    await again.close();
  });

  it("is kept behind a socket, also after a server that was killed, and from one to the next", async () => {
    const address = `unix:${join(own, "state.sock")}`;
    const { child } = await keep(address);
    expect(hook(address, "draft.create")).toBe("allow");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(join(own, "state.sock"))).toBe(true);
    expect(hook(address, "draft.create")).toContain("ECONNREFUSED");
    await keep(address);
    expect(hook(address, "draft.create")).toBe("allow");
    expect(hook(address, "draft.create")).toContain("limit_calls");
  });

  it("finds an approval, once, and keeps the call that waits for it", async () => {
    const { url } = await keep("127.0.0.1:0");
    const folderOf = join(own, "approvals");
    expect(hook(url, "payout.release")).toContain("approval_required");
    const [call = ""] = readdirSync(folderOf);
    expect(call).toMatch(/^[0-9a-f]{64}\.call\.json$/);
    const signed = await portcullis("approve", join(folderOf, call), "--policy", bundle, "--key", key, "--yes");
    expect(signed.code, signed.err).toBe(0);
    expect(hook(url, "payout.release")).toBe("allow");
    expect(hook(url, "payout.release")).toContain("approval_used");
  });

  it("denies with a token, a policy or a server of another kind", async () => {
    const { url } = await keep("127.0.0.1:0");
    const wrong = write(join(own, "wrong"), "another-token-of-some-length");
    expect(hook(url, "draft.create", ["--state", url, "--state-token", wrong])).toContain("status 401");
    expect(hook(url, "mail", at(url), other)).toContain("another policy is served here");
    expect(hook(url, "draft.create", ["--state", url])).toContain("`--state` needs `--state-token`");
    expect(hook(url, "draft.create", ["--state-token", token])).toContain("needs `--state`");
    const both = [...at(url), "--history", join(own, "own")];
    expect(hook(url, "draft.create", both)).toContain("two places for one thing");
    const far = ["http://10.0.0.1:1", "https://127.0.0.1:1", "http://localhost:1", "http://127.0.0.1", "x"];
    for (const place of far) expect(hook(place, "draft.create")).toContain("is needed");
    expect(hook(url, "draft.create")).toBe("allow");
  });
});

describe.skipIf(!isBuilt || process.platform === "win32" || !existsSync("/usr/bin/timeout"))("init --check", () => {
  const init = (state: readonly string[], ...more: readonly string[]) => {
    const place = ["--file", join(own, "settings.json"), "--host-version", LEAST, "--project", join(own, "approvals")];
    const words = ["--policy", bundle, "--unsigned", ...caller, "--map", "Bash=draft.create", ...state];
    return portcullis("init", "--for", "claude-code", ...place, ...words, ...more);
  };

  const tried = ["--try", JSON.stringify({ tool: "Bash", args: {} }), "--yes"];

  it("says whether the state answers, and who else could", async () => {
    const { child, url } = await keep("127.0.0.1:0");
    const written = await init(at(url), ...tried);
    expect([written.code, written.err]).toEqual([0, expect.stringContaining("every program can listen on port")]);
    child.kill("SIGTERM");
    await once(child, "exit");
    const down = await init(at(url), ...tried);
    expect([down.code, down.err]).toEqual([1, expect.stringContaining("without its state")]);
  });

  it("names a socket in a folder of this user, and history that is this user's", async () => {
    const address = `unix:${join(own, "state.sock")}`;
    await keep(address);
    expect((await init(at(address), ...tried)).err).toContain("can answer in place of the state");
    const kept = ["--history", join(own, "history"), "--approvals", folder];
    expect((await init(kept, ...tried)).err).toContain(
      "`--state` keeps them with a `portcullis serve` of another user",
    );
  });
});

it.each([
  [["--state", "--history", "h"], "`--state` needs `--token-file`"],
  [["--state", "--token-file", token], "nothing would be kept"],
  [["--approvals", "a"], "`--approvals` needs `--state`"],
  [["--state", "--token-file", token, "--approvals", "none"], "is not a folder"],
  [["--addr", "unix:/tmp/x.sock"], "needs `--token-file`"],
  [["--addr", "unix:x.sock"], "with an absolute path"],
  // `sun_path` of unix(7) has 108 bytes, the last of them zero; another system's has fewer.
  [["--addr", `unix:/${"x".repeat(107)}`, "--token-file", token], "longer than a socket's may be"],
  [["--addr", `unix:/${"é".repeat(54)}`, "--token-file", token], "longer than a socket's may be"],
])("serve refuses %j", async (words, problem) => {
  const { code, err } = await portcullis("serve", bundle, ...words);
  expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
});
