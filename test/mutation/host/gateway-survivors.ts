/** Of the gateway, what nobody can notice, each with the reason. */
import type { Survivor } from "./survivor.ts";

const LIMIT = "a limit, which nobody waits for to the last millisecond or byte";
const PIECES = "pieces may be of any size";
const TYPES = "the other half says so already; the type wants it asked";
const LATE = "what is pushed after the end of a stream goes nowhere";

export const gatewaySurvivors: readonly Survivor[] = [
  {
    file: "gateway/hook.ts",
    operation: "conjunct dropped",
    written: '"approval" in decision && decision.approval === "required"',
    to: 'decision.approval === "required"',
    reason: TYPES,
  },
  { file: "gateway/lines.ts", operation: "off by one", written: "4096", reason: PIECES },
  {
    file: "gateway/lines.ts",
    operation: "conjunct dropped",
    written: "end >= 0 && !this.destroyed",
    to: "end >= 0",
    reason: LATE,
  },
  {
    file: "gateway/lines.ts",
    operation: "other operator",
    written: ">",
    on: "if (length > this.line.length) {",
    to: ">=",
    reason: PIECES,
  },
  {
    file: "gateway/lines.ts",
    operation: "off by one",
    written: "2",
    on: "const longer = Buffer.allocUnsafe(Math.max(length, this.line.length * 2));",
    reason: PIECES,
  },
  { file: "gateway/lines.ts", operation: "off by one", written: "1000", reason: LIMIT },
  {
    file: "gateway/lines.ts",
    operation: "other operator",
    written: "<",
    on: "if (this.tokens < 0) await after((-this.tokens / messagesPerSecond) * 1000);",
    to: "<=",
    reason: "who has to wait for nothing does not wait",
  },
  {
    file: "gateway/lines.ts",
    operation: "conjunct dropped",
    written: "sink.writableNeedDrain && !this.destroyed",
    to: "sink.writableNeedDrain",
    reason: LATE,
  },
  { file: "gateway/log.ts", operation: "off by one", written: "1e9", reason: LIMIT },
  {
    file: "gateway/log.ts",
    operation: "off by one",
    written: "0",
    on: "let second = 0;",
    reason: "the first line begins a second of its own",
  },
  {
    file: "gateway/log.ts",
    operation: "off by one",
    written: "0",
    on: "let count = 0;",
    reason: "the first line begins a second of its own",
  },
  {
    file: "gateway/log.ts",
    operation: "off by one",
    written: "1000",
    on: "const now = Math.floor(performance.now() / 1000);",
    to: "(999)",
    reason: LIMIT,
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: "message.id !== undefined && this.asked.delete(message.id)",
    to: "this.asked.delete(message.id)",
    reason: TYPES,
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: 'params === undefined || typeof name !== "string"',
    to: 'typeof name !== "string"',
    reason: TYPES,
  },
  { file: "gateway/relay.ts", operation: "condition is false", written: "message.id === undefined", reason: TYPES },
  {
    file: "gateway/relay.ts",
    operation: "condition is true",
    written: "this.open.size === 0",
    reason: "asked again before anybody is told",
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: '!("method" in message) && message.id !== undefined && "result" in message',
    to: '"result" in message',
    reason: "a message with a result has an id and no method",
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: '!("method" in message) && message.id !== undefined',
    reason: "a message with a result has an id and no method",
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: 'typeof tool === "object" && tool !== null && "name" in tool',
    to: 'typeof tool === "object" && tool !== null',
    reason: TYPES,
  },
  { file: "gateway/tool-map.ts", operation: "condition is false", written: "root === undefined", reason: TYPES },
  {
    file: "gateway/tool-map.ts",
    operation: "conjunct dropped",
    written: 'members === undefined || tool?.kind !== "String"',
    to: 'tool?.kind !== "String"',
    reason: TYPES,
  },
  {
    file: "gateway/tool-map.ts",
    operation: "condition is false",
    written: "span === undefined",
    reason: "a text without an error has a root, and that a span",
  },
  {
    file: "gateway/verdicts.ts",
    operation: "condition is false",
    written: "lineage === undefined",
    reason: "an absent member and one that is `undefined` are the same to the guard",
  },
];
