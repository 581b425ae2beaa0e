/** `build --target`: what is in the bundle, and who takes it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load, readBundle } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const bundle = (target: string): string => join(folder, target, "bundle.tar.gz");
afterAll(() => removeFolder(folder));

beforeAll(async () => {
  const rego = "package app\n\n# METADATA\n# entrypoint: true\nallow if input.user in data.users\n";
  write(join(folder, "src/app.rego"), rego);
  write(join(folder, "src/data.json"), { users: ["ann"] });
  for (const target of ["wasm", "rego", "both"])
    expect(await portcullis("build", join(folder, "src"), "-o", join(folder, target), "-t", target)).toMatchObject({
      code: 0,
    });
});

const inspected = async (target: string): Promise<Record<string, unknown>> =>
  JSON.parse((await portcullis("inspect", bundle(target), "--format", "json")).out) as Record<string, unknown>;

describe("build --target", () => {
  it.each([
    ["both", [".manifest", "app.rego", "data.json", "policy.wasm"], ["wasm", "opa-wasm"]],
    ["wasm", [".manifest", "data.json", "policy.wasm"], ["wasm", "opa-wasm"]],
    ["rego", [".manifest", "app.rego", "data.json"], ["opa"]],
  ])("%s", async (target, files, fits) => {
    const found = await readBundle(readFileSync(bundle(target)));
    expect([...found.keys()].sort()).toEqual(files);
    const manifest = JSON.parse(new TextDecoder().decode(found.get(".manifest"))) as Record<string, unknown>;
    expect("wasm" in manifest).toBe(target !== "rego");
    expect(await inspected(target)).toMatchObject({ fits });
  });

  it("gives the same policy the same revision", async () => {
    const revisions = await Promise.all(
      ["wasm", "rego", "both"].map(async (target) => (await inspected(target))["revision"]),
    );
    expect(new Set(revisions).size).toBe(1);
  });

  it("without a module is refused by the runtime, and with one decides without its Rego", async () => {
    await expect(load(readFileSync(bundle("rego")))).rejects.toMatchObject({ code: "bundle-incomplete" });
    const policy = await load(readFileSync(bundle("wasm")));
    expect(policy.evaluate("app/allow", { user: "ann" })).toBe(true);
  });

  it("takes no other word", async () => {
    const ran = await portcullis("build", join(folder, "src"), "-o", join(folder, "x"), "--target", "plan");
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("both") });
  });
});
