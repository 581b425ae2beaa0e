import { type HostBuiltin, HostNumber, type JsonLike, openSession, toText } from "@portcullis/runtime/host";
import { describe, expect, it } from "vitest";
import { random } from "../../../runtime/builtins/random/index.ts";
import { time } from "../../../runtime/builtins/time/index.ts";
import { builtinsOf } from "./recorded.ts";

describe("time and chance", () => {
  it("answer the same within an evaluation and afresh in the next", () => {
    let tick = 0n;
    let byte = 0;
    const { sources, beginEvaluation } = openSession({
      now: () => tick++,
      random: (n) => new Uint8Array(n).map(() => byte++),
    });
    const builtins = { ...time(sources), ...random(sources) };
    const ask = (name: string, ...args: JsonLike[]) => toText((builtins[name] as HostBuiltin)(args) as JsonLike);
    const first = [ask("time.now_ns"), ask("uuid.rfc4122", "k"), ask("rand.intn", "k", new HostNumber("1000000"))];
    expect([ask("time.now_ns"), ask("uuid.rfc4122", "k"), ask("rand.intn", "k", new HostNumber("1000000"))]).toEqual(
      first,
    );
    expect(ask("uuid.rfc4122", "other")).not.toBe(first[1]);
    beginEvaluation();
    expect(ask("time.now_ns")).toBe("1");
    expect(ask("uuid.rfc4122", "k")).not.toBe(first[1]);
  });

  it("keep every digit of the time", () => {
    const now = builtinsOf(time, { now: () => 1_234_567_890_123_456_789n })["time.now_ns"] as HostBuiltin;
    expect(toText(now([]) as JsonLike)).toBe("1234567890123456789");
  });

  it.each([["10"], ["-10"], ["1"], ["0"]])(
    "draws integers below |%s|, and gives up on a source that does not vary",
    (limit) => {
      const source = (byte: number) => ({ random: (n: number) => new Uint8Array(n).fill(byte) });
      const draw = builtinsOf(random, source(170))["rand.intn"] as HostBuiltin;
      const drawn = Number((draw(["k", new HostNumber(limit)]) as HostNumber).text);
      expect(drawn).toBeGreaterThanOrEqual(0);
      expect(drawn).toBeLessThan(Math.max(1, Math.abs(Number(limit))));
      const stuck = builtinsOf(random, source(255))["rand.intn"] as HostBuiltin;
      expect(stuck(["k", new HostNumber("7")])).toBeUndefined();
    },
  );
});
