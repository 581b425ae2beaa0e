/** Lines out of a stream: whole ones, no longer and no faster than they may be. */
import { PassThrough } from "node:stream";
import { LIMITS } from "../../../compiler/enforcement/gateway/index.ts";
import { Lines } from "../../../compiler/enforcement/gateway/lines.ts";
import { type Check, same } from "./check.ts";

export function lineChecks(): readonly Check[] {
  return [
    { what: "lines", run: cut },
    { what: "long lines", run: long },
    { what: "whose a line is that is too long", run: outer },
    { what: "full readers", run: full },
    { what: "fast lines", run: fast },
  ];
}

const FAST = 1e9;

function reading(messageBytes: number, messagesPerSecond = FAST, sinks = [new PassThrough()]) {
  const found: string[] = [];
  const dropped: number[] = [];
  const lines = new Lines({ ...LIMITS, messageBytes, messagesPerSecond }, sinks, () => dropped.push(found.length));
  lines.on("data", (line: Buffer) => found.push(line.toString()));
  return { lines, found, dropped };
}

async function soon(milliseconds = 0): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function cut(): Promise<void> {
  const text = "a\n\nbc\n\u00e9\nover0\nover12\nlast\nrest";
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 5, 100]) {
    const { lines, found, dropped } = reading(6);
    for (let at = 0; at < bytes.length; at += size) lines.write(bytes.subarray(at, at + size));
    lines.end();
    await soon();
    same(`lines from pieces of ${size}`, found.join("|"), "a\n|bc\n|\u00e9\n|over0\n|last\n");
    same("dropped", dropped, [4]);
  }
  const { lines, found, dropped } = reading(3);
  for (const piece of ["abcd", "efgh", "\nab", "\n"]) lines.write(piece);
  await soon();
  same("one complaint a line", [found, dropped], [["ab\n"], [0]]);
}

async function long(): Promise<void> {
  const whole = `${Array.from({ length: 9_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("")}\n`;
  for (const size of [1_000, 4_095, 4_096, 4_097, 20_000]) {
    const { lines, found, dropped } = reading(9_001);
    const bytes = Buffer.from(whole + whole);
    for (let at = 0; at < bytes.length; at += size) lines.write(bytes.subarray(at, at + size));
    await soon();
    same(
      `long lines from pieces of ${size}`,
      [found.length, found.every((one) => one === whole), dropped],
      [2, true, []],
    );
  }
  const { lines, found } = reading(9_001);
  lines.write(`${"x".repeat(9_001)}\n${"y".repeat(4_500)}\n`);
  await soon();
  same("a line after one that was too long", found, [`${"y".repeat(4_500)}\n`]);
}

/** Who asked is answered under the id that was asked, also where it came before the line was known to be too long. */
async function outer(): Promise<void> {
  const line = Buffer.from(`{"id":7,"method":"tools/call","params":{"text":"${"x".repeat(99)}"}}\n`);
  for (const size of [1, 9, 49, 200]) {
    const found: unknown[] = [];
    const limits = { ...LIMITS, messageBytes: 50, messagesPerSecond: FAST };
    const lines = new Lines(limits, [new PassThrough()], ({ id, asks }) => found.push([id, asks]));
    lines.resume();
    for (let at = 0; at < line.length; at += size) lines.write(line.subarray(at, at + size));
    await soon();
    same(`from pieces of ${size}`, found, [[7, true]]);
    lines.end(line.subarray(0, -1));
    await soon();
    same("and without an end", found.length, 2);
  }
}

async function full(): Promise<void> {
  const sinks = [new PassThrough(), new PassThrough({ highWaterMark: 1 })];
  const { lines, found } = reading(100, FAST, sinks);
  sinks[1]?.write("xx");
  lines.write("a\nb\n");
  await soon(5);
  same("nothing for a full reader", found, []);
  sinks[1]?.resume();
  await soon(5);
  same("all for one with room", found, ["a\n", "b\n"]);
  const unread = new Lines({ ...LIMITS, messagesPerSecond: FAST }, [], () => {});
  for (const piece of ["a\n", "b\n", "c\nd\n"]) unread.write(piece);
  await soon();
  same("one line ahead of who reads", unread.readableLength, 1);
  const alone: string[] = [];
  for (let line = unread.read(); line !== null; line = unread.read()) {
    alone.push(String(line));
    await soon();
  }
  same("lines are not joined", alone, ["a\n", "b\n", "c\n", "d\n"]);
  const gone = [new PassThrough({ highWaterMark: 1 })];
  const other = reading(100, FAST, gone);
  gone[0]?.write("xx");
  other.lines.write("a\n");
  await soon();
  gone[0]?.destroy();
  await soon(5);
  same("no waiting for one that is gone", other.found, ["a\n"]);
  const stuck = [new PassThrough({ highWaterMark: 1 })];
  stuck[0]?.write("xx");
  const ended = reading(100, FAST, stuck);
  ended.lines.write("a\nb\n");
  await soon();
  ended.lines.destroy();
  stuck[0]?.resume();
  await soon(5);
  same("nothing after its own end", ended.found, []);
  same(
    "there is no listener any more",
    ["drain", "close", "error"].map((event) => (stuck[0] as PassThrough).listenerCount(event)),
    [...[0, 0, 0]],
  );
}

async function fast(): Promise<void> {
  const { lines, found } = reading(100, 20);
  // A pause saves up no more than a burst.
  await soon(60);
  const begun = performance.now();
  lines.write("a\n".repeat(23));
  // Before any timer.
  await new Promise(setImmediate);
  const burst = found.length;
  if (performance.now() - begun < 40) same("a burst", burst, 20);
  while (found.length < 23 && performance.now() - begun < 2_000) await soon(5);
  const took = performance.now() - begun;
  same("the rest in its time", [found.length, took >= 140 && took < 1_000], [23, true]);
}
