/** Asks one build of the host's side everything; exit 1 for the first wrong answer. Runs in a process of its own. */
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { load } from "@portcullis/runtime";
import { changedFiles } from "../../../compiler/execution/changed-files.ts";
import { collectEvidence } from "../../../compiler/execution/handoff/evidence.ts";
import {
  closeFacts,
  execFacts,
  parseContract,
  sessionSecret,
  signContract,
  signScript,
} from "../../../compiler/execution/index.ts";
import { instant } from "../../../compiler/execution/instant.ts";
import { FileError, readRegularFile } from "../../../compiler/execution/regular-file.ts";
import type { Fixtures } from "./fixtures.ts";

const [fixtureFile = "", bundle = ""] = process.argv.slice(2);
const fixtures = JSON.parse(readFileSync(fixtureFile, "utf8")) as Fixtures;
const scratch = mkdtempSync(join(tmpdir(), "portcullis-mutant-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

function same(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  console.log(`${what}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}`);
  process.exit(1);
}

function problemOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof FileError ? error.problem : error instanceof Error ? error.name : "thrown";
  }
}

const at = (name: string): string => join(fixtures.files, name);

function files(): void {
  same("a file", readRegularFile(at("file")).toString(), "0123456789");
  same("a file of just the size", readRegularFile(at("file"), { bytes: 10 }).toString(), "0123456789");
  same(
    "a file that is too large",
    problemOf(() => readRegularFile(at("file"), { bytes: 9 })),
    "too-large",
  );
  same(
    "a file that takes too long",
    problemOf(() => readRegularFile(at("file"), { until: 0 })),
    "too-slow",
  );
  for (const odd of ["link", "pipe", "."])
    same(
      odd,
      problemOf(() => readRegularFile(at(odd))),
      "no-regular-file",
    );
  for (const none of ["none", "file/x"])
    same(
      none,
      problemOf(() => readRegularFile(at(none))),
      "absent",
    );
}

function evidence(): void {
  const paths = [
    "file",
    "link",
    "out",
    "pipe",
    "none",
    "../x",
    "/etc/hosts",
    "a\\..\\b",
    "C:x",
    "a\0b",
    ".",
    "file/x",
    "\\x",
  ];
  const found = collectEvidence(fixtures.files, { artifacts: [...paths.map((path) => ({ path })), null, { path: 1 }] });
  const sha256 = createHash("sha256").update("0123456789").digest("hex");
  const seen = { exists: true, contained: true, file: true, sha256, size: 10 };
  const [lost, outside] = [
    { exists: false, file: false, contained: true },
    { exists: false, file: false, contained: false },
  ];
  const odd = { exists: true, contained: true, file: false };
  same("evidence", found, {
    ...{ file: seen, link: seen, out: outside, pipe: odd, none: lost, "../x": outside, "/etc/hosts": outside },
    ...{ "a\\..\\b": outside, "C:x": outside, "a\0b": lost, ".": odd, "file/x": lost, "\\x": outside },
  });
  same("evidence without a root", collectEvidence(undefined, { artifacts: [{ path: "file" }] }), { file: lost });
  for (const record of [null, [], { artifacts: {} }, 1])
    same("evidence of no record", collectEvidence(at("."), record), {});
}

const SECRET = "0123456789abcdef0123456789ABCDEF";
const hmac = (text: string): string => createHmac("sha256", Buffer.from(SECRET, "hex")).update(text).digest("hex");

const contract = {
  ...{
    baseline_sha: "a".repeat(40),
    contract_id: "c-1",
    contract_root: fixtures.files,
    created_at: "2026-03-02T09:00:00Z",
  },
  ...{ declared_operations: ["WRITE", "CREATE"], declared_targets: ["b", "a/c", `${fixtures.files}/x`] },
  ...{ expires_at: "2026-03-02T10:00:00Z", mode: "m" },
};

