/** Following goes on, ends and denies when it should, whatever sources, listeners and clocks do. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BundleSource,
  type DecisionEvent,
  type FollowOptions,
  httpSource,
  metrics,
  ReloadablePolicy,
  SourceError,
  type Verification,
} from "@portcullis/runtime";
import { fileSource, loadFile } from "@portcullis/runtime/node";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { allows, bundlesInOrder, ToldSource, until, verification } from "./followed.ts";

let bundles: readonly [Uint8Array, Uint8Array, Uint8Array];
beforeAll(async () => {
  bundles = await bundlesInOrder();
});

const open: ReloadablePolicy[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  vi.useRealTimers();
});

async function follow(source: BundleSource, options: FollowOptions = {}): Promise<ReloadablePolicy> {
  const policies = await ReloadablePolicy.follow(source, { verification, ...options });
  open.push(policies);
  return policies;
}

describe("following", () => {
  it("goes on when the source cannot even wait", async () => {
    const source = new ToldSource(bundles[0]);
    let pauses = 0;
    source.pause = async () => {
      pauses++;
      throw new Error("no clock");
    };
    const policies = await follow(source);
    source.give = async () => bundles[1];
    await until(() => policies.current.revision === "bob");
    expect(pauses).toBeLessThan(5);
  });

  it("goes on when the source fails with what cannot be read", async () => {
    const source = new ToldSource(bundles[0]);
    const policies = await follow(source);
    source.give = () => Promise.reject(Object.create(null));
    await until(() => (policies.status()?.failures ?? 0) > 1);
    expect(policies.status()?.lastError).toMatchObject({ code: "unreachable" });
    source.give = async () => bundles[1];
    await until(() => policies.current.revision === "bob");
  });

  it("verifies the bundle in use anew when keys change, and denies where its key is gone until it is back", async () => {
    const told = new ToldSource(bundles[0], 200);
    const source: BundleSource = {
      ...{ name: "told", staleAfter: 200, pause: () => told.pause() },
      fetch: async (tag) => ({ bytes: tag === "first" ? undefined : bundles[0], tag: "first" }),
    };
    let { keys }: Verification = verification;
    const trusted: Verification = {
      get keys() {
        return keys;
      },
    };
    const policies = await follow(source, { verification: trusted, stale: "deny" });
    expect(allows(policies, "ann")).toBe(true);
    keys = {};
    await until(() => policies.status()?.stale === true);
    expect(policies.status()?.lastError).toMatchObject({ code: "signature-invalid" });
    expect(allows(policies, "ann")).toBe(false);
    ({ keys } = verification);
    await until(() => allows(policies, "ann"));
    expect(policies.status()).toMatchObject({ failures: 0, stale: false });
  });

  it("goes on when a listener throws or rejects, now or later", async () => {
    const source = new ToldSource(bundles[0]);
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      let calls = 0;
      const policies = await follow(source, {
        onStatus: () => {
          if (calls++ % 2 === 0) throw new Error("now");
          return Promise.reject(new Error("later"));
        },
      });
      await until(() => calls > 6);
      expect(policies.status()).toMatchObject({ failures: 0 });
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });

  it("a listener may reload, and may end it", async () => {
    const source = new ToldSource(bundles[0]);
    let reloading: Promise<unknown> | undefined;
    const policies: ReloadablePolicy = await follow(source, {
      onStatus: ({ revision }) => {
        if (revision === "ann") reloading ??= policies?.reload(bundles[2]);
        if (revision === "zoe") policies.close();
      },
    });
    await until(() => reloading !== undefined);
    await reloading;
    await until(() => policies.current.revision === "zoe");
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { checks } = source;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(source.checks).toBe(checks);
  });

  it("takes nothing that comes after `close`, and sets no timer", async () => {
    const source = new ToldSource(bundles[0], 50);
    const told = vi.fn();
    const policies = await follow(source, { stale: "deny", onStatus: told });
    let release: (bytes: Uint8Array) => void = () => {};
    source.give = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    await until(() => source.checks === 2);
    release(bundles[1]);
    // The bundle is on its way through `load` now.
    await Promise.resolve();
    policies.close();
    told.mockClear();
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(policies.current.revision).toBe("ann");
    expect(allows(policies, "ann")).toBe(true);
    expect(told).not.toHaveBeenCalled();
  });
});

describe("a check that is wanted now", () => {
  /** Asks again when the test says so, or never. */
  class QuietSource extends ToldSource {
    readonly times: number[] = [];

    override fetch(): ReturnType<ToldSource["fetch"]> {
      this.times.push(performance.now());
      return super.fetch();
    }

    override pause(...args: unknown[]): Promise<void> {
      const signal = args[2] as AbortSignal;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    }
  }

  it("does not wait for the source's time, and is over when `check` resolves", async () => {
    const source = new QuietSource(bundles[0]);
    const policies = await follow(source);
    source.give = async () => bundles[1];
    expect(await policies.check()).toMatchObject({ revision: "bob", failures: 0 });
    source.give = () => Promise.reject(new SourceError("unreachable", "away"));
    const [one, two] = await Promise.all([policies.check(), policies.check()]);
    expect([one, two]).toMatchObject([{ failures: 1 }, { failures: 1 }]);
    // One that comes while a check is under way needs a new one: what it is about may have come too late for that.
    let release: () => void = () => {};
    source.give = () => new Promise((resolve) => void (release = () => resolve(bundles[1])));
    const first = policies.check();
    await until(() => source.checks === 4);
    const second = policies.check();
    source.give = async () => bundles[2];
    release();
    expect(await first).toMatchObject({ revision: "bob" });
    expect(await second).toMatchObject({ revision: "zoe" });
  });

  it("resolves when following ends, and where nothing is followed", async () => {
    const source = new QuietSource(bundles[0]);
    const policies = await follow(source);
    source.give = () => new Promise(() => {});
    void policies.check();
    const waiting = policies.check();
    // Its source never answers.
    policies.close();
    await waiting;
    expect(await policies.check()).toMatchObject({ revision: "ann" });
    expect(await (await ReloadablePolicy.load(bundles[0], { verification })).check()).toBeUndefined();
  });

  it("comes with a message, at most once a second, however often it is repeated and invented", async () => {
    const source = new QuietSource(bundles[0]);
    let look: () => void = () => {};
    const end = vi.fn();
    const policies = await follow(source, {
      wake: (call) => {
        look = call;
        return end;
      },
    });
    source.give = async () => bundles[1];
    const began = performance.now();
    look();
    await until(() => policies.current.revision === "bob");
    const before = source.checks;
    const flood = setInterval(() => {
      for (let i = 0; i < 100; i++) look();
    }, 1);
    await until(() => source.checks === before + 2);
    clearInterval(flood);
    const [first = 0, second = 0] = source.times.slice(-2);
    // A busy machine checks later than it is woken, and never earlier: less than that, since the first message, is too often on any.
    // A timer of Node's may be a millisecond early.
    expect(first - began).toBeGreaterThan(998);
    expect(second - began).toBeGreaterThan(1998);
    expect(policies.status()).toMatchObject({ failures: 0, revision: "bob" });
    policies.close();
    look();
    await until(() => end.mock.calls.length === 1);
    expect(source.checks).toBe(before + 2);
  });

  it("waits for a server that asked for a pause, whatever messages say", async () => {
    const source = new QuietSource(bundles[0]);
    let look: () => void = () => {};
    const policies = await follow(source, {
      wake: (call) => {
        look = call;
        return undefined;
      },
    });
    source.give = () => Promise.reject(new SourceError("status", "busy", 60_000));
    expect(await policies.check()).toMatchObject({ failures: 1 });
    look();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(source.checks).toBe(2);
    // The operator may.
    source.give = async () => bundles[1];
    expect(await policies.check()).toMatchObject({ failures: 0, revision: "bob" });
  });

  it.each<[string, FollowOptions["wake"]]>([
    [
      "throws",
      () => {
        throw new Error("no Redis");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no Redis"))],
    ["is dead", () => new Promise(() => {})],
  ])("is not needed: where what brings messages %s, the source's own times are left", async (_, wake) => {
    const source = new ToldSource(bundles[0]);
    const policies = await follow(source, { wake } as FollowOptions);
    source.give = async () => bundles[1];
    await until(() => policies.current.revision === "bob");
    expect(policies.status()).toMatchObject({ failures: 0 });
  });

  it("messages end, also where they begin after `close`", async () => {
    let begin: (end: () => unknown) => void = () => {};
    const policies = await follow(new QuietSource(bundles[0]), {
      wake: () => new Promise((resolve) => void (begin = resolve)),
    });
    policies.close();
    const end = vi.fn(() => Promise.reject(new Error("gone")));
    begin(end);
    await until(() => end.mock.calls.length === 1);
  });
});

