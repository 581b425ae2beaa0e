/** `portcullis exec sign` on real files: secrets, signatures, packets, and the times in them. */

import { existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { instant } from "../../compiler/enforcement/execution/instant.ts";
import { sessionSecret, verify } from "../../compiler/enforcement/execution/session.ts";
import {
  allowed,
  bundle,
  check,
  contract,
  expectDenied,
  folder,
  hat,
  hmac,
  queue,
  read,
  SECRET,
  script,
  sha256,
  source,
  terms,
  useSignedScript,
} from "./signed-script.ts";
import { portcullis, write } from "./terminal.ts";

useSignedScript();

describe("signing", () => {
  it("signs a contract over everything that decides, in its file", () => {
    const { status, signature, ...covered } = read(contract);
    expect(status).toBe("open");
    expect({ ...covered, status }).toMatchObject({ ...terms(), expires_at: expect.any(String) });
    const names = Object.keys(covered).sort();
    const payload = JSON.stringify(Object.fromEntries(names.map((name) => [name, covered[name]])));
    expect(signature).toBe(hmac(`contract2:${payload}`));
    expect(payload).toMatch(/^\{"baseline_sha":.*"contract_id":"c-1",.*"mode":"work"\}$/);
  });

  it("signs the founding document's payloads where it is told to", async () => {
    for (const argv of [[], [script]]) {
      const ran = await portcullis(
        "exec",
        "sign",
        ...argv,
        "--contract",
        contract,
        "--policy",
        bundle,
        "--payload",
        "v1",
      );
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining("does not cover baseline_sha")]);
    }
    expect(read(contract)["signature"]).toBe(hmac("contract:c-1|2026-03-02T09:00:00Z"));
    const { timestamp, signature, ...packet } = read(hat);
    expect(packet).toEqual({
      contract_id: "c-1",
      script_sha256: sha256(source),
      declared_targets: ["docs", "index.json"],
      mode: "work",
    });
    const targets = sha256('["docs","index.json"]');
    expect(signature).toBe(hmac(`hat-exec:c-1|${sha256(source)}|work|${timestamp}|${targets}`));
    expect(await check(script, "--contract", contract, "--payload", "v1")).toMatchObject(allowed);
    await expectDenied("no_active_contract", "contract_signature_invalid");
  });

  it("writes a packet beside the script, over every field that it binds", () => {
    const packet = read(hat);
    expect(packet).toEqual({
      contract_id: "c-1",
      script_sha256: sha256(source),
      declared_targets: ["docs", "index.json"],
      mode: "work",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      version: 2,
      declared_operations: ["WRITE"],
      signature: expect.any(String),
    });
    const payload =
      'hat-exec2:{"contract_id":"c-1","declared_operations":["WRITE"],"declared_targets":["docs","index.json"],"mode":"work",' +
      `"script_sha256":"${sha256(source)}","timestamp":"${packet["timestamp"]}"}`;
    expect(packet["signature"]).toBe(hmac(payload));
  });

  it("signs targets in the order of their code points, as one list whatever its order", async () => {
    const targets = ["\u{1F600}", "\uFF5E", "z", "é", "a"];
    const v1 = ["--contract", contract, "--payload", "v1"];
    write(contract, { ...read(contract), declared_targets: targets });
    for (const argv of [[], [script]])
      expect((await portcullis("exec", "sign", ...argv, ...v1, "--policy", bundle)).code).toBe(0);
    const { timestamp, signature } = read(hat);
    const sorted = sha256('["a","z","é","～","😀"]');
    expect(signature).toBe(hmac(`hat-exec:c-1|${sha256(source)}|work|${timestamp}|${sorted}`));
    write(contract, { ...read(contract), declared_targets: [...targets].reverse() });
    expect(await check(script, ...v1)).toMatchObject(allowed);
    for (const argv of [[], [script]])
      expect((await portcullis("exec", "sign", ...argv, "--contract", contract, "--policy", bundle)).code).toBe(0);
    expect(await check()).toMatchObject(allowed);
    expect(read(hat)["declared_targets"]).toEqual([...targets].reverse());
  });

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["short", "00112233445566778899aabbccddee"],
    ["odd", `${SECRET}0`],
    ["no hex", "g".repeat(32)],
    ["with white space", ` ${SECRET}`],
    ["plain text", "correct horse battery staple"],
  ])("fails without a valid secret: %s", async (_, secret) => {
    if (secret === undefined) delete process.env["PORTCULLIS_SESSION_SECRET"];
    else process.env["PORTCULLIS_SESSION_SECRET"] = secret;
    const before = [readFileSync(hat, "utf8"), readFileSync(contract, "utf8")];
    for (const argv of [
      ["--contract", contract],
      [script, "--contract", contract],
    ]) {
      const { code, out, err } = await portcullis("exec", "sign", ...argv, "--policy", bundle);
      expect([code, out, err]).toEqual([2, "", expect.stringContaining("PORTCULLIS_SESSION_SECRET")]);
      if (secret !== undefined && secret !== "") expect(err).not.toContain(secret);
    }
    expect([readFileSync(hat, "utf8"), readFileSync(contract, "utf8")]).toEqual(before);
    await expectDenied("session_invalid");
  });

  it("accepts a secret of 16 bytes and more, in either case", () => {
    expect(sessionSecret({ PORTCULLIS_SESSION_SECRET: SECRET.toUpperCase() })).toHaveLength(16);
    expect(sessionSecret({ PORTCULLIS_SESSION_SECRET: SECRET + SECRET })).toHaveLength(32);
  });

  it("never writes the secret", async () => {
    const said = await portcullis(
      "exec",
      "sign",
      script,
      "--contract",
      contract,
      "--format",
      "json",
      "--policy",
      bundle,
    );
    for (const text of [said.out, said.err, readFileSync(hat, "utf8"), readFileSync(contract, "utf8")])
      expect(text).not.toContain(SECRET);
  });

  it("refuses fields that could pose as two, and contracts of another session", async () => {
    for (const fields of [{ contract_id: "" }, { contract_id: 1 }, { created_at: "a|b" }, { created_at: null }]) {
      const file = write(join(folder, "odd.json"), { ...terms(), ...fields });
      expect((await portcullis("exec", "sign", "--contract", file, "--policy", bundle)).code).toBe(1);
      expect(read(file)["signature"]).toBeUndefined();
    }
    for (const fields of [{ contract_id: "c|1" }, { created_at: "a|b" }, { created_at: undefined }]) {
      const file = write(join(folder, "odd.json"), { ...terms(), ...fields });
      expect((await portcullis("exec", "sign", "--contract", file, "--payload", "v1", "--policy", bundle)).code).toBe(
        1,
      );
    }
    rmSync(hat);
    for (const fields of [{ mode: "a|b" }, { mode: null }, { declared_targets: "docs" }, { declared_targets: [1] }]) {
      const file = write(join(folder, "odd.json"), { ...read(contract), ...fields });
      expect((await portcullis("exec", "sign", script, "--contract", file, "--policy", bundle)).code).toBe(1);
    }
    process.env["PORTCULLIS_SESSION_SECRET"] = "ff".repeat(16);
    expect((await portcullis("exec", "sign", script, "--contract", contract, "--policy", bundle)).code).toBe(1);
    expect(existsSync(hat)).toBe(false);
  });

  it("refuses a script whose name holds a backslash, which parts folders on some systems", async () => {
    if (process.platform === "win32") return;
    const odd = write(join(queue, "c-1", "a\\b.py"), source);
    const { code, err } = await portcullis("exec", "sign", odd, "--contract", contract, "--policy", bundle);
    expect([code, err]).toEqual([1, expect.stringContaining("holds a `\\`")]);
    write(`${odd}.hat.json`, read(hat));
    expect(await check(odd)).toMatchObject({ reason: "script_outside_staging", exit: 1 });
  });

  it("needs files: a script that is one, a contract that can be read", async () => {
    expect(
      (await portcullis("exec", "sign", join(queue, "none.py"), "--contract", contract, "--policy", bundle)).code,
    ).toBe(2);
    expect(
      (await portcullis("exec", "sign", join(queue, "c-1"), "--contract", contract, "--policy", bundle)).code,
    ).toBe(2);
    expect(
      (await portcullis("exec", "sign", script, "--contract", join(folder, "none.json"), "--policy", bundle)).code,
    ).toBe(2);
    expect((await portcullis("exec", "sign", script, "--policy", bundle)).code).toBe(2);
  });
});

