/** The audit ledger: whatever is taken out, put in, changed or moved shows, and the policy decides every event again. */

import { generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AuditLedgerOptions,
  auditLedger,
  type EventSink,
  type LedgerChecks,
  load,
  type Policy,
  verifyLedger,
} from "@portcullis/runtime";
import { fileSink } from "@portcullis/runtime/node";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { SEED } from "../../campaign.ts";

const bytes = readFileSync("generated/bundle.tar.gz");
const request = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" };
const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const privateKey = keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string;

function memory(): EventSink & { text: string; fail: boolean } {
  const sink = {
    text: "",
    fail: false,
    write(batch: Uint8Array) {
      if (sink.fail) throw new Error("full");
      sink.text += new TextDecoder().decode(batch);
    },
  };
  return sink;
}

/** Node's own check of a compact JWS with ES256. */
function es256(token: string): boolean {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const { alg, kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { alg: string; kid?: string };
  const data = Buffer.from(`${header}.${payload}`);
  const key = { key: keys.publicKey, dsaEncoding: "ieee-p1363" as const };
  return alg === "ES256" && kid === "k1" && verify("sha256", data, key, Buffer.from(signature, "base64url"));
}

const signed: AuditLedgerOptions = { key: { algorithm: "ES256", key: privateKey, keyId: "k1" } };

/** Three batches: five events, each batch with its checkpoint, and the end. */
async function written(options: AuditLedgerOptions = signed): Promise<string[]> {
  const sink = memory();
  const ledger = auditLedger(sink, options);
  const policy = await load(bytes, { onDecision: ledger });
  const batch = async (...asked: (() => unknown)[]): Promise<void> => {
    for (const ask of asked) ask();
    policy.events?.flush();
    await ledger.flush();
  };
  await batch(
    () => policy.tool(request),
    () => policy.lineage({ lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] }),
  );
  await batch(
    () => policy.evaluateJson("portcullis/lane/decision", '{"role":12345678901234567890123}'),
    () => policy.evaluate("newsroom/none", 1),
  );
  await batch(() => policy.lane(request));
  await ledger.close();
  return sink.text.trimEnd().split("\n");
}

let policy: Policy;
let lines: readonly string[];
beforeAll(async () => {
  policy = await load(bytes);
  lines = await written();
});

const whole: LedgerChecks = { signatureHolds: es256, policyOf: () => policy };

/** A ledger of one event. */
async function writtenOf(ask: (policy: Policy) => unknown, source: Uint8Array = bytes): Promise<string[]> {
  const sink = memory();
  const ledger = auditLedger(sink);
  const listened = await load(source, { onDecision: ledger });
  ask(listened);
  listened.events?.flush();
  await ledger.close();
  return sink.text.trimEnd().split("\n");
}