describe("a source that does not wait", () => {
  it("lets others have their turn", async () => {
    const source = new ToldSource(bundles[0]);
    source.pause = () => Promise.resolve();
    const policies = await follow(source);
    // Timers run at all: without a pause of its own the following would never leave its microtasks.
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(source.checks).toBeLessThan(40);
    source.give = async () => bundles[1];
    await until(() => policies.current.revision === "bob");
  });
});

describe("staleness", () => {
  it("is seen by the clock, where timers stood still", async () => {
    const source = new ToldSource(bundles[0], 60_000);
    const policies = await follow(source, { stale: "deny" });
    source.give = () => Promise.reject(new SourceError("unreachable", "gone"));
    await until(() => policies.status()?.failures === 1);
    expect(policies.status()?.stale).toBe(false);
    // The machine slept for two minutes.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    await until(() => policies.status()?.stale === true);
    expect(allows(policies, "ann")).toBe(false);
    vi.useRealTimers();
  });

  it("comes when its time is over, though the clock goes back", async () => {
    const source = new ToldSource(bundles[0], 80);
    const policies = await follow(source, { stale: "deny" });
    source.give = () => Promise.reject(new SourceError("unreachable", "gone"));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    await until(() => policies.status()?.stale === true);
    expect(allows(policies, "ann")).toBe(false);
  });

  it("denies where listeners hear it, and where it is counted", async () => {
    const source = new ToldSource(bundles[0], 60);
    const events: DecisionEvent[] = [];
    const policies = await follow(source, { stale: "deny", onDecision: (event) => void events.push(event) });
    const meter = metrics(policies);
    expect(allows(policies, "ann")).toBe(true);
    const allowed = policies.current.events?.lastDecisionId();
    source.give = () => new Promise(() => {});
    await until(() => policies.status()?.stale === true);
    expect(allows(policies, "ann")).toBe(false);
    const denied = policies.current.events?.lastDecisionId();
    expect(denied).toMatch(/^[0-9a-f-]{36}$/);
    expect(denied).not.toBe(allowed);
    await until(() => events.length === 2);
    expect(events[1]).toMatchObject({ decision_id: denied, error: { message: expect.stringContaining("stale") } });
    expect(meter.snapshot()).toMatchObject({ reloads: 0, revision: "ann" });
    expect(meter.snapshot().decisions.map(({ outcome, count }) => [outcome, count])).toEqual([
      ["allow", 1],
      ["fault", 1],
    ]);
  });

  it("comes while a source never answers", async () => {
    const source = new ToldSource(bundles[0], 60);
    const policies = await follow(source, { stale: "deny" });
    source.give = () => new Promise(() => {});
    await until(() => policies.status()?.stale === true);
    expect(allows(policies, "ann")).toBe(false);
  });

  it("waits for times that no timer takes", async () => {
    const source = new ToldSource(bundles[0], 2 ** 40);
    const policies = await follow(source, { stale: "deny" });
    await until(() => source.checks > 3);
    expect(policies.status()).toMatchObject({ stale: false });
    expect(allows(policies, "ann")).toBe(true);
  });

  it.each([0, -1, Number.NaN])("is refused after %d ms", (staleAfter) => {
    expect(() => httpSource("http://localhost/", { staleAfter })).toThrow(RangeError);
    expect(() => fileSource("bundle.tar.gz", { staleAfter })).toThrow(RangeError);
  });
});

