/** `--history` of the commands that decide, and `portcullis history show|clear`. */

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHook } from "../../compiler/cli/hook/run.ts";
import type { AgentHost } from "../../compiler/cli/init/agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { examineHook } from "../../compiler/cli/init/agent-hosts/examine.ts";
import { freePort } from "../free-port.ts";
import { HAS_REDIS, startRedis, WITHOUT_REDIS } from "../runtime/redis/redis-server.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
const bundle = path("out/bundle.tar.gz");
afterAll(() => removeFolder(folder));

beforeAll(async () => {
  write(path("set/roles.yaml"), "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n");
  write(
    path("set/lanes.yaml"),
    "lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] } }\n",
  );
  write(
    path("set/tool_registry.yaml"),
    "tools:\n  - { tool_name: pay, enabled: true, implementation_status: implemented }\n",
  );
  write(
    path("set/limits.yaml"),
    "limits:\n  - { limit_id: PAY, calls: { tools: [pay] }, per: [role], max_calls: 2, within: 1h }\n",
  );
  expect(await portcullis("build", path("set"), "-o", path("out"))).toMatchObject({ code: 0 });
});

const hook = (history: string | undefined, ...words: string[]) => {
  const options = [
    "--policy",
    bundle,
    "--role",
    "R",
    "--lane",
    "L",
    ...(history === undefined ? [] : ["--history", history]),
  ];
  const input = async () => new TextEncoder().encode('{"tool": "pay", "args": {}}');
  return runHook([...options, ...words], input);
};

describe.each(["a folder", "a Redis"])("a history in %s", (kind) => {
  const skipped = kind === "a Redis" && !HAS_REDIS;
  if (skipped) process.stderr.write(`${WITHOUT_REDIS}\n`);

  it.skipIf(skipped)("is kept from hook to hook, shown, and cleared", async () => {
    const server = kind === "a Redis" ? await startRedis() : undefined;
    const place = server?.url ?? path("history");
    try {
      expect(await hook(place)).toMatchObject({ code: 0, out: "", err: "" });
      expect(await hook(place)).toMatchObject({ code: 0 });
      const denied = await hook(place);
      expect(denied).toMatchObject({ code: 2, err: expect.stringContaining("LIMITS, limit_calls") });
      expect(denied.err).toContain("retry_after_ms");
      const shown = await portcullis("history", "show", place, "--format", "json");
      const [entry] = JSON.parse(shown.out) as [{ key: string }];
      expect([shown.code, JSON.parse(shown.out)]).toEqual([
        0,
        [{ kind: "limit", key: entry.key, limit: "PAY", calls: 2, sum: 0, last_ms: {}, expires: expect.any(Number) }],
      ]);
      const human = await portcullis("history", "show", place, "--limit", "PAY", "--values", '["R"]');
      expect(human.out).toMatch(/^PAY {2}[0-9a-f]{12} {2}2 calls {2}until 20\d\d-/);
      expect((await portcullis("history", "show", place, "--limit", "PAY", "--values", '["S"]')).out).toBe(
        "nothing is counted\n",
      );
      expect(await portcullis("history", "clear", place)).toMatchObject({
        code: 1,
        err: expect.stringContaining("--yes"),
      });
      expect(await portcullis("history", "clear", place, "--dry-run")).toMatchObject({ code: 1 });
      expect(await hook(place)).toMatchObject({ code: 2 });
      expect(await portcullis("history", "clear", place, "--limit", "NONE", "--yes")).toMatchObject({
        code: 0,
        out: "nothing is counted\ncleared 0 keys\n",
      });
      const cleared = await portcullis(
        "history",
        "clear",
        place,
        "--limit",
        "PAY",
        "--values",
        '["R"]',
        "--yes",
        "--format",
        "json",
      );
      expect([cleared.code, JSON.parse(cleared.out)]).toEqual([0, { cleared: 1 }]);
      expect(await hook(place)).toMatchObject({ code: 0 });
    } finally {
      await server?.stop();
    }
  });
});

