/** `init` writes a folder in which every next step succeeds; `types` writes what `build` does. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

describe("init", () => {
  it("writes a folder that is built strictly, passes its tests, is formatted, and proves its claims", async () => {
    const dir = join(folder, "policies");
    expect(await portcullis("init", dir)).toMatchObject({ code: 0, err: "" });
    expect(await portcullis("build", dir, "-o", join(folder, "out"), "--strict")).toMatchObject({ code: 0, err: "" });
    const tested = await portcullis("test", dir);
    expect(tested).toMatchObject({ code: 0, out: expect.stringContaining(" 0 failed") });
    expect(await portcullis("fmt", "--list", "--fail", dir)).toMatchObject({ code: 0, out: "" });
    const proved = await portcullis("prove", dir, "--claims", join(dir, "claims.yaml"));
    expect(proved).toMatchObject({ code: 0 });
  });

  it("overwrites nothing", async () => {
    write(join(folder, "roles.yaml"), "roles: []\n");
    const refused = await portcullis("init", folder);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("is not empty") });
    expect(readFileSync(join(folder, "roles.yaml"), "utf8")).toBe("roles: []\n");
    expect(await portcullis("init", join(folder, "roles.yaml"))).toMatchObject({ code: 2 });
  });

  it("lists what it wrote as JSON, and does not count hidden files", async () => {
    write(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
    const { code, out } = await portcullis("init", folder, "--format", "json");
    expect(code).toBe(0);
    expect(JSON.parse(out).files).toContain(join(folder, "roles.yaml"));
  });
});

describe("types", () => {
  it("writes what build writes, from sources and, for names without `-`, from a bundle", async () => {
    const dir = join(folder, "policies");
    await portcullis("init", dir);
    await portcullis("build", dir, "-o", join(folder, "out"));
    const built = readFileSync(join(folder, "out/types.ts"), "utf8");
    expect(await portcullis("types", dir)).toMatchObject({ code: 0, out: built });
    expect(await portcullis("types", join(folder, "out/bundle.tar.gz"))).toMatchObject({ code: 0, out: built });
    const file = join(folder, "src/types.ts");
    expect(await portcullis("types", dir, "-o", file, "--check")).toMatchObject({ code: 1 });
    expect(await portcullis("types", dir, "-o", file)).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(file, "utf8")).toBe(built);
    expect(await portcullis("types", dir, "-o", file, "--check")).toMatchObject({ code: 0, err: "" });
    write(file, "// changed\n");
    const stale = await portcullis("types", dir, "-o", file, "--check");
    expect(stale).toMatchObject({ code: 1, err: expect.stringContaining("is not current") });
  });

  it("says when there are no ids, and shows findings", async () => {
    write(join(folder, "a/a.rego"), "package a\n\n# METADATA\n# entrypoint: true\np := 1\n");
    const none = await portcullis("types", join(folder, "a"));
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("holds no policy set") });
    write(join(folder, "b/roles.yaml"), "roles: 1\n");
    expect(await portcullis("types", join(folder, "b"))).toMatchObject({ code: 1, out: "" });
    expect(await portcullis("types", join(folder, "missing"))).toMatchObject({ code: 2 });
    expect(await portcullis("types", folder, "--check")).toMatchObject({ code: 2 });
  });
});
