/** Decisions of a log are read as they were asked: every digit, every answer of a source, or why they cannot be asked again. */

import { loggedDecisions } from "@portcullis/runtime";
import { fromJson } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEED } from "../../campaign.ts";

const event = (members: object): object => ({ path: "a/b", ...members });
const only = (line: string) => {
  const [decision, ...more] = loggedDecisions(line);
  expect(more).toEqual([]);
  return decision as { input?: string; result?: unknown; problem?: string; answers?: ReadonlyMap<string, unknown> };
};

describe("loggedDecisions", () => {
  it("reads request, answer, revision and time", () => {
    const bundles = { app: { revision: "r1" } };
    const line = JSON.stringify(event({ bundles, input: { a: 1 }, timestamp: "2026-01-01T00:00:00Z", result: true }));
    expect(only(line)).toEqual({
      ...{ entrypoint: "a/b", input: '{"a":1}', result: true, answers: new Map() },
      ...{ revision: "r1", timestamp: "2026-01-01T00:00:00Z" },
    });
  });

  it.each([
    ["a number beyond a double", '{"n":12345678901234567890}'],
    ["a fraction that is written out", '{"n":1.0}'],
    ["an exponent", '{"n":1e400}'],
    ["minus zero", '{"n":-0}'],
    ["halves of a pair", '{"\\ud800":1,"\\ud801":2}'],
    ["a member called __proto__", '{"__proto__":{"role":"ADMIN"}}'],
    ["a member called input", '{"input":{"n":1},"n":12345678901234567890}'],
  ])("loses nothing of %s", (_, input) => {
    expect(only(`{"path":"a/b","input":${input},"result":false}`).input).toBe(input);
  });

  it("has the text of any request, however the line is laid out", () => {
    const check = (input: unknown, space: number | undefined): void => {
      const line = JSON.stringify(event({ input, result: { allowed: false } }), null, space).replaceAll("\n", " ");
      const found = only(line).input as string;
      expect(JSON.parse(found)).toEqual(JSON.parse(JSON.stringify(input)));
      expect(loggedDecisions(`[${line},${line}]`)).toEqual([only(line), only(line)]);
    };
    fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), check), { seed: SEED, numRuns: 300 });
  });

  it("has what sources answered, every digit", () => {
    const cache = '{"time.now_ns":{"[]":1764115200000000001}}';
    const { answers } = only(`{"path":"a/b","input":{},"nd_builtin_cache":${cache}}`);
    expect(answers).toEqual(new Map([["time.now_ns []", fromJson("1764115200000000001")]]));
    expect(answers).not.toEqual(new Map([["time.now_ns []", fromJson("1764115200000000000")]]));
  });

  it.each([
    ["its request was erased or masked", { input: {}, erased: ["/input/secret"] }],
    ["its request was erased or masked", { erased: ["/input"], unrecorded: ["/input"] }],
    ["its request was erased or masked", { input: {}, masked: ["/input/secret"] }],
    ["has answers of its sources that cannot be read", { input: {}, nd_builtin_cache: [] }],
    ["names no entrypoint", { path: 5, input: {} }],
  ])("says: %s", (problem, members) => {
    expect(only(JSON.stringify(event({ ...members, result: false })))).toMatchObject({ problem });
  });

  it("asks again where what is missing was read by no gate", () => {
    const members = { input: { role: "A" }, erased: ["/input/x"], unrecorded: ["/input/x"], result: false };
    expect(only(JSON.stringify(event(members))).input).toBe('{"role":"A"}');
  });

  it.each([
    ["", []],
    ["  ", []],
    ['{"checkpoint":{}}', []],
    ['{"dropped":3}', []],
    ["[]", []],
  ])("has none in %j", (line, none) => {
    expect(loggedDecisions(line)).toEqual(none);
  });

  it.each([
    ["a fraction that is written out", '{"n":1.0}'],
    ["minus zero", '{"n":-0}'],
    ["members in any order", '{"b":1,"1":2,"a":3}'],
  ])("loses nothing in a list of %s, beside events that lose nothing", (_, input) => {
    const other = '{"path":"a/b","input":{"n":1},"result":false}';
    const line = `[${other},{"path":"a/b","input":${input},"result":false},${other}]`;
    const [first, found, last] = loggedDecisions(line);
    expect(found).toEqual(loggedDecisions(`{"path":"a/b","input":${input},"result":false}`)[0]);
    expect([first, last]).toMatchObject([{ input: '{"n":1}' }, { input: '{"n":1}' }]);
  });

  it.each([
    ["an event", '{"path":"a/b","input":', ',"result":false}'],
    ["a list", '[{"path":"a/b","input":', ',"result":false}]'],
    ["lists alone", "", ""],
  ])("never throws: %s, deeper than any stack", (_, before, after) => {
    const line = `${before}${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}${after}`;
    expect(loggedDecisions(line)).toEqual([{ problem: expect.stringMatching(/is no JSON|nests too deep/) }]);
  });

  it.each([
    ["a key of the request", '{"path":"a/b","input":{"a":1,"a":2},"result":true}'],
    ["the request", '{"path":"a/b","input":{"a":1},"input":{"a":2},"result":true}'],
    ["the answer", '{"path":"a/b","input":{"a":1},"result":false,"result":true}'],
    ["the entrypoint", '{"path":"a/b","path":"a/c","input":{},"result":true}'],
    ["the answer, in a list", '[{"path":"a/b","input":{},"result":false,"result":true}]'],
    ["a key of a request that labels have alike", '{"path":"a/b","labels":{"input":{"a":2}},"input": {"a":1,"a":2}}'],
  ])("takes neither of two readings where what stands twice is %s", (_, line) => {
    expect(loggedDecisions(line)).toEqual([{ problem: expect.stringContaining("a key stands twice") }]);
  });

  it("has none of checkpoints and counts in a list, and says what else is no event", () => {
    const list = [{ checkpoint: {} }, event({ input: 1 }), [event({ input: 2 })], { dropped: 3 }, null];
    expect(loggedDecisions(JSON.stringify(list))).toMatchObject([
      { input: "1" },
      { problem: "is no decision event" },
      { problem: "is no decision event" },
    ]);
  });

  it("reads all events of a list", () => {
    const list = [event({ input: 1 }), 5, event({ input: 2 })];
    expect(loggedDecisions(JSON.stringify(list))).toMatchObject([
      { input: "1" },
      { problem: "is no decision event" },
      { input: "2" },
    ]);
  });
});