async function signatures(): Promise<void> {
  const policy = await load(readFileSync(bundle));
  const secret = sessionSecret({ PORTCULLIS_SESSION_SECRET: SECRET });
  for (const odd of ["", "0".repeat(30), "0".repeat(33), "g".repeat(32), undefined])
    same(`secret ${odd}`, sessionSecret({ PORTCULLIS_SESSION_SECRET: odd }), undefined);
  if (secret === undefined) return same("secret", secret, "a secret");
  const sign = (fields: object, payload: "v1" | "v2" = "v2"): string | undefined => {
    const result = signContract("c", { ...contract, ...fields }, secret, { policy, payload });
    return result.ok ? (result.value["signature"] as string) : undefined;
  };
  same("contract2", sign({}), hmac(`contract2:${JSON.stringify(contract)}`));
  same("contract", sign({}, "v1"), hmac("contract:c-1|2026-03-02T09:00:00Z"));
  const refused: object[] = [
    ...["/", ".", "", "..", "a/", "a//b", "./a", "/etc", "a\\b", 1, "\ud800"].map((one) => ({
      declared_targets: ["a", one],
    })),
    ...["write", "EXECUTE", 1, null].map((one) => ({ declared_operations: ["WRITE", one] })),
    ...[{ declared_targets: ["a", "a"] }, { declared_targets: "a" }, { declared_operations: "WRITE" }],
    ...["a".repeat(39), "a".repeat(41), "A".repeat(40), "a".repeat(63), null].map((one) => ({ baseline_sha: one })),
    ...["x", "/a/", "/a/../b", "/a//b", null].map((one) => ({ contract_root: one, declared_targets: [] })),
    ...["contract_id", "mode"].flatMap((name) => ["", 1, "\udc00"].map((one) => ({ [name]: one }))),
    ...["created_at", "expires_at"].map((name) => ({ [name]: "2026-03-02" })),
  ];
  for (const fields of refused) same(`signed ${JSON.stringify(fields)}`, sign(fields), undefined);
  same("signed at /", sign({ contract_root: "/", declared_targets: ["a", "/b"] }) === undefined, false);
  for (const fields of [{ contract_id: "a|b" }, { created_at: "a|b" }, { created_at: 1 }, { declared_targets: ["."] }])
    same(`v1 of ${JSON.stringify(fields)}`, sign(fields, "v1"), undefined);
  scripts(secret, sign);
}

function scripts(
  secret: NonNullable<ReturnType<typeof sessionSecret>>,
  sign: (fields: object, payload?: "v1") => string | undefined,
): void {
  const script = join(scratch, "run.py");
  writeFileSync(script, "print()\n");
  const sha256 = createHash("sha256").update("print()\n").digest("hex");
  const now = Date.UTC(2026, 2, 2, 9, 30, 0);
  const signed = { ...contract, status: "open", signature: sign({}) };
  const timestamp = "2026-03-02T09:30:00Z";
  const facts = (situation: object) =>
    execFacts({ mode: "m", scriptPath: script, contract: signed, secret, now: now + 1500, ...situation }).request;
  same("no packet", facts({}).hat, null);
  const result = signScript(script, signed, secret, { now });
  same("a packet is made", result.ok, true);
  if (!result.ok) return;
  const bound = { contract_id: "c-1", declared_operations: ["CREATE", "WRITE"] };
  const declared = {
    declared_targets: [`${fixtures.files}/x`, "a/c", "b"],
    mode: "m",
    script_sha256: sha256,
    timestamp,
  };
  same("hat-exec2", result.value.packet.signature, hmac(`hat-exec2:${JSON.stringify({ ...bound, ...declared })}`));
  same("the packet's place", result.value.path, `${script}.hat.json`);
  writeFileSync(result.value.path, JSON.stringify(result.value.packet));
  const hat = { ...result.value.packet, signature_valid: true, age_seconds: 1 } as Record<string, unknown>;
  delete hat["signature"];
  same(
    "facts",
    { ...facts({}) },
    {
      ...{ mode: "m", kind: "script", session: { valid: true }, script: { path: script, sha256 } },
      contract: {
        ...{ contract_id: "c-1", status: "open", signature_valid: true, expired: false, mode: "m" },
        ...{ declared_targets: contract.declared_targets, declared_operations: contract.declared_operations },
      },
      hat,
    },
  );
  const inline = facts({ scriptPath: undefined, contract: undefined, secret: undefined });
  same("inline", inline, {
    ...{
      mode: "m",
      kind: "inline",
      session: { valid: false },
      script: { path: null, sha256: null },
      contract: null,
      hat: null,
    },
  });
  const valid = (fields: object, payload?: "v1"): unknown => {
    const asked = facts({ contract: { ...signed, ...fields }, ...(payload === undefined ? {} : { payload }) });
    return [asked.contract?.signature_valid, asked.contract?.expired];
  };
  same("another target", valid({ declared_targets: ["b"] }), [false, false]);
  same("no signature", valid({ signature: undefined }), [false, false]);
  same("a signature too long", valid({ signature: `${signed.signature}00` }), [false, false]);
  same("v1 for v2", valid({}, "v1"), [false, false]);
  same("v1", valid({ signature: sign({}, "v1"), expires_at: "2026-03-02T09:30:01Z" }, "v1"), [true, true]);
  same("without expiry", valid({ signature: sign({}, "v1"), expires_at: undefined }, "v1"), [true, true]);
  packets(script, result.value.packet, facts);
  for (const fields of [{ declared_targets: ["b"] }, { mode: "a|b" }, { signature: "" }])
    same("a packet for another contract", signScript(script, { ...signed, ...fields }, secret, { now }).ok, false);
  same("a packet for nothing", signScript(`${script}x`, signed, secret, { now }).ok, false);
}

