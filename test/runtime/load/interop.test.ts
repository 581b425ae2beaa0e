/** A bundle that OPA's own compiler made, served through the same API. Skipped where no opa is installed. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describeBundle, LoadError, load } from "@portcullis/runtime";
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
      const policy = await load(bytes, {
        data: { host: { flag: 7 }, users: { eve: true } },
      });
      expect([...policy.entrypoints].sort()).toEqual(["app/allow", "app/host"]);
      expect(policy.evaluate("app/allow", { user: "ann" })).toBe(true);
      expect(policy.evaluate("app/allow", { user: "eve" })).toBeUndefined();
      expect(policy.evaluate("app/host", {})).toBe(7);
      expect(policy.evaluateJson("app/allow", '{"user":"ann"}')).toBe(true);
      expect(policy.evaluateJson("app/allow", "{")).toBeUndefined();
      expect(policy.evaluate("app/none", {})).toBeUndefined();
      expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
      expect(await describeBundle(bytes)).toMatchObject({
        producer: "opa or another compiler",
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("reads its data with every digit, and keeps it where the host's is not data", async () => {
    const folder = mkdtempSync(join(tmpdir(), "portcullis-interop-"));
    try {
      const rules = ["own := input == data.blocked", "theirs := input == data.host.blocked"];
      writeFileSync(join(folder, "app.rego"), `package app\n\n${rules.join("\n\n")}\n`);
      writeFileSync(join(folder, "data.json"), '{"blocked":12345678901234567891}');
      const bundle = join(folder, "bundle.tar.gz");
      const sources = ["app.rego", "data.json"].map((name) => join(folder, name));
      execFileSync(opa as string, [
        "build",
        "-t",
        "wasm",
        "-e",
        "app/own",
        "-e",
        "app/theirs",
        "-o",
        bundle,
        ...sources,
      ]);
      const data = { host: { blocked: 12345678901234567893n }, blocked: 0 };
      const policy = await load(readFileSync(bundle), { data });
      const asked = (entrypoint: string): unknown[] =>
        ["12345678901234567891", "12345678901234567893", "12345678901234567890"].map((text) =>
          policy.evaluateJson(entrypoint, text),
        );
      expect(asked("app/own")).toEqual([true, false, false]);
      expect(asked("app/theirs")).toEqual([false, true, false]);
      for (const none of [
        { host: { toJSON: () => ({}) } },
        { host: { blocked: Number.NaN } },
        new Map(),
        [],
        null,
        "x",
      ]) {
        expect(() => policy.setData(none)).toThrow(LoadError);
        expect(asked("app/theirs")).toEqual([false, true, false]);
      }
      policy.setData({ host: undefined });
      expect(asked("app/own")).toEqual([true, false, false]);
      expect(policy.evaluate("app/theirs", 1)).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is asked what the request is: nothing is converted, rounded, or taken for no input", async () => {
    const folder = mkdtempSync(join(tmpdir(), "portcullis-interop-"));
    try {
      writeFileSync(
        join(folder, "app.rego"),
        'package app\n\nallow if input.user == "ann"\n\nlarge if input == 12345678901234567891\n\necho := [input]\n',
      );
      const entrypoints = ["allow", "large", "echo"].flatMap((rule) => ["-e", `app/${rule}`]);
      const bundle = join(folder, "bundle.tar.gz");
      execFileSync(opa as string, ["build", "-t", "wasm", ...entrypoints, "-o", bundle, join(folder, "app.rego")]);
      const policy = await load(readFileSync(bundle));

      const cycle: { [key: string]: unknown } = { user: "ann" };
      cycle["self"] = cycle;
      const json = new TextEncoder().encode('{"user":"ann"}');
      const strange: unknown[] = [
        { user: { toJSON: () => "ann" } },
        { toJSON: () => ({ user: "ann" }), user: "eve" },
        { user: new String("ann") },
        json.buffer,
        json,
        new Map([["user", "ann"]]),
        { user: "ann", at: new Date(0) },
        { user: "ann", amount: Number.NaN },
        { user: "ann", amounts: [Number.POSITIVE_INFINITY] },
        { user: "ann", list: [undefined] },
        { user: "ann", list: new Array(2 ** 32 - 1) },
        { user: "ann", call: () => 1 },
        cycle,
        Symbol("ann"),
      ];
      for (const input of strange) {
        expect(policy.evaluate("app/allow", input)).toBeUndefined();
        expect(policy.lastFault).toMatchObject({ code: "input" });
      }
      expect(policy.evaluate("app/allow", Object.create({ user: "ann" }))).toBeUndefined();
      expect(
        policy.evaluate("app/allow", {
          user: policy.intern("ann"),
          other: undefined,
        }),
      ).toBe(true);

      const plain = [
        null,
        false,
        0,
        "",
        -0.5,
        "\u2028",
        [],
        {},
        [[null], { "": [1, "é"] }],
        JSON.parse('{"__proto__":{"a":1}}'),
      ];
      for (const input of plain) {
        expect(policy.evaluate("app/echo", input)).toEqual([input]);
        expect(policy.evaluateJson("app/echo", JSON.stringify(input))).toEqual([input]);
      }
      expect(policy.evaluate("app/echo", undefined)).toBeUndefined();
      expect(policy.lastFault).toBeUndefined();

      expect(policy.evaluate("app/large", 12345678901234567891n)).toBe(true);
      expect(policy.evaluateJson("app/large", "12345678901234567891")).toBe(true);
      expect(policy.evaluateJson("app/large", "12345678901234567890")).toBeUndefined();
      for (const text of ["\ufeff{}", new Uint8Array([0x22, 0xff, 0x22]), "{} {}", ""]) {
        expect(policy.evaluateJson("app/echo", text)).toBeUndefined();
        expect(policy.lastFault).toMatchObject({ code: "input" });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
