/** Messages between clients and servers: which text is one, what is decided of it, and in which events it comes. */
import { PassThrough } from "node:stream";
import { LineChannel } from "../../../compiler/enforcement/gateway/channel.ts";
import { EventReader, type ServerEvent, writtenEvent } from "../../../compiler/enforcement/gateway/event-stream.ts";
import * as messages from "../../../compiler/enforcement/gateway/messages.ts";
import { approvalChecks } from "./approvals.ts";
import { type Check, same } from "./check.ts";
import { offerChecks } from "./offers.ts";
import { relayChecks } from "./relays.ts";
import { rulingChecks } from "./rulings.ts";

export function checks(): readonly Check[] {
  return [
    { what: "texts of messages", run: texts },
    { what: "ids", run: ids },
    { what: "codes", run: codes },
    { what: "lines", run: lines },
    { what: "events", run: events },
    { what: "pieces of events", run: pieces },
    { what: "long events", run: longEvents },
    { what: "written events", run: written },
    ...offerChecks(),
    ...rulingChecks(),
    ...relayChecks(),
    ...approvalChecks(),
  ];
}

const { readMessage } = messages;
const NO_MEMBERS = "its members are not those of a message";
const NO_MESSAGE = "no message of JSON-RPC 2.0";
/** What a text is read as: itself, or why it is no message. */
function read(value: unknown): unknown {
  const found = readMessage(typeof value === "string" ? value : JSON.stringify(value));
  return found.ok ? found.value : found.problem.message;
}

function texts(): void {
  const error = { code: 1, message: "m" };
  for (const members of [
    { id: 1, method: "a" },
    { id: "1", method: "a", params: {} },
    { method: "a", params: { b: [1] } },
    { method: "" },
    { id: 1, result: {} },
    { id: 1, error },
    { id: "", error: { ...error, data: [1], more: 1 } },
    { error },
  ])
    same(JSON.stringify(members), read({ jsonrpc: "2.0", ...members }), { jsonrpc: "2.0", ...members });
  for (const members of [
    { id: 1 },
    {},
    { id: 1, method: 7 },
    { id: 1, method: null },
    { id: 1, method: "a", result: {} },
    { id: 1, method: "a", error },
    { id: 1, method: "a", other: 1 },
    { id: 1, method: "a", Params: {} },
    { id: 1, method: "a", params: [] },
    { id: 1, method: "a", params: null },
    { id: 1, method: "a", params: "p" },
    ...[null, 1.5, true, {}, [1], 2 ** 53, 1e300].flatMap((id) => [
      { id, method: "a" },
      { id, result: {} },
      { id, error },
    ]),
    { id: 1, result: {}, other: 1 },
    { id: 1, result: {}, error },
    { id: 1, result: [] },
    { id: 1, result: null },
    { id: 1, result: "r" },
    { result: {} },
    { id: 1, error, other: 1 },
    { id: 1, error: { code: 1 } },
    { id: 1, error: { code: 1, message: 7 } },
    { id: 1, error: { code: 1.5, message: "m" } },
    { id: 1, error: { code: "1", message: "m" } },
    { id: 1, error: { message: "m" } },
    { id: 1, error: [] },
    { id: 1, error: null },
    { id: 1, error: "e" },
  ])
    same(JSON.stringify(members), read({ jsonrpc: "2.0", ...members }), NO_MEMBERS);
  same("an inherited method", read('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"a"}}'), NO_MEMBERS);
  same("a member that stands twice", read('{"jsonrpc":"2.0","method":"a","method":"b"}'), {
    jsonrpc: "2.0",
    method: "b",
  });
  for (const value of [
    [],
    [{ jsonrpc: "2.0", id: 1, method: "a" }],
    null,
    7,
    "a",
    { id: 1, method: "a" },
    { jsonrpc: 2, id: 1, method: "a" },
    { jsonrpc: "2", id: 1, method: "a" },
  ])
    same(JSON.stringify(value), read(JSON.stringify(value)), NO_MESSAGE);
  for (const text of ["", "{", '{"jsonrpc":"2.0","method":"a"}x']) {
    const found = readMessage(text);
    same(text, !found.ok && [found.problem.code, found.problem.message.includes("JSON")], ["not-a-message", true]);
  }
}

function ids(): void {
  const question = { jsonrpc: "2.0", id: 0, method: "a" } as const;
  same("a request", messages.isRequest(question), true);
  same("a notification", messages.isRequest({ jsonrpc: "2.0", method: "a" }), false);
  same("an answer", messages.isRequest({ jsonrpc: "2.0", id: 1, result: {} }), false);
  for (const [id, expected] of [
    [0, true],
    ["", true],
    [-1, true],
    [2 ** 53 - 1, true],
    [2 ** 53, false],
    [0.5, false],
    [null, false],
    [undefined, false],
    [{}, false],
  ] as const)
    same(`the id ${id}`, messages.isId(id), expected);
  same("an error", messages.failed("a", 7, "m"), { jsonrpc: "2.0", id: "a", error: { code: 7, message: "m" } });
}

