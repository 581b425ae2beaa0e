/** `portcullis exec check` on real files: what is denied and why, and the bytes that may run. */

import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readScript } from "../../compiler/enforcement/execution/script.ts";
import {
  allowed,
  bundle,
  check,
  contract,
  type Decided,
  expectDenied,
  folder,
  forge,
  hat,
  hmac,
  limited,
  queue,
  read,
  script,
  sha256,
  source,
  useSignedScript,
} from "./signed-script.ts";
import { portcullis, write } from "./terminal.ts";

useSignedScript();

describe("checking a script", () => {
  it("allows what was signed, in human words and as JSON", async () => {
    expect(await check()).toMatchObject(allowed);
    const argv = ["exec", "check", script, "--policy", bundle, "--mode", "work", "--contract", contract];
    expect(await portcullis(...argv)).toMatchObject({
      code: 0,
      out: "allowed EN-EXEC-S-001 ALLOW hat_verified_script\n",
    });
  });

  it("says that there is no session where the secret is missing, or none", async () => {
    for (const secret of ["", "short"]) {
      process.env["PORTCULLIS_SESSION_SECRET"] = secret;
      const { code, err } = await portcullis("exec", "check", script, "--policy", bundle, "--mode", "work");
      expect([code, err]).toEqual([1, expect.stringContaining("warning: no valid session secret in `PORTCULLIS_S")]);
    }
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
      { declared_operations: ["WRITE", "DELETE"] },
      { declared_operations: undefined },
      { version: undefined, declared_operations: undefined },
      { version: 1 },
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
      [{ expires_at: past }, "contract_signature_invalid"],
      [{ expires_at: undefined }, "contract_signature_invalid"],
      [{ declared_targets: ["docs"] }, "contract_signature_invalid"],
      [{ mode: "other" }, "contract_signature_invalid"],
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
    const v1 = ["--contract", contract, "--payload", "v1"];
    write(contract, signed);
    expect((await portcullis("exec", "sign", ...v1, "--policy", bundle)).code).toBe(0);
    const open = read(contract);
    for (const expires_at of [past, undefined, "tomorrow", "2099-02-30T00:00:00Z", 4_102_444_800_000]) {
      write(contract, { ...open, expires_at });
      expect(await check(script, ...v1)).toMatchObject({ reason: "no_active_contract", detail: "contract_expired" });
    }
    write(contract, { ...open, mode: "other" });
    expect(await check(script, ...v1)).toMatchObject({ reason: "contract_mode_mismatch" });
    write(contract, { ...signed, mode: "other" });
    expect((await portcullis("exec", "sign", "--contract", contract, "--policy", bundle)).code).toBe(0);
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
    await expectDenied("no_active_contract", "contract_signature_invalid");
    expect((await portcullis("exec", "sign", "--contract", contract, "--policy", bundle)).code).toBe(0);
    await expectDenied("target_manifest_mismatch");
    write(contract, {
      ...read(contract),
      declared_targets: ["docs", "index.json"],
      declared_operations: ["WRITE", "MODE"],
    });
    expect((await portcullis("exec", "sign", "--contract", contract, "--policy", bundle)).code).toBe(0);
    await expectDenied("operation_manifest_mismatch");
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

describe("a script that was read", () => {
  it("stays what was checked when the file is swapped afterwards", () => {
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
      ["check", script, "--emit", "--mode", "work", "--policy", bundle],
      ["check", "--mode", "work", "--policy", bundle],
      ["check", script, "--mode", "work", "--policy", join(folder, "none")],
      ["open"],
      ["run"],
    ])
      expect([argv, (await portcullis("exec", ...argv)).code]).toEqual([argv, 2]);
  });

  it.each(["open", "sign", "check", "run", "close"])("prints help for %s with examples", async (command) => {
    const { code, out } = await portcullis("exec", command, "--help");
    expect([code, out]).toEqual([0, expect.stringContaining("Examples:")]);
  });
});