describe("a ledger", () => {
  it("is a chain of canonical lines with signed checkpoints, and verifies", async () => {
    expect(await verifyLedger(lines, { ...whole, closed: true })).toMatchObject({
      ok: true, events: 5, checkpoints: 4, signed: 4, closed: true, sequence: 9, decided: 4, undecidable: 1, dropped: 0, problems: [],
    }); // biome-ignore format: one object
    const first = JSON.parse(lines[0] as string) as { ledger: object };
    expect(first.ledger).toEqual({ previous: "0".repeat(64), sequence: 1 });
    expect(lines[3]).toContain('"input":{"role":12345678901234567890123}');
  });

  it("holds requests as they were decided, however deep they are, and whatever stands in them", async () => {
    const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    const request = (levels: number): object => ({ role: "WRITER", lane: "DRAFTING", more: deep(levels) });
    const digits = '"lineage":[{"agent_type":"news_desk","spawn_depth":1e-400}]';
    for (const [ask, decided] of [
      [(p: Policy) => p.evaluateJson("portcullis/lane/decision", JSON.stringify(request(900))), 1],
      [(p: Policy) => p.lane(request(900) as never), 1],
      [(p: Policy) => p.evaluateJson("portcullis/lineage/decision", `{${digits},"x":1,"x":1}`), 1],
      // No request stays out of the ledger by half of a surrogate pair.
      [(p: Policy) => p.evaluateJson("portcullis/lane/decision", '{"role":"\\udc00","\\ud800":1}'), 1],
      [(p: Policy) => p.lane({ role: "WRITER\udc00", lane: "DRAFTING", "\ud800": 1 } as never), 1],
    ] as const) {
      const written = await writtenOf(ask);
      expect(await verifyLedger(written, { policyOf: () => policy })).toMatchObject({
        ok: true, events: 1, decided, undecidable: 1 - decided, problems: [],
      }); // biome-ignore format: one object
      expect(() => auditLedger(memory(), { continues: written[0] as string })).not.toThrow();
    }
  });

  it("lacks what has no JSON text alone, which no gate has read, and says so", async () => {
    const deep = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`) as unknown;
    const written = await writtenOf((p) => p.lane({ role: "WRITER", lane: "DRAFTING", more: deep } as never));
    expect(JSON.parse(written[0] as string)).toMatchObject({
      input: { role: "WRITER", lane: "DRAFTING" },
      erased: ["/input/more"],
      unrecorded: ["/input/more"],
    });
    expect(await verifyLedger(written, { policyOf: () => policy })).toMatchObject({
      ok: false, decided: 1, undecidable: 0, blanked: 1,
      problems: [{ line: 1, message: "its request kept parts of it from the record: /input/more" }],
    }); // biome-ignore format: one object
  });

  it("does not join half of a surrogate pair with the other half in an escape: what was decided had neither", async () => {
    const module = new SourceFile("t.rego", 'package t\n\np := {"was": input.role}\n');
    const { compiled } = await compileModules({ modules: [module], entrypoints: ["t/p"] });
    const wasm = compiled?.wasm as Uint8Array;
    const echo = await load(wasm);
    for (const role of ["\ud83d\\ude00", "\\ud83d\ude00"]) {
      const written = await writtenOf((p) => {
        expect(p.evaluateJson("t/p", `{"role":"${role}"}`)).toEqual({ was: "\ufffd\ufffd" });
      }, wasm);
      expect(written[0]).toContain('"input":{"role":"\ufffd\ufffd"}');
      expect(await verifyLedger(written, { policyOf: () => echo })).toMatchObject({ ok: true, decided: 1 });
    }
  });

  it("shows every line that is taken out, doubled, or changes places with another", async () => {
    const fails = async (changed: readonly string[], what: string): Promise<void> => {
      const { ok } = await verifyLedger(changed, { signatureHolds: es256, closed: true });
      expect(ok, what).toBe(false);
    };
    for (let i = 0; i < lines.length; i++) {
      await fails(lines.toSpliced(i, 1), `without line ${i + 1}`);
      await fails(lines.toSpliced(i, 0, lines[i] as string), `line ${i + 1} twice`);
      for (let j = 0; j < i; j++) {
        const moved = [...lines];
        [moved[i], moved[j]] = [moved[j] as string, moved[i] as string];
        await fails(moved, `lines ${j + 1} and ${i + 1} changed places`);
      }
    }
  });

  it("shows every change of a character that is not white space", async () => {
    const text = lines.join("\n");
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'a1{}[]":,0Z'), async (at, character) => {
        fc.pre(text[at] !== character && text[at] !== "\n");
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        const { ok } = await verifyLedger(changed.split("\n"), { signatureHolds: es256, closed: true });
        return !ok;
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it("shows where it is cut off: inside a batch always, after one by its end or by its head", async () => {
    for (let kept = 0; kept < lines.length; kept++) {
      const cut = lines.slice(0, kept);
      const open = await verifyLedger(cut, { signatureHolds: es256 });
      const endsInCheckpoint = kept > 0 && (cut.at(-1) as string).includes('"checkpoint"');
      expect(open.ok).toBe(endsInCheckpoint);
      expect((await verifyLedger(cut, { signatureHolds: es256, closed: true })).ok).toBe(false);
      const { head } = await verifyLedger(lines);
      expect((await verifyLedger(cut, { head })).ok).toBe(false);
    }
  });

  it("shows events that the policy decides otherwise, and unknown revisions", async () => {
    const sink = memory();
    const ledger = auditLedger(sink);
    const { events } = { events: [] as string[] };
    const listening = await load(bytes, { onDecision: ledger });
    listening.lane(request);
    listening.events?.flush();
    await ledger.close();
    const forged = sink.text.replace('"allowed":true', '"allowed":false').split("\n");
    // Who can write the whole file can write the whole chain: without a key only the policy tells.
    const again = await rechained(forged.filter((line) => line !== ""));
    expect(await verifyLedger(again)).toMatchObject({ ok: true });
    const verdict = await verifyLedger(again, { policyOf: () => policy });
    expect(verdict).toMatchObject({ ok: false, decided: 0 });
    expect(verdict.problems[0]?.message).toContain("is decided otherwise");
    expect((await verifyLedger(lines, { policyOf: () => undefined })).problems[0]?.message).toContain(
      "no given bundle",
    );
    expect(events).toEqual([]);
  });

  it("without a key has no signatures, and asking for them is refused", async () => {
    const unsigned = await written({});
    expect(await verifyLedger(unsigned, { closed: true })).toMatchObject({ ok: true, signed: 0 });
    expect((await verifyLedger(unsigned, { signatureHolds: es256 })).problems).toHaveLength(4);
    expect(await verifyLedger(lines, { signatureHolds: () => false })).toMatchObject({ ok: false, signed: 0 });
  });

  it("goes on after its end, and not after what is not a line of it", async () => {
    const directory = mkdtempSync(join(tmpdir(), "portcullis-ledger-"));
    try {
      const path = join(directory, "ledger.jsonl");
      const lines = (): string[] => readFileSync(path, "utf8").trimEnd().split("\n");
      const goOn = async (last: string | undefined): Promise<void> => {
        const ledger = auditLedger(fileSink(path), { ...signed, ...(last === undefined ? {} : { continues: last }) });
        const listening = await load(bytes, { onDecision: ledger });
        listening.tool(request);
        await ledger.close();
      };
      for (let round = 0; round < 3; round++) await goOn(round === 0 ? undefined : lines().at(-1));
      expect(await verifyLedger(lines(), { ...whole, closed: true })).toMatchObject({
        ok: true, events: 3, closed: true, decided: 3, problems: [],
      }); // biome-ignore format: one object
      // Cut anywhere but at an end, it goes on as if nothing had been there.
      const all = lines();
      expect(all).toHaveLength(9);
      for (let kept = 1; kept < 9; kept++) {
        writeFileSync(path, all.slice(0, kept).join("\n"));
        await goOn(all[kept - 1]);
        expect((await verifyLedger(lines(), whole)).ok, `cut after line ${kept}`).toBe(kept % 3 === 0);
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
    for (const line of ["", "{}", '{"ledger":{"sequence":0}}', '{"ledger":{"sequence":"1"}}'])
      expect(() => auditLedger(memory(), { continues: line })).toThrow();
  });

  it("says what was lost while its sink was full, and keeps its chain", async () => {
    const sink = memory();
    const ledger = auditLedger(sink, { bufferBytes: 3000 });
    const listening = await load(bytes, { onDecision: ledger });
    sink.fail = true;
    for (let i = 0; i < 50; i++) listening.lane({ role: `R${i}`, lane: "L" });
    listening.events?.flush();
    await expect(ledger.flush()).rejects.toThrow("full");
    sink.fail = false;
    await ledger.close();
    const result = await verifyLedger(sink.text.split("\n"), { closed: true });
    expect(result).toMatchObject({
      ok: false,
      dropped: ledger.status.dropped,
      problems: [{ line: 1, message: `${ledger.status.dropped} events were lost before it` }],
    });
    expect(result.events + result.dropped).toBe(50);
    expect(result.dropped).toBeGreaterThan(0);
  });

  it.each([
    ["an unknown algorithm", { algorithm: "none", key: "x".repeat(40) }],
    ["a short secret", { algorithm: "HS256", key: "short" }],
    ["a key for another algorithm", { algorithm: "RS256", key: privateKey }],
    ["a public key", { algorithm: "ES256", key: keys.publicKey.export({ type: "spki", format: "pem" }) as string }],
  ])("writes nothing with %s", async (_, key) => {
    const sink = memory();
    const ledger = auditLedger(sink, { key });
    const listening = await load(bytes, { onDecision: ledger });
    listening.lane(request);
    listening.events?.flush();
    await expect(ledger.flush()).rejects.toThrow(TypeError);
    expect(await ledger.close()).toMatchObject({ delivered: 0, dropped: 1, sequence: 0 });
    expect(sink.text).toBe("");
  });
});

/** The lines with a chain that fits them, by the rule that the ledger's page states. */
async function rechained(given: readonly string[]): Promise<string[]> {
  let previous = "0".repeat(64);
  const chained: string[] = [];
  for (const line of given) {
    const changed = line.replace(/"previous":"[0-9a-f]{64}"/, `"previous":"${previous}"`);
    chained.push(changed);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(changed));
    previous = Buffer.from(digest).toString("hex");
  }
  return chained;
}

describe("a sink that is too slow", () => {
  it("and writes after all leaves a chain that is whole, with every event once", async () => {
    let [text, isLate] = ["", true];
    const sink: EventSink = {
      async write(batch) {
        if (isLate) await new Promise((resolve) => setTimeout(resolve, 150));
        isLate = false;
        text += new TextDecoder().decode(batch);
      },
    };
    const ledger = auditLedger(sink, { timeoutMs: 30 });
    const policy = await load(bytes, { onDecision: ledger });
    policy.tool(request);
    policy.events?.flush();
    await expect(ledger.flush()).rejects.toThrow("longer than 30 ms");
    policy.lane(request);
    policy.events?.flush();
    while (ledger.status.pending > 0) await ledger.flush().catch(() => undefined);
    await ledger.close();
    const verdict = await verifyLedger(text.trim().split("\n"), { closed: true });
    expect(verdict).toMatchObject({ ok: true, problems: [], events: 2 });
  });

  it("and does not answer its last line is told that the wait is over", async () => {
    const signals: AbortSignal[] = [];
    const write: EventSink["write"] = (_, { signal }) => {
      signals.push(signal as AbortSignal);
      return signals.length > 1 ? new Promise(() => {}) : undefined;
    };
    const ledger = auditLedger({ write }, { timeoutMs: 20 });
    const policy = await load(bytes, { onDecision: ledger });
    policy.tool(request);
    await ledger.flush();
    const keepAlive = setInterval(() => {}, 1000);
    await ledger.close();
    clearInterval(keepAlive);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  it("and never answers does not keep `close`, and its events are counted as lost", async () => {
    const ledger = auditLedger({ write: () => new Promise(() => {}) }, { timeoutMs: 20 });
    const policy = await load(bytes, { onDecision: ledger });
    policy.tool(request);
    policy.events?.flush();
    const keepAlive = setInterval(() => {}, 1000);
    try {
      expect(await ledger.close()).toMatchObject({ dropped: 1, delivered: 0, sequence: 0 });
    } finally {
      clearInterval(keepAlive);
    }
  });
});
