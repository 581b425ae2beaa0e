/** Mutants of servers behind the gateway, of starts and of signatures that cannot be noticed, each with the reason. */
import { THROWS, TYPES } from "./reasons.ts";
import type { Survivor } from "./survivor.ts";

const TIME = "a time, which is not measured to the last part";
const ONCE = "a signal aborts once";
const NOT_YET = "what is below 200 is no answer yet: Node waits for the next";
const AGENT = "the agent decides whether TLS is spoken";
const GATEWAY = "enforcement/gateway";

export const upstreamSurvivors: readonly Survivor[] = [
  {
    file: `${GATEWAY}/spawn.ts`,
    operation: "off by one",
    written: "1",
    on: "const parent = lineage?.at(-1);",
    to: "(0)",
    reason: "a list without a last entry has no first one",
  },
  {
    file: `${GATEWAY}/spawn.ts`,
    operation: "conjunct dropped",
    written: "lineage === undefined || parent === undefined",
    to: "parent === undefined",
    reason: TYPES,
  },
  {
    file: `${GATEWAY}/spawn.ts`,
    operation: "off by one",
    written: "1000",
    to: "(1001)",
    reason: TIME,
  },
  {
    file: `${GATEWAY}/spawn.ts`,
    operation: "off by one",
    written: "1000",
    to: "(999)",
    reason: TIME,
  },
  {
    file: `${GATEWAY}/spawn.ts`,
    operation: "conjunct dropped",
    written: 'typeof args !== "object" || args === null || !Object.hasOwn(args, member)',
    to: 'typeof args !== "object" || args === null',
    reason: "what is read from JSON inherits no such member",
  },
  {
    file: `${GATEWAY}/sign-approval.ts`,
    operation: "condition is true",
    written: 'key.asymmetricKeyType === "ed25519"',
    reason: "for a key of a curve Node takes SHA-256 by itself",
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "other constant",
    written: "true",
    on: 'signal.addEventListener("abort", end, { once: true });',
    reason: "it is taken off in the end",
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "condition is false",
    written: "id === undefined",
    on: "const session = id === undefined ? undefined : sessions.get(String(id));",
    reason: "no session has the id `undefined`",
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "other constant",
    written: "false",
    on: "return Object.assign(Readable.from(text, { objectMode: false }), { statusCode, headers: {} });",
    reason: "bytes are the same pieces in both modes",
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "other constant",
    written: "true",
    on: 'signal.addEventListener("abort", () => stream.destroy(), { once: true });',
    reason: ONCE,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "condition is false",
    written: "this.endpoint === undefined",
    reason: THROWS,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "off by one",
    written: "0",
    on: 'const { statusCode = 0 } = told.on("error", () => {}).resume();',
    to: "(1)",
    reason: TYPES,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "off by one",
    written: "0",
    on: 'const { statusCode = 0 } = told.on("error", () => {}).resume();',
    to: "(-1)",
    reason: TYPES,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "conjunct dropped",
    written: "statusCode < 200 || statusCode >= 300",
    to: "statusCode >= 300",
    reason: NOT_YET,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "off by one",
    written: "200",
    on: "if (statusCode < 200 || statusCode >= 300) throw new Error(`its endpoint answers ${statusCode}`);",
    to: "(199)",
    reason: NOT_YET,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "condition is true",
    written: '"id" in message.value',
    reason: "a member that is not there is `undefined`",
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "conjunct dropped",
    written: "isAnswer && id !== undefined",
    to: "isAnswer",
    reason: TYPES,
  },
  {
    file: `${GATEWAY}/sse-upstream.ts`,
    operation: "conjunct dropped",
    written: "asked !== undefined && id !== undefined",
    to: "asked !== undefined",
    reason: TYPES,
  },
  {
    file: `${GATEWAY}/upstream.ts`,
    operation: "condition is false",
    written: "message === undefined",
    on: "const body = message === undefined ? undefined : JSON.stringify(message);",
    reason: "`JSON.stringify` gives `undefined` for it",
  },
  {
    file: `${GATEWAY}/upstream.ts`,
    operation: "condition is true",
    written: "isTls",
    on: "const asked: ClientRequest = (isTls ? tlsRequest : plainRequest)(at, options, (given) => {",
    reason: AGENT,
  },
  {
    file: `${GATEWAY}/upstream.ts`,
    operation: "condition is false",
    written: "isTls",
    on: "const asked: ClientRequest = (isTls ? tlsRequest : plainRequest)(at, options, (given) => {",
    reason: AGENT,
  },
  {
    file: `${GATEWAY}/upstream.ts`,
    operation: "other constant",
    written: "true",
    on: 'else signal.addEventListener("abort", abort, { once: true });',
    reason: ONCE,
  },
];
