/**
 * Three processes at one folder, killed and stopped in the middle of what they do, against what each wrote down: no window ever has more
 * than the limit, none holds back more than a bucket, nothing has succeeded that was not committed, and the folder is whole. A small number in `make test`;
 * `make fuzz WITH=files` makes 5,000 calls (`PORTCULLIS_HISTORY_CALLS`).
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fileHistory } from "../../../runtime/node/file-history.ts";
import { between, SEED } from "../../campaign.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { explained, type Line } from "./explained.ts";
import { type Allowed, held, window } from "./held.ts";
import { type NaiveLimit, NaiveLog } from "./naive-log.ts";
import { limitsOf } from "./traces.ts";

const CALLS = Number(process.env["PORTCULLIS_HISTORY_CALLS"] || between(300, 2000));
const PROCESSES = 3;
const UNIT = 300;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const top = mkdtempSync(join(tmpdir(), "portcullis-kills-"));
const script = join(top, "caller.mjs");
const running: ChildProcess[] = [];

beforeAll(async () => {
  await build({
    entryPoints: [join(root, "test/runtime/history/caller.ts")],
    ...{ outfile: script, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
    tsconfig: join(root, "tsconfig.json"),
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(top, { recursive: true, force: true });
});

it(`decide as a log of all calls does, within a bucket, in ${CALLS} calls with kills`, {
  timeout: 3_600_000,
}, async () => {
  const random = new Random(SEED);
  const [folder, log] = [join(top, "history"), join(top, "log.jsonl")];
  const output = openSync(log, "a");
  let [started, killed, broken] = [0, 0, 0];
  const dead = new Map<string, number>();
  const start = (): ChildProcess => {
    const own = String(SEED + ++started);
    const words = [script, folder, String(SEED), own, String(UNIT)];
    const child = spawn(process.execPath, words, { stdio: ["ignore", output, "inherit"] });
    // One that ends by itself was refused by the folder: something in it is not whole.
    child.once("exit", (code) => {
      broken += code === null ? 0 : 1;
      dead.set(own, Date.now());
    });
    return child;
  };
  const lines = (): readonly string[] => readFileSync(log, "utf8").split("\n").slice(0, -1);
  const asked = (): number => lines().filter((line) => line.includes('"kind":"asks"')).length;
  for (let n = 0; n < PROCESSES; n++) running.push(start());
  while (asked() < CALLS && broken === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100 + random.int(200)));
    const at = random.int(PROCESSES);
    const child = running[at] as ChildProcess;
    if (random.chance(0.7)) {
      child.kill("SIGKILL");
      killed++;
      running[at] = start();
    } else {
      child.kill("SIGSTOP");
      setTimeout(() => child.kill("SIGCONT"), 100 + random.int(300));
    }
  }
  await Promise.all(running.map(ended));
  closeSync(output);
  expect([broken, killed > 0]).toEqual([0, true]);
  const [limits, made] = [limitsOf(new Random(SEED), UNIT), lines().map((line) => JSON.parse(line) as Line)];
  const allowed = made.filter((line) => line.kind === "allowed");
  const { denied, heldBack, unknown, wrong } = explained(limits, made, dead);
  process.stderr.write(
    `${asked()} calls, ${allowed.length} let through, ${denied} denied, ${heldBack} of these by a bucket or a kill; ` +
      `${killed} kills, the fate of ${unknown} calls unknown\n`,
  );
  expect([allowed.length > CALLS / 50, denied > 0]).toEqual([true, true]);
  held(limits, allowed);
  ordered(made);
  expect([`seed ${SEED}`, wrong]).toEqual([`seed ${SEED}`, []]);
  // Whatever was left half done, the folder is read whole.
  expect((await fileHistory(folder).entries()).length).toBeGreaterThan(0);
});

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** Whether each call that may come only after another one has a success of that one above it. */
function ordered(lines: readonly Line[]): void {
  const reviewed = new Set<string>();
  for (const { kind, tool, who } of lines)
    if (tool === "review" && kind === "commits") reviewed.add(who);
    else if (tool === "publish" && kind === "allowed") expect([who, reviewed.has(who)]).toEqual([who, true]);
}

