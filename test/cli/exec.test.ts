/** `portcullis exec sign` and `check` on real files: secrets, signatures, packets, and the bytes that may run. */

import { createHash, createHmac } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { instant } from "../../compiler/cli/exec/instant.ts";
import { readScript } from "../../compiler/cli/exec/script.ts";
import { sessionSecret, verify } from "../../compiler/cli/exec/session.ts";
import { nodeHost } from "../../compiler/cli/node-host.ts";
import { compile } from "../../compiler/index.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const SECRET = "00112233445566778899aabbccddeeff";
const folder = temporaryFolder();
const queue = join(folder, "queue");
const bundle = join(folder, "bundle.tar.gz");
const limited = join(folder, "limited.tar.gz");
const script = join(queue, "c-1", "run.py");
const hat = `${script}.hat.json`;
const contract = join(folder, "c-1.json");
const source = "print('hello')\n";

const hmac = (payload: string, secret = SECRET): string =>
  createHmac("sha256", Buffer.from(secret, "hex")).update(payload).digest("hex");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const read = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

const terms = (): Record<string, unknown> => ({
  contract_id: "c-1",
  created_at: "2026-03-02T09:00:00Z",
  status: "open",
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  mode: "work",
  declared_targets: ["docs", "index.json"],
  declared_operations: ["WRITE"],
  baseline_sha: "f".repeat(40),
  contract_root: folder,
});

interface Decided {
  readonly allowed: boolean;
  readonly reason: string;
  readonly detail?: string;
}

async function check(path: string = script, ...more: string[]): Promise<Decided & { exit: number }> {
  const argv = ["exec", "check", path, "--policy", bundle, "--mode", "work", "--format", "json"];
  const { code, out } = await portcullis(...argv, ...(more.length > 0 ? more : ["--contract", contract]));
  return { ...(JSON.parse(out) as Decided), exit: code };
}

async function expectDenied(reason: string, detail?: string): Promise<void> {
  expect(await check()).toMatchObject({
    ...{ allowed: false, reason, reply: "D", code: "EN-EXEC-D-001", exit: 1 },
    ...(detail === undefined ? {} : { detail }),
  });
}

const allowed = {
  allowed: true,
  gate: "ALLOW",
  reason: "hat_verified_script",
  reply: "S",
  code: "EN-EXEC-S-001",
  exit: 0,
};

/** Signs the script again as a thief of the session's secret would, with other fields. */
function forge(fields: Record<string, unknown>, secret = SECRET): void {
  const packet: Record<string, unknown> = { ...read(hat), ...fields };
  const targets = sha256(JSON.stringify([...(packet["declared_targets"] as string[])].sort()));
  const { contract_id, script_sha256, mode, timestamp } = packet;
  const payload = `hat-exec:${contract_id}|${script_sha256}|${mode}|${timestamp}|${targets}`;
  write(hat, { ...packet, signature: hmac(payload, secret) });
}

beforeAll(async () => {
  const exec = `modes: [work, other, mode-init]\nstaging_root: ${JSON.stringify(queue)}\n`;
  for (const [file, text] of [
    [bundle, exec],
    [limited, `${exec}hat_lifetime_seconds: 60\n`],
  ] as const) {
    const dir = join(folder, `sources-${sha256(text).slice(0, 8)}`);
    write(join(dir, "exec.yaml"), text);
    const { compiled } = await compile({ host: nodeHost, dirs: [dir] });
    write(file, compiled?.bundle as Uint8Array);
  }
});

afterAll(() => removeFolder(folder));

beforeEach(async () => {
  process.env["PORTCULLIS_SESSION_SECRET"] = SECRET;
  rmSync(queue, { recursive: true, force: true });
  write(contract, terms());
  write(script, source);
  expect((await portcullis("exec", "sign", "--contract", contract)).code).toBe(0);
  expect((await portcullis("exec", "sign", script, "--contract", contract)).code).toBe(0);
});

afterEach(() => {
  delete process.env["PORTCULLIS_SESSION_SECRET"];
});

