/** The store in a folder: what all stores have to do, and what many processes, dead ones among them, do to it. */

import { type ChildProcess, spawn } from "node:child_process";
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HistoryStore, LimitUse } from "../../../runtime/history/store.ts";
import { fileHistory } from "../../../runtime/node/file-history.ts";
import { runs, SEED } from "../../campaign.ts";
import { keyOf } from "./naive-log.ts";
import { traces } from "./traces.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const top = mkdtempSync(join(tmpdir(), "portcullis-history-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
let folders = 0;
const fresh = (): string => join(top, String(folders++));

const START = 1_800_000_000_000;
const key = "ab".repeat(32);
const two: LimitUse = { id: "TWO", key, within: 63_000, maxCalls: 2, after: [], never: [] };
const calls = async (folder: string, use = two): Promise<number | undefined> =>
  (await fileHistory(folder).reserve({ limits: [{ ...use, maxCalls: 0 }] })).facts.history[use.id]?.calls;

describe("random traces", () => {
  it("never let more through than a naive log, and never fewer than a bucket less, from one process to the next, also where clocks step", async () => {
    for (let run = 0; run < Math.ceil(runs(200) / 25) * 2; run++) {
      const time = { now: START };
      const folder = fresh();
      // Each call is another process's: nothing is kept in memory.
      const store = { reserve: (request: never) => fileHistory(folder, { clock: () => time.now }).reserve(request) };
      const pass = (milliseconds: number): void => void (time.now += milliseconds);
      await traces(store as never, SEED + run, 150, pass, 1000, () => time.now, run % 2 === 1);
    }
  });
});

describe("a folder", () => {
  it("has every name on the disk that leads to what was counted", async () => {
    const [opened, synced] = [new Map<number, string>(), new Set<string>()];
    const { openSync, fsyncSync } = fs;
    fs.openSync = (path, ...more) => {
      const file = openSync(path, ...more);
      opened.set(file, String(path));
      return file;
    };
    fs.fsyncSync = (file) => {
      synced.add(opened.get(file) as string);
      fsyncSync(file);
    };
    syncBuiltinESMExports();
    try {
      const above = fresh();
      const folder = join(above, "below");
      await fileHistory(folder).reserve({ limits: [two] });
      for (const place of [top, above, folder, join(folder, "ab")]) expect(synced).toContain(place);
    } finally {
      Object.assign(fs, { openSync, fsyncSync });
      syncBuiltinESMExports();
    }
  });

  it("is its owner's alone, as is what stands in it", async () => {
    const folder = fresh();
    await fileHistory(folder).reserve({ limits: [two] });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(["ab", "clock"]);
    expect(readdirSync(join(folder, "ab"))).toEqual([`limit-${key}.json`]);
    expect(statSync(join(folder, "ab")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "ab", `limit-${key}.json`)).mode & 0o777).toBe(0o600);
  });

  it.each([0o750, 0o701, 0o722])("that others may look into is refused: %o", async (mode) => {
    const folder = fresh();
    mkdirSync(folder);
    chmodSync(folder, mode);
    await expect(calls(folder)).rejects.toThrow("others may look into");
  });

  it("that is a file is refused", async () => {
    const folder = fresh();
    writeFileSync(folder, "");
    await expect(calls(folder)).rejects.toThrow();
  });

  it.each(["", "{}", '{"limit":"TWO"', '{"limit":"TWO","width":1000,"buckets":[1,2],"began":{},"succeeded":{}}'])(
    "with a file of another form denies, whatever it would say: %s",
    async (text) => {
      const folder = fresh();
      await fileHistory(folder).reserve({ limits: [two] });
      writeFileSync(join(folder, "ab", `limit-${key}.json`), text);
      await expect(calls(folder)).rejects.toThrow("holds no history");
      writeFileSync(join(folder, "clock"), `${text} `);
      await expect(fileHistory(folder).reserve({ limits: [] })).rejects.toThrow("holds no history");
    },
  );

  it("that is taken away while a process counts in it denies, until it is cleared or the process starts again", async () => {
    const folder = fresh();
    const store = fileHistory(folder);
    await store.reserve({ limits: [two] });
    for (const take of [() => rmSync(folder, { recursive: true }), () => mkdirSync(folder, { mode: 0o700 })]) {
      take();
      await expect(store.reserve({ limits: [two] })).rejects.toThrow("what was counted");
    }
    await fileHistory(folder).clear();
    expect((await store.reserve({ limits: [two] })).isReserved).toBe(true);
    rmSync(folder, { recursive: true });
    await expect(store.reserve({ limits: [two] })).rejects.toThrow("what was counted");
    expect(await calls(folder)).toBe(0);
  });

  it("loses what has expired, and keeps the rest", async () => {
    const folder = fresh();
    const time = { now: START };
    const store = fileHistory(folder, { clock: () => time.now });
    const of = (n: number): LimitUse => ({ ...two, key: n.toString(16).padStart(2, "0").padEnd(64, "0") });
    const always = { ...two, key: "01".repeat(32), within: undefined };
    await store.reserve({ limits: [of(1), of(2), always] });
    writeFileSync(join(folder, "01", ".left.new"), "half");
    time.now += 100_000;
    // After sixteen calls it is the turn of this folder.
    for (let n = 0; n < 15; n++) {
      time.now += 1;
      await store.reserve({ limits: [] });
    }
    expect(readdirSync(join(folder, "01"))).toEqual([`limit-${always.key}.json`]);
    expect(readdirSync(join(folder, "02"))).toHaveLength(1);
  });
});

