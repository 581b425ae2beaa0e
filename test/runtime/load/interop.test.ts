/** A bundle that OPA's own compiler made, served through the same API. Skipped where no opa is installed. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describeBundle, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";

const opa = [...(process.env["PATH"] ?? "").split(":"), `${homedir()}/go/bin`]
  .map((dir) => join(dir, "opa"))
  .find((path) => existsSync(path));

describe.skipIf(opa === undefined)("a bundle that OPA compiled", () => {
  it("decides through load, with its own data and the host's", async () => {
    const folder = mkdtempSync(join(tmpdir(), "portcullis-interop-"));
    try {
      writeFileSync(
        join(folder, "app.rego"),
        "package app\n\nallow if data.users[input.user]\n\nhost := data.host.flag\n",
      );
      writeFileSync(join(folder, "data.json"), '{"users":{"ann":true}}');
      const bundle = join(folder, "bundle.tar.gz");
      execFileSync(opa as string, [
        "build",
        "-t",
        "wasm",
        "-e",
        "app/allow",
        "-e",
        "app/host",
        "-o",
        bundle,
        join(folder, "app.rego"),
        join(folder, "data.json"),
      ]);
      const bytes = readFileSync(bundle);
      const policy = await load(bytes, { data: { host: { flag: 7 }, users: { eve: true } } });
      expect([...policy.entrypoints].sort()).toEqual(["app/allow", "app/host"]);
      expect(policy.evaluate("app/allow", { user: "ann" })).toBe(true);
      expect(policy.evaluate("app/allow", { user: "eve" })).toBeUndefined();
      expect(policy.evaluate("app/host", {})).toBe(7);
      expect(policy.evaluateJson("app/allow", '{"user":"ann"}')).toBe(true);
      expect(policy.evaluateJson("app/allow", "{")).toBeUndefined();
      expect(policy.evaluate("app/none", {})).toBeUndefined();
      expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
      expect(await describeBundle(bytes)).toMatchObject({ producer: "opa or another compiler" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