describe("signing", () => {
  it("signs a contract over its id and time of creation, in its file", () => {
    expect(read(contract)).toMatchObject({ ...terms(), expires_at: expect.any(String) });
    expect(read(contract)["signature"]).toBe(hmac("contract:c-1|2026-03-02T09:00:00Z"));
  });

  it("writes a packet beside the script, over every field that it binds", () => {
    const packet = read(hat);
    expect(packet).toEqual({
      contract_id: "c-1",
      script_sha256: sha256(source),
      declared_targets: ["docs", "index.json"],
      mode: "work",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      signature: expect.any(String),
    });
    const payload = `hat-exec:c-1|${sha256(source)}|work|${packet["timestamp"]}|${sha256('["docs","index.json"]')}`;
    expect(packet["signature"]).toBe(hmac(payload));
  });

  it("signs targets in the order of their code points, as one list whatever its order", async () => {
    const targets = ["\u{1F600}", "\uFF5E", "z", "é", "a"];
    write(contract, { ...read(contract), declared_targets: targets });
    expect((await portcullis("exec", "sign", script, "--contract", contract)).code).toBe(0);
    const { timestamp, signature } = read(hat);
    const sorted = sha256('["a","z","é","～","😀"]');
    expect(signature).toBe(hmac(`hat-exec:c-1|${sha256(source)}|work|${timestamp}|${sorted}`));
    write(contract, { ...read(contract), declared_targets: [...targets].reverse() });
    expect(await check()).toMatchObject(allowed);
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
      const { code, out, err } = await portcullis("exec", "sign", ...argv);
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
    const said = await portcullis("exec", "sign", script, "--contract", contract, "--format", "json");
    for (const text of [said.out, said.err, readFileSync(hat, "utf8"), readFileSync(contract, "utf8")])
      expect(text).not.toContain(SECRET);
  });

  it("refuses fields that could pose as two, and contracts of another session", async () => {
    for (const fields of [{ contract_id: "c|1" }, { contract_id: 1 }, { created_at: "a|b" }, { created_at: null }]) {
      const file = write(join(folder, "odd.json"), { ...terms(), ...fields });
      expect((await portcullis("exec", "sign", "--contract", file)).code).toBe(1);
      expect(read(file)["signature"]).toBeUndefined();
    }
    rmSync(hat);
    for (const fields of [{ mode: "a|b" }, { mode: null }, { declared_targets: "docs" }, { declared_targets: [1] }]) {
      const file = write(join(folder, "odd.json"), { ...read(contract), ...fields });
      expect((await portcullis("exec", "sign", script, "--contract", file)).code).toBe(1);
    }
    process.env["PORTCULLIS_SESSION_SECRET"] = "ff".repeat(16);
    expect((await portcullis("exec", "sign", script, "--contract", contract)).code).toBe(1);
    expect(existsSync(hat)).toBe(false);
  });

  it("needs files: a script that is one, a contract that can be read", async () => {
    expect((await portcullis("exec", "sign", join(queue, "none.py"), "--contract", contract)).code).toBe(2);
    expect((await portcullis("exec", "sign", join(queue, "c-1"), "--contract", contract)).code).toBe(2);
    expect((await portcullis("exec", "sign", script, "--contract", join(folder, "none.json"))).code).toBe(2);
    expect((await portcullis("exec", "sign", script)).code).toBe(2);
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

describe("checking a script", () => {
  it("allows what was signed, in human words and as JSON", async () => {
    expect(await check()).toMatchObject(allowed);
    const argv = ["exec", "check", script, "--policy", bundle, "--mode", "work", "--contract", contract];
    expect(await portcullis(...argv)).toMatchObject({
      code: 0,
      out: "allowed EN-EXEC-S-001 ALLOW hat_verified_script\n",
    });
  });

  it("denies a changed script, also one of the same length and time", async () => {
    const { atime, mtime } = statSync(script);
    write(script, source.replace("hello", "HELLO"));
    utimesSync(script, atime, mtime);
    await expectDenied("script_hash_mismatch");
  });

  it("denies packets that were tampered with, field by field", async () => {
    const packet = read(hat);
    for (const fields of [
      { contract_id: "c-2" },
      { script_sha256: sha256("other") },
      { mode: "other" },
      { timestamp: "2026-03-02T09:00:01Z" },
      { declared_targets: ["docs"] },
      { declared_targets: ["docs", "index.json", "src"] },
      { declared_targets: [] },
      { signature: "0".repeat(64) },
      { signature: String(packet["signature"]).toUpperCase() },
      { signature: null },
      { signature: undefined },
    ]) {
      write(hat, { ...packet, ...fields });
      await expectDenied("hat_signature_invalid");
    }
  });

  it("denies packets of another session", async () => {
    forge({}, "ff".repeat(16));
    await expectDenied("hat_signature_invalid");
    process.env["PORTCULLIS_SESSION_SECRET"] = "ff".repeat(16);
    await expectDenied("no_active_contract", "contract_signature_invalid");
  });

  it("denies packets that are properly signed for something else", async () => {
    forge({ contract_id: "c-2" });
    await expectDenied("contract_mismatch");
    forge({ contract_id: "c-1", script_sha256: sha256("other") });
    await expectDenied("script_hash_mismatch");
    forge({ script_sha256: sha256(source), declared_targets: ["docs"] });
    await expectDenied("target_manifest_mismatch");
    forge({ declared_targets: ["docs", "index.json"], mode: "other" });
    await expectDenied("hat_mode_mismatch");
    forge({ mode: "work" });
    expect(await check()).toMatchObject(allowed);
  });

  it("denies packets that are broken, doubled, or not there", async () => {
    const text = readFileSync(hat, "utf8");
    for (const broken of [
      "",
      "{",
      "[]",
      "null",
      "7",
      text.replace('"mode"', '"mode": "other", "mode"'),
      Uint8Array.of(0xff),
    ]) {
      write(hat, broken);
      await expectDenied("malformed_hat_packet");
    }
    for (const fields of [{ mode: 1 }, { timestamp: "a|b" }, { contract_id: undefined }, { declared_targets: [1] }]) {
      write(hat, { ...(JSON.parse(text) as object), ...fields });
      await expectDenied("malformed_hat_packet");
    }
    unlinkSync(hat);
    await expectDenied("missing_hat_signature");
    mkdirSync(hat);
    await expectDenied("malformed_hat_packet");
  });

  it("denies contracts that do not count, and says why", async () => {
    const signed = read(contract);
    const past = new Date(Date.now() - 1000).toISOString();
    const cases: [object, string][] = [
      [{ status: "closed" }, "contract_not_open"],
      [{ status: "OPEN" }, "contract_not_open"],
      [{ expires_at: past }, "contract_expired"],
      [{ expires_at: undefined }, "contract_expired"],
      [{ expires_at: "tomorrow" }, "contract_expired"],
      [{ expires_at: "2099-02-30T00:00:00Z" }, "contract_expired"],
      [{ expires_at: 4_102_444_800_000 }, "contract_expired"],
      [{ signature: undefined }, "contract_signature_invalid"],
      [{ signature: hmac("contract:c-1|2026-03-02T09:00:01Z") }, "contract_signature_invalid"],
      [{ created_at: "2026-03-02T09:00:01Z" }, "contract_signature_invalid"],
      [{ contract_id: ".." }, "malformed_contract_id"],
      [{ contract_id: "a/b" }, "malformed_contract_id"],
      [{ contract_id: null }, "malformed_contract_id"],
    ];
    for (const [fields, detail] of cases) {
      write(contract, { ...signed, ...fields });
      await expectDenied("no_active_contract", detail);
    }
    write(contract, { ...signed, mode: "other" });
    await expectDenied("contract_mode_mismatch");
    for (const text of ["{", "[]", '{"status":"closed","status":"open"}']) {
      write(contract, text);
      await expectDenied("no_active_contract", "no_contract");
    }
    unlinkSync(contract);
    await expectDenied("no_active_contract", "no_contract");
  });

  it("denies targets that the contract was given after the script was signed", async () => {
    write(contract, { ...read(contract), declared_targets: ["docs", "index.json", "src"] });
    await expectDenied("target_manifest_mismatch");
  });

  it("limits a packet's life where the policy does, and trusts no time to come", async () => {
    const argv = [
      "exec",
      "check",
      script,
      "--policy",
      limited,
      "--mode",
      "work",
      "--contract",
      contract,
      "--format",
      "json",
    ];
    const decide = async (): Promise<Decided> => JSON.parse((await portcullis(...argv)).out) as Decided;
    expect(await decide()).toMatchObject({ allowed: true });
    const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
    for (const timestamp of [at(-90), at(90), "yesterday", ""]) {
      forge({ timestamp });
      expect(await decide()).toMatchObject({ allowed: false, reason: "hat_signature_invalid", detail: "hat_expired" });
    }
  });
});

describe("where a script lies", () => {
  const staged = (path: string): string => {
    write(path, source);
    write(`${path}.hat.json`, read(hat));
    return path;
  };

  it("is resolved: a link into the queue is what it leads to, a link out of it is outside", async () => {
    const link = join(folder, "link.py");
    symlinkSync(script, link);
    expect(await check(link)).toMatchObject(allowed);
    const outside = staged(join(folder, "outside.py"));
    symlinkSync(outside, join(queue, "c-1", "inside.py"));
    expect(await check(join(queue, "c-1", "inside.py"))).toMatchObject({ reason: "script_outside_staging" });
    symlinkSync(folder, join(queue, "c-3"));
    expect(await check(join(queue, "c-3", "outside.py"))).toMatchObject({ reason: "script_outside_staging" });
  });

  it("is exactly the contract's folder", async () => {
    expect(await check(join(queue, "c-1", "..", "c-1", "run.py"))).toMatchObject(allowed);
    for (const path of [
      join(queue, "run.py"),
      join(queue, "c-1", "sub", "run.py"),
      join(folder, "queue-old", "c-1", "run.py"),
      join(queue, "c-1", "run.sh"),
      join(queue, "c-1", ".py"),
      join(folder, "queue", "c-1", "run.PY"),
    ])
      expect([path, await check(staged(path))]).toMatchObject([path, { reason: "script_outside_staging", exit: 1 }]);
    const other = staged(join(queue, "c-2", "run.py"));
    expect(await check(other)).toMatchObject({ reason: "script_staged_for_other_contract" });
  });

  it("is nowhere for what is not there or no file", async () => {
    for (const path of [join(queue, "c-1", "none.py"), join(queue, "c-1", "run.py", "x")])
      expect(await check(path)).toMatchObject({ allowed: false, reason: "script_outside_staging", exit: 1 });
    const dir = join(queue, "c-1", "folder.py");
    mkdirSync(dir);
    write(`${dir}.hat.json`, read(hat));
    expect(await check(dir)).toMatchObject({ allowed: false, reason: "script_hash_mismatch", exit: 1 });
  });
});

describe("the bytes that run", () => {
  const emit = (...argv: string[]) =>
    portcullis(
      "exec",
      "check",
      script,
      "--policy",
      bundle,
      "--mode",
      "work",
      "--contract",
      contract,
      "--emit",
      ...argv,
    );

  it("are the checked ones, to the byte, with the decision apart", async () => {
    const { code, out, err, bytes } = await emit("--format", "json");
    expect([code, out]).toEqual([0, ""]);
    expect(Buffer.from(bytes).toString()).toBe(source);
    expect(JSON.parse(err)).toMatchObject({ allowed: true });
  });

  it("may be any bytes", async () => {
    const raw = Uint8Array.from({ length: 256 }, (_, i) => i);
    write(script, raw);
    expect((await portcullis("exec", "sign", script, "--contract", contract)).code).toBe(0);
    expect(Uint8Array.from((await emit()).bytes)).toEqual(raw);
  });

  it("are none when they are denied", async () => {
    write(script, "print('other')\n");
    const { code, out, bytes } = await emit();
    expect([code, out, bytes.length]).toEqual([1, "", 0]);
  });

  it("stay what was checked when the file is swapped afterwards", () => {
    const checked = readScript(script);
    const swapped = write(join(queue, "c-1", "evil.py"), "print('evil')\n");
    renameSync(swapped, script);
    expect(Buffer.from(checked.bytes as Uint8Array).toString()).toBe(source);
    expect(checked.sha256).toBe(sha256(source));
  });
});

describe("checking inline code", () => {
  it("is for inline modes only", async () => {
    const argv = ["exec", "check", "--inline", "--policy", bundle, "--format", "json", "--mode"];
    const normal = await portcullis(...argv, "work");
    expect([normal.code, JSON.parse(normal.out)]).toMatchObject([1, { reason: "inline_execution_forbidden" }]);
    const init = await portcullis(...argv, "mode-init");
    expect([init.code, JSON.parse(init.out)]).toMatchObject([0, { reason: "inline_permitted_mode" }]);
    const unknown = await portcullis(...argv, "toString");
    expect([unknown.code, JSON.parse(unknown.out)]).toMatchObject([1, { reason: "unknown_mode" }]);
  });
});

describe("the command", () => {
  it("exits 2 for wrong usage", async () => {
    for (const argv of [
      ["check"],
      ["check", script],
      ["check", script, "--mode", "work"],
      ["check", script, "--inline", "--mode", "work", "--policy", bundle],
      ["check", "--inline", "--emit", "--mode", "work", "--policy", bundle],
      ["check", "--mode", "work", "--policy", bundle],
      ["check", script, "--mode", "work", "--policy", join(folder, "none")],
      ["open"],
    ])
      expect([argv, (await portcullis("exec", ...argv)).code]).toEqual([argv, 2]);
  });

  it.each(["sign", "check", "close"])("prints help for %s with examples", async (command) => {
    const { code, out } = await portcullis("exec", command, "--help");
    expect([code, out]).toEqual([0, expect.stringContaining("Examples:")]);
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
