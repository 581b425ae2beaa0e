/** `portcullis audit verify`: exit codes and words for whole, forged and unreadable ledgers. */

import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { auditLedger, decisionLog, load } from "@portcullis/runtime";
import { fileSink } from "@portcullis/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const bundle = "generated/bundle.tar.gz";
const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
afterAll(() => removeFolder(folder));

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const secret = "0123456789abcdef0123456789abcdef";

let lines: string[];
beforeAll(async () => {
  write(path("ec.pub"), ec.publicKey.export({ type: "spki", format: "pem" }));
  write(path("rsa.pub"), rsa.publicKey.export({ type: "spki", format: "pem" }));
  write(path("secret"), secret);
  const pem = (key: typeof ec.privateKey): string => key.export({ type: "pkcs8", format: "pem" }) as string;
  const ledgers = [
    auditLedger(fileSink(path("ledger.jsonl")), { key: { algorithm: "ES256", key: pem(ec.privateKey) } }),
    auditLedger(fileSink(path("ps.jsonl")), { key: { algorithm: "PS384", key: pem(rsa.privateKey) } }),
    auditLedger(fileSink(path("hs.jsonl")), { key: { algorithm: "HS512", key: secret } }),
    decisionLog({ sink: fileSink(path("log.jsonl")) }),
  ];
  const policy = await load(readFileSync(bundle), { onDecision: ledgers });
  policy.lane({ role: "WRITER", lane: "DRAFTING" });
  policy.tool({ role: "WRITER", lane: "PUBLISHING", tool: "draft.create" });
  policy.events?.flush();
  for (const ledger of ledgers) await ledger.close();
  lines = readFileSync(path("ledger.jsonl"), "utf8").trimEnd().split("\n");
});

const verify = (...argv: string[]) => portcullis("audit", "verify", ...argv);

