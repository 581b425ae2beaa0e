/** Mutants of what serves that no request can tell apart. */
import type { Survivor } from "./survivor.ts";

const CALLS = "enforcement/serving/call-history.ts";
const TEXT = "enforcement/serving/member-text.ts";
const TYPES = "only the type needs it: what is asked next takes any value";
const SERVER = "enforcement/serving/server.ts";
const GRPC = "enforcement/serving/ext-authz-grpc.ts";
const BODY = "enforcement/serving/request-body.ts";
const PACKAGES = "one === undefined || two === undefined";
const TIME = "a time, of which no answer tells how long it was";
const CONNECTIONS = "enforcement/http/connections.ts";
const BRACKET = "no part begins, and no value, at the first character: that is the bracket";
const NOWHERE = "every place below 0 means between parts";
const SET = "set where the first bracket, or a colon, is met";

const offByOne = (on: string, written: string, ...to: readonly string[]): readonly Survivor[] =>
  to.map((one) => ({ file: TEXT, operation: "off by one", written, on, to: one, reason: NOWHERE }));

export const servingSurvivors: readonly Survivor[] = [
  {
    file: CONNECTIONS,
    operation: "condition is false",
    written: "socket.destroyed",
    reason: "what waits for its turn on a closed connection has none",
  },
  {
    file: CONNECTIONS,
    operation: "condition is true",
    written: "socket.writable",
    reason: "what cannot be written to fails to end, and is closed for that",
  },
  {
    file: CONNECTIONS,
    operation: "condition is false",
    written: "broken.has(socket as Socket)",
    reason: "a second error ends what the first one ends",
  },
  {
    file: CONNECTIONS,
    operation: "conjunct dropped",
    written: "socket.writable && end(socket)",
    to: "end(socket)",
    reason: "it closes at once what an answer ends, and only a slow client would lack a part of that answer",
  },
  {
    file: CALLS,
    operation: "conjunct dropped",
    written: "approvals === undefined || isReadAlike(input)",
    to: "isReadAlike(input)",
    reason: "limits count such a call all the same: it saves reading the text again",
  },
  { file: CALLS, operation: "condition is true", written: 'typeof session === "string"', reason: TYPES },
  { file: GRPC, operation: "off by one", written: "600_000", reason: TIME },
  {
    ...{ file: GRPC, operation: "other constant", written: "true", to: "false", reason: TIME },
    on: "const listener = createServer({ noDelay: true }, (socket) => {",
  },
  {
    ...{ file: GRPC, operation: "condition is false", written: "socket.destroyed" },
    reason: "a connection that is closed asks nothing",
  },
  ...["(5001)", "(4999)"].map((to) => ({ file: SERVER, operation: "off by one", written: "5000", to, reason: TIME })),
  ...["(3)", "(1)"].map((to) => ({
    ...{ file: SERVER, operation: "off by one", written: "2", to, on: "server.setTimeout(2 * options.requestMs);" },
    reason: TIME,
  })),
  ...["(16385)", "(16383)"].map((to) => ({
    ...{ file: SERVER, operation: "off by one", written: "16_384", to },
    reason: "what Node counts as a head's bytes is not said, and differs among its versions",
  })),
  {
    ...{ file: SERVER, operation: "off by one", written: "0", to: "(-1)", on: "server.maxHeadersCount = 0;" },
    reason: "Node bounds by neither",
  },
  {
    ...{ file: SERVER, operation: "condition is true" },
    written: '(error as { code?: unknown }).code === "ECONNREFUSED"',
    reason: "another error needs the socket of another user, or one of a kind that Node does not make",
  },
  {
    ...{ file: SERVER, operation: "condition is false", written: "!(error instanceof Refused)" },
    reason: "an error without an answer ends the connection one line later",
  },
  {
    ...{ file: SERVER, operation: "condition is false", written: 'request.method === "HEAD"' },
    reason: "Node leaves the body of such an answer out",
  },
  {
    ...{ file: SERVER, operation: "conjunct dropped", written: 'url.path.length === 1 && first === ""' },
    to: 'first === ""',
    reason: "a path of several segments begins with none that is empty: it was sent to its one spelling",
  },
  {
    ...{ file: GRPC, operation: "condition is true", written: 'typeof authorization === "string"' },
    reason: "only the type needs it: such a key has text",
  },
  { file: GRPC, operation: "condition is true", written: '"metadata" in answer', reason: "only the type needs it" },
  ...[
    ["condition is false", PACKAGES],
    ["other operator", "||"],
    ["conjunct dropped", PACKAGES],
  ].map(([operation = "", written = ""]) => ({
    ...{ file: GRPC, operation, written, on: `if (${PACKAGES})` },
    reason: "both packages are installed where it is asked",
  })),
  ...["(1)", "(-1)"].map((to) => ({
    ...{ file: BODY, operation: "off by one", written: "0", to },
    on: 'if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge(most);',
    reason: "a limit is 1 at least",
  })),
  { file: TEXT, operation: "other constant", written: "false", on: "let isObject = false;", reason: SET },
  ...offByOne("let start = -1;", "1", "(2)"),
  ...offByOne("let value = -1;", "1", "(2)"),
  ...offByOne("start = -1;", "1", "(2)"),
  ...offByOne("value = -1;", "1", "(2)", "(0)"),
  ...[
    ["other operator", "<", "<="],
    ["off by one", "0", "(-1)"],
  ].map(([operation = "", written = "", to = ""]) => ({
    ...{ file: TEXT, operation, written, to, on: "for (let at = 0; at < text.length; at++) {" },
    reason: "outside of the text nothing is met",
  })),
  ...[
    ["other operator", "<", "<="],
    ["off by one", "0", "(1)"],
  ].map(([operation = "", written = "", to = ""]) => ({
    ...{ file: TEXT, operation, written, to, on: "if (start < 0 && depth === 1 && !/[\\s,\\]}]/.test(c)) {" },
    reason: BRACKET,
  })),
  { file: TEXT, operation: "condition is true", written: "!isObject", reason: SET },
  ...[
    ["other operator", ">=", ">"],
    ["off by one", "0", "(1)"],
  ].map(([operation = "", written = "", to = ""]) => ({
    ...{ file: TEXT, operation, written, to },
    on: "if (value >= 0) parts.push({ name, text: text.slice(value, at).trim(), whole: text.slice(start, at) });",
    reason: BRACKET,
  })),
  {
    file: TEXT,
    operation: "conjunct dropped",
    written: "c === '\"' || c === undefined",
    to: "c === '\"'",
    reason: "the text is valid JSON: every string of it ends",
  },
];