describe("what cannot be read", () => {
  it("denies calls of its own key alone, also where it is looked at in passing", async () => {
    const folder = fresh();
    const time = { now: START };
    const store = fileHistory(folder, { clock: () => time.now });
    const of = (start: string): LimitUse => ({ ...two, key: start.padEnd(64, "0") });
    await store.reserve({ limits: [of("01"), of("01ff")] });
    writeFileSync(join(folder, "01", `limit-${of("01").key}.json`), "{");
    time.now += 100_000;
    for (let n = 0; n < 15; n++) {
      time.now += 1;
      await store.reserve({ limits: [] });
    }
    expect(readdirSync(join(folder, "01"))).toEqual([`limit-${of("01").key}.json`]);
    await expect(store.reserve({ limits: [of("01")] })).rejects.toThrow("holds no history");
  });

  it.skipIf(process.platform === "win32")("a lock that leads nowhere denies, in the time that there is", async () => {
    const folder = fresh();
    await fileHistory(folder).reserve({ limits: [] });
    symlinkSync("/nowhere", join(folder, "lock"));
    await expect(fileHistory(folder, { wait: 50 }).reserve({ limits: [two] })).rejects.toThrow("holds the lock");
  });
});

describe("what stands in it", () => {
  it("is shown with tools of any name", async () => {
    const store = fileHistory(fresh());
    const order = { id: "ORDER", key, after: [], never: [], begins: "__proto__" };
    await store.reserve({ limits: [order] });
    const [entry] = await store.entries();
    expect(Object.keys(entry?.last_ms ?? {})).toEqual(["__proto__"]);
  });

  it("is not given back by a call that came before it was cleared", async () => {
    const store = fileHistory(fresh(), { clock: () => START });
    const nonce = { digest: "cd".repeat(32), keepUntil: START + 1, call: "ef".repeat(32) };
    const order = { id: "ORDER", key: "01".repeat(32), after: [], never: ["fetch"], begins: "fetch" };
    const asked = { limits: [{ ...two, maxCalls: 1 }, order], nonce };
    for (const which of [{}, { key }]) {
      const early = await store.reserve({ ...asked, ...(which.key && { nonce: undefined }) });
      await store.clear(which);
      const late = await store.reserve(asked);
      expect([early.isReserved, late.isReserved]).toEqual([true, true]);
      await early.release();
      const { facts, isReserved } = await store.reserve(asked);
      expect(isReserved).toBe(false);
      expect(facts).toMatchObject({
        approvalUsed: true,
        history: { TWO: { calls: 1 }, ORDER: { last_ms: { fetch: START } } },
      });
      await late.release();
      expect(await store.entries()).toEqual([]);
    }
  });

  it("is shown, and cleared by limit, by key, or whole", async () => {
    const folder = fresh();
    const store = fileHistory(folder, { clock: () => START });
    const nonce = { digest: "cd".repeat(32), keepUntil: START + 1, call: "ef".repeat(32) };
    const order = { id: "ORDER", key: "01".repeat(32), after: [], never: [], begins: "fetch" };
    await store.reserve({ limits: [{ ...two, sum: { of: 5, atMost: 9 } }, order], nonce });
    const limit = {
      ...{ kind: "limit", key, limit: "TWO", calls: 1, sum: 5, last_ms: {} },
      expires: (START / 1000 + 64) * 1000,
    };
    const marked = { kind: "limit", key: order.key, limit: "ORDER", calls: 0, sum: 0, last_ms: { fetch: START } };
    const used = { kind: "approval", key: nonce.digest, expires: START + 1 };
    expect(await store.entries()).toEqual([marked, limit, used]);
    expect(await store.clear({ limit: "NONE" })).toBe(0);
    expect(await store.clear({ limit: "ORDER" })).toBe(1);
    expect(await store.clear({ key, limit: "ORDER" })).toBe(0);
    expect(await store.entries()).toEqual([limit, used]);
    expect(await store.clear({ key })).toBe(1);
    expect(await store.clear()).toBe(1);
    expect(await store.entries()).toEqual([]);
  });

  it("is whole again after a clock that was wrong, once it is cleared", async () => {
    const folder = fresh();
    const time = { now: START + 1e9 };
    const store = fileHistory(folder, { clock: () => time.now });
    await store.reserve({ limits: [two] });
    time.now = START;
    expect((await store.reserve({ limits: [two] })).facts.history).toEqual({});
    const clocks = async () => (await store.entries()).filter(({ kind }) => kind === "damaged");
    const problem = expect.stringContaining("has seen a time that is 1000000 seconds ahead");
    expect(await clocks()).toEqual([{ kind: "damaged", key: "clock", problem }]);
    await store.clear({ limit: "TWO" });
    expect((await store.reserve({ limits: [two] })).facts.history).toEqual({});
    await store.clear();
    expect(await clocks()).toEqual([]);
    expect((await store.reserve({ limits: [two] })).facts.history["TWO"]?.calls).toBe(0);
  });
});

