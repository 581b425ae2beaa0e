/** What survives a restart: nothing that is stale, nothing older, nothing half written; and what was lost is said. */

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BundleSource, type FollowOptions, type FollowStatus, ReloadablePolicy } from "@portcullis/runtime";
import { fileStore } from "@portcullis/runtime/node";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { allows, bundlesInOrder, until, verification } from "./followed.ts";

let bundles: readonly [Uint8Array, Uint8Array, Uint8Array];
beforeAll(async () => {
  bundles = await bundlesInOrder();
});

let folder: string;
let path: string;
const open: ReloadablePolicy[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "portcullis-kept-"));
  path = join(folder, "bundle.tar.gz");
});
afterEach(() => {
  vi.useRealTimers();
  for (const one of open.splice(0)) one.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Gives a bundle, or nothing. */
function sourceOf(give: () => Uint8Array | undefined, staleAfter?: number): BundleSource {
  return {
    name: "given",
    staleAfter,
    async fetch(tag) {
      const bytes = give();
      if (bytes === undefined) throw new Error("gone");
      const own = `"${bytes.length}-${bytes.at(40)}"`;
      return tag === own ? { bytes: undefined, tag } : { bytes, tag: own };
    },
    pause: () => new Promise((resolve) => void setTimeout(resolve, 5).unref()),
  };
}

async function follow(source: BundleSource, options: FollowOptions = {}): Promise<ReloadablePolicy> {
  const persist = fileStore(path);
  const policies = await ReloadablePolicy.follow(source, { verification, persist, stale: "deny", ...options });
  open.push(policies);
  return policies;
}

const gone = (): undefined => undefined;
const kept = (): Buffer => readFileSync(path);
const isKept = (bundle: Uint8Array): boolean => Buffer.compare(kept(), bundle) === 0;

describe("a kept bundle", () => {
  it("is as old as its last good check, however often a process starts", async () => {
    (await follow(sourceOf(() => bundles[0], 60_000))).close();
    const at = new Date(Date.now() - 50_000);
    utimesSync(path, at, at);
    const restarted = await follow(sourceOf(gone, 60_000));
    expect(restarted.status()).toMatchObject({ stale: false });
    expect(allows(restarted, "ann")).toBe(true);
    restarted.close();
    const longAgo = new Date(Date.now() - 61_000);
    utimesSync(path, longAgo, longAgo);
    const late = await follow(sourceOf(gone, 60_000));
    expect(late.status()).toMatchObject({ stale: true });
    expect(allows(late, "ann")).toBe(false);
  });

  it("is as old as the clock says, where timers stood still", async () => {
    (await follow(sourceOf(() => bundles[0], 60_000))).close();
    const policies = await follow(sourceOf(gone, 60_000));
    expect(policies.status()).toMatchObject({ stale: false, lastCheck: undefined });
    // The machine slept for two minutes.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    await until(() => policies.status()?.stale === true);
    expect(allows(policies, "ann")).toBe(false);
  });

  it("is stale where the clock went back, until the source answers", async () => {
    (await follow(sourceOf(() => bundles[0], 60_000))).close();
    const tomorrow = new Date(Date.now() + 86_400_000);
    utimesSync(path, tomorrow, tomorrow);
    let given: Uint8Array | undefined;
    const policies = await follow(sourceOf(() => given, 60_000));
    expect(policies.status()).toMatchObject({ stale: true });
    expect(allows(policies, "ann")).toBe(false);
    given = bundles[0];
    await until(() => policies.status()?.stale === false);
    expect(allows(policies, "ann")).toBe(true);
    expect(statSync(path).mtimeMs).toBeLessThan(Date.now() + 1000);
  });

  it("is vouched for by checks that bring nothing new", async () => {
    const policies = await follow(sourceOf(() => bundles[0], 60_000));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(path, longAgo, longAgo);
    await until(() => statSync(path).mtimeMs > Date.now() - 10_000);
    expect(policies.status()?.lastError).toBeUndefined();
  });

  it("that is not a bundle any more is said once, and written anew", async () => {
    writeFileSync(path, bundles[1].subarray(0, 500));
    const told: FollowStatus[] = [];
    const policies = await follow(
      sourceOf(() => bundles[0]),
      { onStatus: (status) => told.push(status) },
    );
    expect(told[0]?.lastError).toMatchObject({ code: "bundle-corrupt" });
    expect(isKept(bundles[0])).toBe(true);
    await until(() => policies.status()?.lastError === undefined);
  });

  it("is written again when it could not be", async () => {
    path = join(folder, "state", "bundle.tar.gz");
    const policies = await follow(sourceOf(() => bundles[0]));
    expect(policies.status()?.lastError?.message).toContain("ENOENT");
    mkdirSync(join(folder, "state"));
    await until(() => policies.status()?.lastError === undefined);
    expect(isKept(bundles[0])).toBe(true);
  });

  it("of another process is not replaced by an older one", async () => {
    let first: Uint8Array = bundles[0];
    const behind = await follow(sourceOf(() => first));
    (await follow(sourceOf(() => bundles[2]))).close();
    expect(isKept(bundles[2])).toBe(true);
    first = bundles[1];
    await until(() => behind.current.revision === "bob");
    await until(() => behind.status()?.failures === 0);
    expect(isKept(bundles[2])).toBe(true);
    const restarted = await follow(sourceOf(() => bundles[1]));
    expect(restarted.status()).toMatchObject({ revision: "zoe", lastError: { code: "revision-rolled-back" } });
  });

  it("is whole while processes write it at the same time, and leaves nothing else behind", async () => {
    const stores = Array.from({ length: 8 }, () => fileStore(path));
    await Promise.all(stores.map((store, i) => store.write(bundles[i % 3] as Uint8Array)));
    expect(bundles.some(isKept)).toBe(true);
    expect(readdirSync(folder)).toEqual(["bundle.tar.gz"]);
  });

  it("is no link: what it points to is neither read nor written", async () => {
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(elsewhere, bundles[2]);
    symlinkSync(elsewhere, path);
    const told: FollowStatus[] = [];
    const policies = await follow(
      sourceOf(() => bundles[0]),
      { onStatus: (status) => told.push(status) },
    );
    expect(policies.current.revision).toBe("ann");
    expect(told[0]?.lastError?.message).toContain("ELOOP");
    expect(Buffer.compare(readFileSync(elsewhere), bundles[2])).toBe(0);
    expect(isKept(bundles[0])).toBe(true);
  });

  it("is no pipe", async () => {
    execFileSync("mkfifo", [path]);
    const policies = await follow(sourceOf(() => bundles[0]));
    expect(policies.current.revision).toBe("ann");
    expect(isKept(bundles[0])).toBe(true);
  });
});