describe("sources", () => {
  it("over TLS are not redirected to one without", async () => {
    const fetch = (async () => {
      const response = new Response(bundles[0] as Uint8Array<ArrayBuffer>);
      Object.defineProperty(response, "url", { value: "http://elsewhere.example/bundle.tar.gz" });
      return response;
    }) as typeof globalThis.fetch;
    await expect(follow(httpSource("https://bundles.example/bundle.tar.gz", { fetch }))).rejects.toMatchObject({
      code: "status",
      message: expect.stringContaining("without TLS"),
    });
    (await follow(httpSource("http://bundles.example/bundle.tar.gz", { fetch }))).close();
  });

  it("are redirected step by step: with TLS, with tokens for their own origin, and not for ever", async () => {
    const asked: [string, unknown][] = [];
    const source = (steps: { readonly [url: string]: string }) =>
      httpSource("https://bundles.example/bundle.tar.gz", {
        headers: { "private-token": "t" },
        fetch: (async (url: string, { headers, redirect }: { headers: Record<string, string>; redirect: string }) => {
          expect(redirect).toBe("manual");
          asked.push([url, headers["private-token"]]);
          const location = steps[url];
          if (location === undefined) return new Response(bundles[0] as Uint8Array<ArrayBuffer>);
          return new Response("", { status: 302, headers: { location } });
        }) as typeof globalThis.fetch,
      });
    const [own, other] = ["https://bundles.example/1.tar.gz", "https://store.example/1.tar.gz"];
    (await follow(source({ "https://bundles.example/bundle.tar.gz": "/1.tar.gz", [own]: other }))).close();
    expect(asked).toEqual([
      ["https://bundles.example/bundle.tar.gz", "t"],
      [own, "t"],
      [other, undefined],
    ]);
    const refused = (steps: Parameters<typeof source>[0]) => expect(follow(source(steps))).rejects;
    const [from, plain] = ["https://bundles.example/bundle.tar.gz", "http://store.example/"];
    await refused({ [from]: plain, [plain]: other }).toMatchObject({ message: expect.stringContaining("without TLS") });
    expect(asked.map(([url]) => url)).not.toContain(plain);
    await refused({ [from]: "data:text/plain,x" }).toMatchObject({ code: "status" });
    await refused({ [from]: "https://[" }).toMatchObject({ code: "status" });
    await refused({ [from]: from }).toMatchObject({ code: "status", message: expect.stringContaining("times") });
  });

  it("are regular files of a size that is expected", async () => {
    const folder = mkdtempSync(join(tmpdir(), "portcullis-source-"));
    try {
      const [pipe, large] = [join(folder, "pipe"), join(folder, "large")];
      execFileSync("mkfifo", [pipe]);
      writeFileSync(large, Buffer.alloc(2000));
      for (const path of [pipe, folder, "/dev/zero"]) {
        await expect(loadFile(path)).rejects.toMatchObject({ code: "not-a-policy" });
        await expect(follow(fileSource(path))).rejects.toMatchObject({ code: "unreachable" });
      }
      const bundleLimits = { packed: 1000, module: 1000 };
      await expect(loadFile(large, { bundleLimits })).rejects.toMatchObject({ code: "bundle-too-large" });
      await expect(follow(fileSource(large, { maxBytes: 1000 }))).rejects.toMatchObject({ code: "too-large" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