describe("verifying", () => {
  it("answers false without a secret, and for whatever is no signature", () => {
    const secret = sessionSecret({ PORTCULLIS_SESSION_SECRET: SECRET });
    const good = hmac("p");
    expect(verify(secret, "p", good)).toBe(true);
    expect(verify(undefined, "p", good)).toBe(false);
    expect(verify(secret, "q", good)).toBe(false);
    for (const wrong of [
      good.toUpperCase(),
      good.slice(2),
      `${good}00`,
      "",
      null,
      undefined,
      7,
      [good],
      hmac("p", "ff".repeat(16)),
    ])
      expect(verify(secret, "p", wrong)).toBe(false);
  });
});

describe("the packet", () => {
  const sign = () => portcullis("exec", "sign", script, "--contract", contract, "--policy", bundle);

  it.each([
    ["text", "mine\n"],
    ["JSON", '{ "signature": "mine" }'],
    ["a packet with more in it", ""],
  ])("replaces no file that `exec sign` did not write: %s", async (_, text) => {
    const mine = text === "" ? JSON.stringify({ ...read(hat), note: "mine" }) : text;
    write(hat, mine);
    const { code, out, err } = await sign();
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(
      `\`${hat}\` is not what \`portcullis exec sign\` wrote, and is not replaced\nhelp: move this`,
    );
    expect(readFileSync(hat, "utf8")).toBe(mine);
  });

  it("replaces one of either payload, and an empty file, and no link", async () => {
    for (const payload of ["v1", "v2", "v2"]) {
      const argv = ["exec", "sign", "--contract", contract, "--policy", bundle, "--payload", payload];
      expect(await portcullis(...argv)).toMatchObject({ code: 0 });
      expect(await portcullis(...argv.toSpliced(2, 0, script))).toMatchObject({ code: 0 });
    }
    write(hat, "");
    expect(await sign()).toMatchObject({ code: 0 });
    renameSync(hat, `${hat}.mine`);
    symlinkSync(`${hat}.mine`, hat);
    expect(await sign()).toMatchObject({ code: 2, out: "" });
    expect(lstatSync(hat).isSymbolicLink()).toBe(true);
  });
});

describe("times", () => {
  it("are ISO 8601 to the second at least, UTC unless an offset is written", () => {
    const at = Date.UTC(2026, 2, 2, 9, 0, 0);
    for (const text of [
      "2026-03-02T09:00:00Z",
      "2026-03-02T09:00:00",
      "2026-03-02T10:30:00+01:30",
      "2026-03-02T04:00:00-05:00",
    ])
      expect(instant(text)).toBe(at);
    expect(instant("2026-03-02T09:00:00.250Z")).toBe(at + 250);
    for (const text of [
      "2026-03-02",
      "2026-02-30T09:00:00Z",
      "2026-03-02T24:00:00Z",
      "2026-03-02 09:00:00Z",
      " 2026-03-02T09:00:00Z",
      "",
      null,
      1,
    ])
      expect(instant(text)).toBeUndefined();
  });
});