describe("audit verify", () => {
  it("says what was checked, and exits 0 for a whole ledger", async () => {
    const ran = await verify(
      path("ledger.jsonl"),
      "--policy",
      bundle,
      "--verification-key",
      path("ec.pub"),
      "--closed",
    );
    expect(ran.err).toBe("");
    expect(ran.out).toMatch(
      /^verified: 2 events, 2 checkpoints \(2 signed and checked\), 2 decided again alike, head [0-9a-f]{64}\n$/,
    );
    expect(ran.code).toBe(0);
    write(path("ledger.jsonl.gz"), gzipSync(`${lines.join("\r\n")}\r\n`));
    expect(await verify(path("ledger.jsonl.gz"), "--closed")).toMatchObject({ code: 0 });
  });

  it.each([
    ["ps.jsonl", "rsa.pub", "PS384"],
    ["hs.jsonl", "secret", "HS512"],
  ])("checks the signatures of %s", async (ledger, key, algorithm) => {
    const checked = await verify(path(ledger), "--verification-key", path(key), "--signing-alg", algorithm);
    expect(checked).toMatchObject({ code: 0, err: "" });
    const other = await verify(path(ledger), "--verification-key", path("ec.pub"));
    expect(other.code).toBe(1);
    expect(other.err).toContain("a checkpoint whose signature does not hold");
  });

  it("names the line, and exits 1, where something is wrong", async () => {
    write(path("removed.jsonl"), lines.slice(1).join("\n"));
    expect((await verify(path("removed.jsonl"))).err).toContain("removed.jsonl:1: is number 2, where 1 is expected");
    write(path("changed.jsonl"), lines.join("\n").replace("WRITER", "EDITOR"));
    const changed = await verify(path("changed.jsonl"), "--format", "json");
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.out)).toMatchObject({ ok: false, problems: [{ line: 2 }] });
    write(path("open.jsonl"), lines.slice(0, 3).join("\n"));
    expect(await verify(path("open.jsonl"))).toMatchObject({
      code: 0,
      err: expect.stringContaining("the ledger is open"),
    });
    expect(await verify(path("open.jsonl"), "--closed")).toMatchObject({ code: 1 });
    expect(await verify(path("ledger.jsonl"), "--head", "0".repeat(64))).toMatchObject({ code: 1 });
    write(path("none.jsonl"), "");
    expect(await verify(path("none.jsonl"))).toMatchObject({ code: 1, err: expect.stringContaining("empty") });
    write(path("text.jsonl"), "hello\n");
    expect(await verify(path("text.jsonl"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("no line of a ledger"),
    });
  });

  it("refuses a line that is not UTF-8, in the middle and at the end: readers make other texts of it", async () => {
    // A ledger has U+FFFD for what had no text: three bytes that could be one of any other value.
    const [before, after] = [lines[0] as string, lines.slice(1)];
    const bytes = Buffer.from(before);
    bytes[before.indexOf("DRAFTING")] = 0xff;
    for (const [content, line] of [
      [Buffer.concat([bytes, Buffer.from(`\n${after.join("\n")}`)]), 1],
      [Buffer.concat([Buffer.from("\n\n"), bytes, Buffer.from(`\n${after.join("\n")}\n`)]), 3],
      [Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), bytes]), lines.length + 1],
    ] as const) {
      write(path("bytes.jsonl"), content);
      const { code, out } = await verify(path("bytes.jsonl"), "--format", "json");
      expect([code, JSON.parse(out).problems[0]]).toEqual([
        1,
        { line, message: "cannot be read: it is too long, or not UTF-8" },
      ]);
    }
  });

  it("refuses a line that is too long to be read, and reads on behind it", async () => {
    const long = Buffer.alloc(60_000_000, "x");
    write(path("long.jsonl"), Buffer.concat([long, Buffer.from(`\n${lines.join("\n")}\n`), long]));
    const { code, out } = await verify(path("long.jsonl"), "--format", "json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      events: 2,
      problems: [
        { line: 1, message: "cannot be read: it is too long, or not UTF-8" },
        { line: 2, message: expect.stringContaining("is number 1") },
        { line: lines.length + 2, message: "cannot be read: it is too long, or not UTF-8" },
      ],
    });
    write(path("many.jsonl"), `${"\n".repeat(100_000)}${lines.join("\n\n")}`);
    expect(await verify(path("many.jsonl"), "--closed")).toMatchObject({ code: 0 });
  });

  it("decides the events of a log without a chain again, one a line or as a list", async () => {
    const events = readFileSync(path("log.jsonl"), "utf8").trimEnd().split("\n");
    write(path("list.json"), `[${events.join(",")}]`);
    for (const name of ["log.jsonl", "list.json"]) {
      const ran = await verify(path(name), "--unchained", "--policy", bundle);
      expect(ran).toMatchObject({ code: 0, err: "", out: "verified: 2 events, 2 decided again alike\n" });
    }
    const chained = await verify(path("log.jsonl"));
    expect(chained).toMatchObject({
      code: 1,
      err: expect.stringMatching(/\nhelp: .*`--unchained --policy BUNDLE`\n$/),
    });
    write(path("forged.jsonl"), events.join("\n").replace('"allowed":false', '"allowed":true'));
    const forged = await verify(path("forged.jsonl"), "--unchained", "--policy", bundle);
    expect(forged).toMatchObject({ code: 1, err: expect.stringContaining("forged.jsonl:2: is decided otherwise") });
  });

  it.each([
    [["missing.jsonl"], "no such file"],
    [["missing.jsonl.gz"], "no such file"],
    [["log.jsonl", "--unchained"], "leaves nothing to check"],
    [["log.jsonl", "--unchained", "--policy", bundle, "--closed"], "neither end, head nor signatures"],
    [["ledger.jsonl", "--policy", bundle, "--policy", bundle], "another --policy has"],
    [["ledger.jsonl", "--policy", "missing"], "cannot read"],
  ])("exits 2 for %j", async ([name = "", ...flags], message) => {
    const ran = await verify(path(name), ...flags);
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
  });
});
