import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildManifest, coveringRoots } from "../../../compiler/rego/bundle/manifest.ts";
import { orderFiles, packBundle } from "../../../compiler/rego/bundle/tar.ts";
import { readBundle } from "../../../runtime/load/tar.ts";
import { campaign } from "../../campaign.ts";

const text = (s: string) => new TextEncoder().encode(s);

describe("coveringRoots", () => {
  it("drops a root inside another one, by segments", () => {
    expect(coveringRoots([["a", "b"], ["a"], ["ab"], ["c", "d"]])).toEqual(["a", "ab", "c/d"]);
  });

  it("knows that the empty root covers everything", () => {
    expect(coveringRoots([["a"], []])).toEqual([""]);
  });
});

describe("buildManifest", () => {
  it("does not depend on the order of its parts", () => {
    const parts = { revision: "r", roots: ["b", "a"], entrypoints: ["x/z", "x/y", "x/z"] };
    expect(buildManifest(parts)).toEqual({
      revision: "r",
      roots: ["a", "b"],
      rego_version: 1,
      wasm: [
        { entrypoint: "x/y", module: "/policy.wasm" },
        { entrypoint: "x/z", module: "/policy.wasm" },
      ],
      metadata: {},
    });
  });
});

describe("packBundle", () => {
  it("orders entries as OPA does", () => {
    const paths = [".manifest", "policy.wasm", "b.rego", "data.json", ".signatures.json", "a/c.rego"];
    expect(orderFiles(paths.map((path) => ({ path, bytes: text("") }))).map((f) => f.path)).toEqual([
      "data.json",
      "a/c.rego",
      "b.rego",
      "policy.wasm",
      ".signatures.json",
      ".manifest",
    ]);
  });

  it("gives the same bytes for the same files in any order, and the runtime reads them back", async () => {
    const path = fc.stringMatching(/^[a-z]{1,30}(\/[a-z]{1,60}){0,3}\.rego$/);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 2000 })), { selector: ([p]) => p, maxLength: 8 }),
        async (entries) => {
          const files = entries.map(([p, bytes]) => ({ path: p, bytes }));
          const packed = await packBundle(files);
          expect(Buffer.compare(packed, await packBundle([...files].reverse()))).toBe(0);
          const read = await readBundle(packed);
          expect([...read].map(([p, b]) => [p, [...b]]).sort()).toEqual(entries.map(([p, b]) => [p, [...b]]).sort());
        },
      ),
      campaign(50),
    );
  });

  it("keeps a path of more than 100 characters", async () => {
    const path = `${"deep/".repeat(40)}policy.rego`;
    expect([...(await readBundle(await packBundle([{ path, bytes: text("x") }]))).keys()]).toEqual([path]);
  });
});

describe("readBundle", () => {
  it("refuses a truncated bundle, wherever it is cut", async () => {
    const packed = await packBundle([{ path: "data.json", bytes: text("{}".repeat(400)) }]);
    for (let length = 0; length < packed.length; length++) {
      await expect(readBundle(packed.subarray(0, length))).rejects.toMatchObject({
        name: "LoadError",
        code: "bundle-corrupt",
      });
    }
  });

  it("answers or refuses, for any change of a byte", async () => {
    const packed = await packBundle([{ path: "data.json", bytes: text('{"a":1}') }]);
    await fc.assert(
      fc.asyncProperty(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = packed.slice();
        changed[at] = (changed[at] as number) ^ flip;
        try {
          await readBundle(changed);
        } catch (error) {
          expect(error).toMatchObject({ name: "LoadError" });
        }
      }),
      campaign(300),
    );
  });
});