/** JSON-RPC 2.0, 5.1, and the protocol's own. */
function codes(): void {
  const { PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR } = messages;
  same(
    "of JSON-RPC",
    [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR],
    [-32_700, -32_600, -32_601, -32_602, -32_603],
  );
  const { CONNECTION_CLOSED, REQUEST_TIMEOUT, HEADER_MISMATCH } = messages;
  same("of the protocol", [CONNECTION_CLOSED, REQUEST_TIMEOUT, HEADER_MISMATCH], [-32_000, -32_001, -32_020]);
}

async function lines(): Promise<void> {
  const [input, output] = [new PassThrough({ objectMode: true }), new PassThrough()];
  const channel = new LineChannel(input, output);
  const heard: unknown[] = [];
  channel.start(
    (message) => heard.push(message),
    (problem) => heard.push(problem),
  );
  const message = { jsonrpc: "2.0", method: "\u00e9" } as const;
  input.write(Buffer.from(JSON.stringify(message)));
  input.write(Buffer.from("[]"));
  channel.send(message);
  await new Promise((resolve) => setImmediate(resolve));
  input.destroy(new Error("broken"));
  await new Promise((resolve) => setImmediate(resolve));
  same("heard", heard, [message, NO_MESSAGE, "broken"]);
  same("sent", String(output.read()), `${JSON.stringify(message)}\n`);
}

function eventsOf(text: string, size = 1_000, most = 1_000): ServerEvent[] {
  const reader = new EventReader(most);
  const bytes = Buffer.from(text);
  const found: ServerEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...reader.read(bytes.subarray(at, at + size)));
  return found;
}

const EVENTS: readonly (readonly [text: string, events: readonly ServerEvent[]])[] = [
  ["data: a\n\n", [{ event: "message", data: "a" }]],
  ["data: a\n\ndata: b\n\n", ["a", "b"].map((data) => ({ event: "message", data }))],
  ["data:a\ndata:  b\n\n", [{ event: "message", data: "a\n b" }]],
  [
    "event: x\rid: 7\rretry: 5\rdata: \u00e9:\r\rdata: b\r\r",
    [
      { event: "x", id: "7", retry: "5", data: "\u00e9:" },
      { event: "message", data: "b" },
    ],
  ],
  [": a comment\r\n\r\ndata\r\n\r\n", [{ event: "message", data: "" }]],
  ["event:\nid: 1\nid: 2\ndata:\n\n", [{ event: "message", id: "2", data: "" }]],
  ["data b\nevent: x\n\n", [{ event: "x" }]],
  ["\ufeffdata: a\n\n\n\n", [{ event: "message", data: "a" }]],
  ["data: a\r\ndata: b\r\n\r\n", [{ event: "message", data: "a\nb" }]],
  ["data: a\r\n\ndata: b\n\n", ["a", "b"].map((data) => ({ event: "message", data }))],
  ["data: never ended\n", []],
];

function events(): void {
  for (const [text, expected] of EVENTS) same(JSON.stringify(text), eventsOf(text), expected);
}

function pieces(): void {
  for (const [text, expected] of EVENTS)
    for (const size of [1, 2, 3, 7]) same(`${JSON.stringify(text)} by ${size}`, eventsOf(text, size), expected);
  const reader = new EventReader(100);
  const found = ["data: a\r", "\ndata: b\r", "", "\n", "", "data: c\n", "\n"].flatMap((piece) =>
    reader.read(Buffer.from(piece)),
  );
  same("halves of ends", found, [{ event: "message", data: "a\nb\nc" }]);
  same("a line feed at a start", eventsOf("\ndata: a\n\n"), [{ event: "message", data: "a" }]);
}

/** An event has as many characters as its lines have, comments too; those of the line that has not ended count. */
function longEvents(): void {
  const isTaken = (text: string, size: number, most: number): boolean => {
    try {
      return eventsOf(text, size, most).length >= 0;
    } catch (error) {
      same("words", (error as Error).message, `an event over ${most} characters`);
      return false;
    }
  };
  for (const [text, most] of [
    ["data: abc", 9],
    ["data: abc\n", 9],
    ["data: a\ndata: b\n\n", 14],
    ["data: a\n: xyz", 12],
    ["data: a\n\ndata: ab\n\n", 8],
    ["\n\n\n", 0],
  ] as const)
    for (const size of [1, 100])
      same(
        `${JSON.stringify(text)} by ${size}`,
        [isTaken(text, size, most), most > 0 && isTaken(text, size, most - 1)],
        [true, false],
      );
}

function written(): void {
  for (const [event, text] of [
    [{ event: "message", data: "a" }, "event: message\ndata: a\n\n"],
    [{ event: "x", id: "7", retry: "5", data: "a" }, "event: x\nid: 7\nretry: 5\ndata: a\n\n"],
    [{ event: "message", id: "1", data: "" }, "id: 1\ndata: \n\n"],
    [{ event: "message", retry: "1" }, "retry: 1\n\n"],
    [{ event: "message", data: "" }, "data: \n\n"],
    [{ event: "message" }, ""],
  ] as const)
    same(JSON.stringify(event), writtenEvent(event), text);
}
