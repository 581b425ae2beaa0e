/** Following a real nginx, which goes away, is slow, breaks off, and gives what must not be taken. */

import { type HttpSourceOptions, httpSource, ReloadablePolicy } from "@portcullis/runtime";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../../compiler/rego/bundle/index.ts";
import { policyFiles, signed } from "../trust/bundles.ts";
import { allows, bundlesInOrder, until, verification } from "./followed.ts";
import { hasNginx, Nginx } from "./nginx.ts";

const FAST: HttpSourceOptions = { minDelay: 5, maxDelay: 10, timeout: 600, maxBytes: 1 << 20 };

/** What the server does, and what the status says then. */
const FAULTS: readonly (readonly [fault: string, code: string])[] = [
  ["silent", "timeout"],
  ["slow", "timeout"],
  // The proxy answers for the server behind it.
  ["hangs-up", "status"],
  ["truncated", "unreachable"],
  ["half-chunk", "unreachable"],
  ["cut.tar.gz", "bundle-corrupt"],
  ["429", "status"],
  ["busy", "status"],
  ["500", "status"],
  ["502", "status"],
  ["503", "status"],
  ["404", "status"],
  ["204", "status"],
  ["secret", "status"],
  ["round", "status"],
  ["page", "not-a-policy"],
  ["json", "not-a-policy"],
  ["nothing", "not-a-policy"],
  ["large", "too-large"],
  ["older.tar.gz", "revision-rolled-back"],
  ["unsigned.tar.gz", "signature-missing"],
  ["forged.tar.gz", "signature-invalid"],
];

describe.skipIf(!hasNginx)("following nginx", () => {
  let bundles: readonly [Uint8Array, Uint8Array, Uint8Array];
  let nginx: Nginx;
  let fault: string | undefined;
  const open: ReloadablePolicy[] = [];

  beforeAll(async () => {
    bundles = await bundlesInOrder();
    const eve = await policyFiles({ owner: "eve", revision: "eve", sequence: 9 });
    nginx = new Nginx(bundles[1]);
    nginx.put("older.tar.gz", bundles[0]);
    nginx.put("cut.tar.gz", bundles[2].subarray(0, bundles[2].length - 20));
    nginx.put("unsigned.tar.gz", await packBundle(eve));
    nginx.put("forged.tar.gz", await signed(eve, { algorithm: "RS256" }));
    nginx.putHole("large", 2 << 20);
    await nginx.start();
  });
  afterEach(() => {
    fault = undefined;
    for (const one of open.splice(0)) one.close();
  });
  afterAll(() => nginx?.remove());

  async function follow(options: HttpSourceOptions = FAST): Promise<ReloadablePolicy> {
    const headers = (): { readonly [name: string]: string } => (fault === undefined ? {} : { "x-fault": fault });
    const policies = await ReloadablePolicy.follow(httpSource(nginx.url, { headers, ...options }), { verification });
    open.push(policies);
    return policies;
  }

  it.each(FAULTS)("keeps the policy through `%s` (%s), and goes on after it", async (name, code) => {
    nginx.put("bundle.tar.gz", bundles[1]);
    const policies = await follow();
    fault = name;
    await until(() => policies.status()?.lastError?.code === code);
    expect(policies.status()).toMatchObject({ revision: "bob" });
    expect(allows(policies, "bob")).toBe(true);
    fault = undefined;
    nginx.put("bundle.tar.gz", bundles[2]);
    await until(() => policies.current.revision === "zoe");
    await until(() => policies.status()?.lastError === undefined);
  });

  it("is told that nothing changed by nginx's own tags, packed or not", async () => {
    nginx.put("bundle.tar.gz", bundles[0]);
    for (const packed of [false, true]) {
      const policies = await follow();
      if (packed) fault = "packed";
      const before = nginx.answers().length;
      await until(
        () =>
          nginx
            .answers()
            .slice(before)
            .filter((status) => status === 304).length > 2,
      );
      expect(policies.status()).toMatchObject({ revision: "ann", failures: 0 });
      policies.close();
    }
  });

  it("waits as nginx asks with `Retry-After`", async () => {
    nginx.put("bundle.tar.gz", bundles[0]);
    const policies = await follow();
    const before = performance.now();
    fault = "429";
    await until(() => policies.status()?.lastError?.code === "status");
    fault = undefined;
    await until(() => policies.status()?.failures === 0);
    // It is refused after `before`, and waits for a second from then on.
    expect(performance.now() - before).toBeGreaterThan(998);
  });

  it("keeps the policy while nginx is away, takes what it has when it is back, and is stale between", async () => {
    nginx.put("bundle.tar.gz", bundles[0]);
    const policies = await follow({ ...FAST, staleAfter: 300 });
    await nginx.stop();
    await until(() => policies.status()?.stale === true);
    expect(policies.status()?.lastError).toMatchObject({ code: "unreachable" });
    expect(allows(policies, "ann")).toBe(true);
    nginx.put("bundle.tar.gz", bundles[1]);
    await nginx.start();
    // The answer is in use before the status says that its source vouches for it.
    await until(() => policies.current.revision === "bob");
    await until(() => policies.status()?.stale === false);
  });

  it("takes each of many replacements whole", async () => {
    nginx.put("bundle.tar.gz", bundles[0]);
    const policies = await follow();
    for (const [i, revision] of [...Array(20).keys()].map((i) => [i, ["bob", "zoe"][i % 2]] as const)) {
      // A later one each time, of the same two owners.
      nginx.put(
        "bundle.tar.gz",
        await signed(await policyFiles({ owner: revision as string, revision: `${i}`, sequence: 10 + i })),
      );
      await until(() => policies.current.revision === `${i}`);
      expect(allows(policies, revision as string)).toBe(true);
    }
    expect(policies.status()).toMatchObject({ failures: 0, lastError: undefined });
  });
});
