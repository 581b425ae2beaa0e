/** Events of a stream: the same whatever pieces they come in, and none too long. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventReader, type ServerEvent, writtenEvent } from "../../../compiler/enforcement/gateway/event-stream.ts";

function read(text: string, sizes: readonly number[] = [1_000], most = 1_000): ServerEvent[] {
  const reader = new EventReader(most);
  const bytes = Buffer.from(text);
  const events: ServerEvent[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    events.push(...reader.read(bytes.subarray(at, at + size)));
    at += size;
  }
  return events;
}

describe("events", () => {
  it.each([
    ["data: a\n\n", [{ event: "message", data: "a" }]],
    ["data:a\ndata: b\n\n", [{ event: "message", data: "a\nb" }]],
    ["event: x\rid: 7\rretry: 5\rdata: é\r\r", [{ event: "x", id: "7", retry: "5", data: "é" }]],
    [": a comment\r\n\r\ndata\r\n\r\n", [{ event: "message", data: "" }]],
    ["id: 1\ndata:\n\n", [{ event: "message", id: "1", data: "" }]],
    ["\ufeffdata: a\n\n\n", [{ event: "message", data: "a" }]],
    ["data: never ended\n", []],
  ])("of %j", (text, events) => {
    expect(read(text)).toEqual(events);
  });

  it("are those of the text, whatever its pieces", () => {
    const line = fc.constantFrom("data: a", "data: é", "data:", "id: 1", "event: e", ": c", "");
    const text = fc
      .array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 20 })
      .map((lines) => lines.flat().join(""));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), (whole, sizes) => {
        // A carriage return at the end of one line and a line feed at the start of the next are one end.
        expect(read(whole, sizes)).toEqual(read(whole));
      }),
      { numRuns: 300 },
    );
  });

  it("are held to their length, in one piece and in many", () => {
    expect(read(`data: ${"x".repeat(94)}\n\n`, [7], 100)).toHaveLength(1);
    for (const sizes of [[7], [1_000]]) {
      expect(() => read(`data: ${"x".repeat(95)}\n\n`, sizes, 100)).toThrow("an event over 100 characters");
      expect(() => read("data: xxxx\n".repeat(11), sizes, 100)).toThrow("an event over 100 characters");
      expect(read("data: xxxx\n\n".repeat(50), sizes, 100)).toHaveLength(50);
    }
  });

  it("are read again as they are written", () => {
    for (const event of [
      { event: "message", data: '{"a":1}' },
      { event: "message", id: "7", retry: "5", data: '{"a":1}' },
      { event: "message", id: "7", data: "" },
    ])
      expect(read(writtenEvent(event))).toEqual([event]);
    expect(writtenEvent({ event: "x" })).toBe("");
  });
});