it("an allow without a success above it is seen", () => {
  const line = { own: "1", kind: "allowed", tool: "publish", of: 0, who: "w", now: 5 } as const;
  expect(() => ordered([line])).toThrow();
  expect(() => ordered([{ ...line, tool: "review" }, line])).toThrow();
  expect(() => ordered([{ ...line, tool: "review", kind: "commits" }, line])).not.toThrow();
});

it("the sliding window sees a call too many", () => {
  const limit: NaiveLimit = { id: "L", maxCalls: 1, within: 10, counts: () => true };
  const at = (now: number): Allowed => ({ tool: "t", of: 0, who: "w", now });
  expect(() => window(limit, [at(0), at(10)])).toThrow();
  expect(() => window(limit, [at(0), at(11)])).not.toThrow();
  expect(() =>
    window({ ...limit, maxCalls: 2, atMost: 5 }, [
      { ...at(0), of: 3 },
      { ...at(1), of: 3 },
    ]),
  ).toThrow();
  expect(new NaiveLog([limit]).excess(at(0), 0, 0)).toBeUndefined();
});

it("a denial without a reason is seen", () => {
  // A bucket is 10 milliseconds.
  const limits: NaiveLimit[] = [
    { id: "L", maxCalls: 1, within: 630, counts: (tool) => tool === "t" },
    { id: "AFTER", onlyAfter: { tool: "r", within: 100 }, counts: (tool) => tool === "p" },
  ];
  const call = (own: string, tool = "t"): { own: string; tool: string; of: number; who: string } => ({
    ...{ own, tool, of: 0, who: "w" },
  });
  const asks = (own: string, at: number, tool?: string): Line => ({ ...call(own, tool), kind: "asks", at });
  const allowed = (own: string, now: number, tool?: string): Line => ({ ...call(own, tool), kind: "allowed", now });
  const denied = (now: number, tool?: string): Line => ({ ...call("d", tool), kind: "denied", now });
  const wrong = (lines: readonly Line[], dead: readonly [string, number][] = []): number =>
    explained(limits, lines, new Map(dead)).wrong.length;
  expect(wrong([denied(5)])).toBe(1);
  expect(wrong([allowed("a", 5), denied(5)])).toBe(0);
  expect(wrong([allowed("a", 6), denied(5)])).toBe(1);
  expect(wrong([allowed("a", 5), denied(5 + 639)])).toBe(0);
  expect(wrong([allowed("a", 5), denied(5 + 640)])).toBe(1);
  // Given back, and killed before it was known.
  expect(wrong([{ ...call("a"), kind: "released", now: 5, end: 9 }, denied(9)])).toBe(0);
  expect(wrong([{ ...call("a"), kind: "released", now: 5, end: 9 }, denied(10)])).toBe(1);
  expect(wrong([asks("a", 5), denied(660)], [["a", 30]])).toBe(0);
  expect(wrong([asks("a", 5), denied(670)], [["a", 30]])).toBe(1);
  expect(wrong([asks("a", 5), denied(4)], [["a", 30]])).toBe(1);
  // A success is known once its process has gone on.
  const commits: Line = { ...call("a", "r"), kind: "commits", now: 5 };
  expect(wrong([allowed("a", 5, "r"), commits, denied(20, "p")])).toBe(0);
  expect(wrong([allowed("a", 5, "r"), commits, asks("a", 10), denied(20, "p")])).toBe(1);
  expect(wrong([allowed("a", 5, "r"), commits, asks("a", 30), denied(20, "p")])).toBe(0);
  expect(wrong([allowed("a", 5, "r"), commits, asks("a", 10), denied(106, "p")])).toBe(0);
});