describe("processes", () => {
  const script = join(top, "process.mjs");
  beforeAll(async () => {
    await build({
      entryPoints: [join(root, "test/runtime/history/process.ts")],
      ...{ outfile: script, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
      tsconfig: join(root, "tsconfig.json"),
    });
  });
  const started = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const outputOf = async (child: ChildProcess): Promise<string> => {
    let text = "";
    for await (const chunk of child.stdout ?? []) text += String(chunk);
    return text;
  };
  const said = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.stdout?.once("data", resolve));

  it("that race for the last one never both get it", async () => {
    const folder = fresh();
    const raced = Array.from({ length: 4 }, () => started("race", folder, "10", "25"));
    const allowed = (await Promise.all(raced.map(outputOf))).map(Number);
    expect(allowed.reduce((sum, n) => sum + n, 0)).toBe(25);
  });

  it("that died with the lock are found, also where the one that cleared it away died too", async () => {
    const folder = fresh();
    const child = started("hold", folder);
    await said(child);
    expect(existsSync(join(folder, "lock"))).toBe(true);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    const { id } = JSON.parse(readFileSync(join(folder, "lock"), "utf8")) as { id: string };
    const dead = { ...JSON.parse(readFileSync(join(folder, "lock"), "utf8")), id: "another" };
    writeFileSync(join(folder, `gone-${id}`), JSON.stringify(dead));
    expect(await calls(folder)).toBe(0);
    expect(readdirSync(folder).filter((name) => /^(lock|gone)/.test(name))).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("that cannot write are denied, and leave nothing behind", async () => {
    const folder = fresh();
    await fileHistory(folder).reserve({ limits: [] });
    // A limit on the size of files fails a write as a full disk does.
    const limited = `trap '' XFSZ; ulimit -f 0; "$0" "$@" 2>/dev/null; echo $?`;
    const child = spawn("bash", ["-c", limited, process.execPath, script, "race", folder, "1", "25"]);
    expect(await outputOf(child)).toBe("1\n");
    expect(readdirSync(folder)).toEqual(["clock"]);
  });

  it("that stand still hold the lock, however long", async () => {
    const folder = fresh();
    const child = started("hold", folder);
    await said(child);
    child.kill("SIGSTOP");
    const waiting = fileHistory(folder, { wait: 300 });
    await expect(waiting.reserve({ limits: [two] })).rejects.toThrow(`process ${child.pid} holds the lock`);
    // Calls that come together wait together.
    const ended: string[] = [];
    const asked = (store: HistoryStore, name: string): Promise<unknown> =>
      expect(Promise.resolve(store.reserve({ limits: [two] })).finally(() => ended.push(name))).rejects.toThrow(
        "holds",
      );
    const patient = asked(fileHistory(folder, { wait: 3000 }), "patient");
    await Promise.all([patient, ...Array.from({ length: 40 }, () => asked(waiting, "one"))]);
    expect(ended.indexOf("patient")).toBe(40);
    child.kill("SIGCONT");
    child.stdin?.end();
    await outputOf(child);
    expect(await calls(folder)).toBe(0);
  });

  const owner = (of: object): string =>
    JSON.stringify({ id: "x", pid: process.pid, boot: "b", space: `${hostname()} `, ...of });
  it.each([
    ["of another start of the machine", owner({ boot: "another" }), true],
    ["that a loss of power left empty", "", true],
    ["of another machine", owner({ space: "elsewhere" }), false],
  ])("find a lock %s", async (_, text, isGone) => {
    const folder = fresh();
    await fileHistory(folder).reserve({ limits: [] });
    const here = await import("../../../runtime/node/process-lock.ts");
    const lock = await here.takeLock(folder, 100);
    const own = JSON.parse(readFileSync(join(folder, "lock"), "utf8")) as { space: string };
    lock.release();
    writeFileSync(join(folder, "lock"), text.replace(`${hostname()} `, own.space));
    const asked = fileHistory(folder, { wait: isGone ? 60_000 : 50 }).reserve({ limits: [two] });
    if (isGone) expect((await asked).facts.history["TWO"]?.calls).toBe(0);
    else await expect(asked).rejects.toThrow("holds the lock");
  });

  it("that were started with the number of a dead one do not hold its lock", async () => {
    const folder = fresh();
    await fileHistory(folder).reserve({ limits: [] });
    const here = await import("../../../runtime/node/process-lock.ts");
    const lock = await here.takeLock(folder, 100);
    const own = JSON.parse(readFileSync(join(folder, "lock"), "utf8")) as { started?: string };
    lock.release();
    if (own.started === undefined) return;
    writeFileSync(join(folder, "lock"), JSON.stringify({ ...own, started: "1" }));
    expect(await calls(folder)).toBe(0);
  });
});

it("the oracle's keys are names of files", () => {
  expect(keyOf({ id: "L", counts: () => true }, "w")).toMatch(/^[0-9a-f]{64}$/);
});