function packets(script: string, packet: object, facts: (situation: object) => { hat: unknown }): void {
  const variants: [unknown, boolean][] = [
    [packet, true],
    [{ ...packet, version: undefined }, false],
    [{ ...packet, version: 1 }, false],
    [{ ...packet, version: 3 }, false],
    [{ ...packet, declared_operations: ["CREATE"] }, false],
    [{ ...packet, declared_targets: ["b"] }, false],
    [{ ...packet, declared_targets: ["b", 1] }, false],
    [{ ...packet, timestamp: 1 }, false],
    [{ ...packet, mode: "n" }, false],
    [{ ...packet, contract_id: "d" }, false],
    [{ ...packet, script_sha256: "0" }, false],
    [[packet], false],
  ];
  for (const [variant, expected] of variants) {
    writeFileSync(`${script}.hat.json`, JSON.stringify(variant));
    same(
      `packet ${JSON.stringify(variant)}`,
      (facts({}).hat as { signature_valid?: boolean }).signature_valid,
      expected,
    );
  }
  for (const text of ["{", '{"a":1,"a":2}', "null"]) {
    same(text, parseContract("c", Buffer.from(text)).ok, false);
  }
  same("UTF-8", parseContract("c", Uint8Array.of(0x22, 0xff, 0x22)).ok, false);
}

function times(): void {
  const at = Date.UTC(2026, 1, 28, 23, 59, 59);
  for (const [text, expected] of [
    ["2026-02-28T23:59:59Z", at],
    ["2026-02-28T23:59:59", at],
    ["2026-03-01T01:29:59+01:30", at],
    ["2026-02-28T18:29:59-05:30", at],
    ["2026-02-28T23:59:59.5Z", at + 500],
    ["2026-02-29T23:59:59Z", undefined],
    ["2026-02-28T23:59Z", undefined],
    ["2026-02-28T23:59:59+24:00", undefined],
  ] as const)
    same(text, instant(text), expected);
}

function closings(): void {
  const [{ top, baseline } = { top: "", baseline: "" }] = fixtures.repositories;
  const asked = (fields: object): object => {
    const terms = {
      ...contract,
      contract_root: top,
      baseline_sha: baseline,
      expires_at: "2026-02-02T02:40:00Z",
      ...fields,
    };
    const { request, warnings } = closeFacts(terms, { secret: undefined }, 0);
    const files = request.changed_files;
    return [request.contract, request.contract_root, request.declared_targets, files === null, warnings.length];
  };
  const targets = ["b", "a/c", `${fixtures.files}/x`];
  // The commits of the fixtures were made at 1770000000, which is 2026-02-02T02:40:00Z.
  same("closed", asked({}), [{ signature_valid: false, expired: true }, top, targets, false, 0]);
  const open = { signature_valid: false, expired: false };
  same("in time", asked({ expires_at: "2026-02-02T02:40:01Z" }), [open, top, targets, false, 0]);
  same(
    "targets",
    asked({ expires_at: "2026-02-02T02:40:01Z", declared_targets: [top, `${top}/a`, `${top}/../b`, `${top}2`] }),
    [...[open, top, [top, `${top}/a`, `${top}/../b`, `${top}2`], false, 0]],
  );
  same("no baseline", asked({ baseline_sha: null }), [open, top, targets, true, 0]);
  same("a name", asked({ baseline_sha: "main" }), [open, top, targets, true, 1]);
  same("no root", asked({ contract_root: "x" }), [open, "x", targets, true, 1]);
  same("unsigned", closeFacts(contract, "unsigned", 0).request.contract, "unsigned");
}

function repositories(): void {
  for (const { what, top, baseline } of fixtures.hostile)
    same(
      what,
      problemOf(() => changedFiles(top, baseline)),
      "GitError",
    );
  for (const { top, baseline, expected } of fixtures.repositories) {
    const found = changedFiles(top, baseline).files.map(({ path, operation }) => `${operation} ${path}`);
    same(top, [...new Set(found)].sort(), expected);
  }
}

files();
evidence();
times();
await signatures();
closings();
repositories();