describe("a hook", () => {
  it("without a history, or with one that cannot be had, denies what a limit counts", async () => {
    expect(await hook(undefined)).toMatchObject({ code: 2, err: expect.stringContaining("history_missing") });
    expect(await hook("relative")).toMatchObject({ code: 2, err: expect.stringContaining("is relative") });
    expect(await hook("redis://127.0.0.1:1")).toMatchObject({
      code: 2,
      err: expect.stringContaining("cannot be reached"),
    });
    expect(await hook("redis://user:secret@127.0.0.1:1")).toMatchObject({ err: expect.not.stringContaining("secret") });
    expect(await hook("http://127.0.0.1:1")).toMatchObject({ code: 2, err: expect.stringContaining("redis://") });
    write(path("file"), "");
    expect(await hook(path("file"))).toMatchObject({ code: 2, err: expect.stringContaining("history_missing") });
  });

  it.each(["REDISS://127.0.0.1:1", "redis://127.0.0.1:99999", "redis://[::1", "redis://a:1,b:1", "redis://"])(
    "takes no %s",
    async (place) => {
      const said = { code: 2, err: expect.stringContaining("with a host, is needed") };
      expect(await hook(place)).toMatchObject(said);
      expect((await hook(place)).err).not.toContain("internal error");
    },
  );

  it.skipIf(!HAS_REDIS)("says why a Redis cannot keep a history", { timeout: 60_000 }, async () => {
    const clustered = ["--cluster-enabled", "yes", "--cluster-port", String(await freePort())];
    const servers = [await startRedis(["--requirepass", "word"]), await startRedis(clustered)] as const;
    const [locked, node] = servers;
    const place = `redis://:word@127.0.0.1:${locked.port}`;
    try {
      expect(await hook(place)).toMatchObject({ code: 0 });
      const said = async (url: string): Promise<string> => (await hook(url)).err;
      expect(await said(locked.url)).toMatch(/cannot be reached: NOAUTH/);
      expect(await said(`redis://:secret@127.0.0.1:${locked.port}`)).toMatch(/…@.* cannot be reached: WRONGPASS/);
      // The client would have gone on in another database.
      expect(await said(`${place}/99`)).toMatch(/cannot keep a history: ERR DB index is out of range/);
      expect(await said(node.url)).toMatch(/cannot keep a history: CLUSTERDOWN/);
      const client = new Redis(place);
      await client.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      // The next second.
      await client.call("DEL", "{portcullis}:clock");
      expect(await said(place)).toMatch(/cannot keep a history: ERR keys may be evicted/);
      // What it kept can be seen.
      expect(await portcullis("history", "show", place)).toMatchObject({ code: 0 });
      await client.quit();
    } finally {
      for (const server of servers) await server.stop();
    }
  });

  it("does not wait for a Redis that takes connections and says nothing; nor does another command", {
    timeout: 60_000,
  }, async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const place = `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const said = { code: 2, err: expect.stringContaining("cannot be reached: it does not answer in") };
    try {
      expect(await hook(place)).toMatchObject(said);
      expect(await portcullis("history", "show", place)).toMatchObject(said);
    } finally {
      silent.close();
    }
  });
});

describe("init --for", () => {
  const claude = AGENT_HOSTS.find(({ id }) => id === "claude-code") as AgentHost;
  const problems = async (...words: string[]): Promise<string> => {
    const project = path("project");
    mkdirSync(project, { recursive: true });
    const asked = ["--policy", bundle, "--role", "R", "--lane", "L", "--format", "claude-code", ...words];
    const command = {
      timeout: process.execPath,
      node: process.execPath,
      program: process.execPath,
      seconds: 20,
      words: asked,
    };
    const around = { projects: [project], unsigned: true };
    return (await examineHook(claude, { command, seconds: 40, hearsEnds: true }, around)).problems.join("\n");
  };

  it("wants a history where the policy has limits, outside of the project", async () => {
    expect(await problems()).toContain("the policy has limits: give `--history`");
    expect(await problems("--history", path("project/history"))).toContain("where the agent may write");
    expect(await problems("--history", path("none/history"))).toContain("none");
    expect(await problems("--history", path("history"))).not.toContain("istory");
    expect(await problems("--history", "redis://127.0.0.1:6379")).not.toContain("istory");
  });
});

describe("a history with something damaged in it", () => {
  const KEY = "cd".repeat(32);
  const damaged = async (): Promise<string> => {
    const place = path(`damaged-${readdirSync(folder).length}`);
    expect(await hook(place)).toMatchObject({ code: 0 });
    write(join(place, "cd", `limit-${KEY}.json`), "{ torn");
    return place;
  };

  it("is shown with the rest, named, and cleared with everything", async () => {
    const place = await damaged();
    const shown = await portcullis("history", "show", place);
    expect(shown).toMatchObject({ code: 1, out: expect.stringMatching(/^PAY {2}.*1 call/) });
    expect(shown.err).toContain(join(place, "cd", `limit-${KEY}.json`));
    const json = await portcullis("history", "show", place, "--format", "json");
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      1,
      [
        { limit: "PAY", calls: 1 },
        { kind: "damaged", key: `limit-${KEY}`, problem: expect.stringContaining(KEY) },
      ],
    ]);
    expect(await portcullis("history", "clear", place, "--yes")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/cleared 2 keys\n$/),
    });
    expect(await portcullis("history", "show", place)).toMatchObject({ code: 0, out: "nothing is counted\n" });
  });

  it("keeps what is damaged where a limit alone is cleared, and says so", async () => {
    const place = await damaged();
    const cleared = await portcullis("history", "clear", place, "--limit", "PAY", "--yes");
    expect(cleared).toMatchObject({
      code: 1,
      out: expect.stringMatching(/cleared 1 key\n$/),
      err: expect.stringContaining(KEY),
    });
    expect(await portcullis("history", "show", place)).toMatchObject({ code: 1 });
  });

  it("denies its calls until its key is cleared by name", async () => {
    const place = await damaged();
    const [, limited] = /^PAY {2}([0-9a-f]{12})/.exec((await portcullis("history", "show", place)).out) ?? [];
    const shard = String(limited).slice(0, 2);
    const [name] = readdirSync(join(place, shard)).filter((file) => file.includes(String(limited)));
    write(join(place, shard, String(name)), "");
    const clear = (...more: string[]) => portcullis("history", "clear", place, "--limit", "PAY", "--yes", ...more);
    expect(await hook(place)).toMatchObject({ code: 2, err: expect.stringContaining("holds no history") });
    expect(await clear()).toMatchObject({ code: 1, out: expect.stringMatching(/cleared 0 keys\n$/) });
    expect(await hook(place)).toMatchObject({ code: 2 });
    expect(await clear("--values", '["R"]')).toMatchObject({ code: 0, out: expect.stringMatching(/cleared 1 key\n$/) });
    expect(await hook(place)).toMatchObject({ code: 0 });
  });

  it.each([
    ["the clock", (place: string) => write(join(place, "clock"), "{}")],
    [
      "a folder in the place of the clock",
      (place: string) => {
        rmSync(join(place, "clock"));
        mkdirSync(join(place, "clock"));
      },
    ],
    [
      "a folder in the place of a file",
      (place: string) => mkdirSync(join(place, "ee", "limit-ee.json"), { recursive: true }),
    ],
    ["a file in the place of a folder", (place: string) => write(join(place, "ee"), "{}")],
  ])("is %s", async (_, damage) => {
    const place = await damaged();
    damage(place);
    const shown = await portcullis("history", "show", place);
    expect([shown.code, shown.err.match(/damaged:/g)?.length]).toEqual([1, 2]);
    expect(shown.out).toMatch(/^PAY/);
    expect(await portcullis("history", "clear", place, "--yes")).toMatchObject({ code: 0 });
    expect(await portcullis("history", "show", place)).toMatchObject({ code: 0, out: "nothing is counted\n" });
    expect(await hook(place)).toMatchObject({ code: 0 });
  });

  it("keeps a clock that cannot be read where a limit alone is cleared", async () => {
    const place = await damaged();
    write(join(place, "clock"), "{}");
    expect(await portcullis("history", "clear", place, "--limit", "PAY", "--yes")).toMatchObject({ code: 2 });
    expect(await hook(place)).toMatchObject({ code: 2 });
  });
});

describe("history", () => {
  it("refuses what it cannot read, and makes no folder by looking", async () => {
    expect(await portcullis("history", "show", path("none"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not a folder"),
    });
    expect(existsSync(path("none"))).toBe(false);
    expect(await portcullis("history", "show", path("set"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("others may look into"),
    });
    const empty = path("empty");
    mkdirSync(empty, { mode: 0o700 });
    expect(await portcullis("history", "show", empty)).toMatchObject({ code: 0, out: "nothing is counted\n" });
    expect(await portcullis("history", "show", empty, "--values", "[]")).toMatchObject({
      code: 2,
      err: expect.stringContaining("needs `--limit`"),
    });
    for (const values of ["{", "{}", "[1]", "7"])
      expect(await portcullis("history", "show", empty, "--limit", "A", "--values", values)).toMatchObject({
        code: 2,
        err: expect.stringContaining("list of texts"),
      });
  });
});
