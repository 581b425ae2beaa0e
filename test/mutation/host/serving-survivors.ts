/** Mutants of what serves that no request can tell apart. */
import type { Survivor } from "./survivor.ts";

const CALLS = "enforcement/serving/call-history.ts";
const TEXT = "enforcement/serving/member-text.ts";
const TYPES = "only the type needs it: what is asked next takes any value";
const BRACKET = "no part begins, and no value, at the first character: that is the bracket";
const NOWHERE = "every place below 0 means between parts";
const SET = "set where the first bracket, or a colon, is met";

const offByOne = (on: string, written: string, ...to: readonly string[]): readonly Survivor[] =>
  to.map((one) => ({ file: TEXT, operation: "off by one", written, on, to: one, reason: NOWHERE }));

export const servingSurvivors: readonly Survivor[] = [
  {
    file: CALLS,
    operation: "conjunct dropped",
    written: "approvals === undefined || isReadAlike(input)",
    to: "isReadAlike(input)",
    reason: "limits count such a call all the same: it saves reading the text again",
  },
  { file: CALLS, operation: "condition is true", written: 'typeof session === "string"', reason: TYPES },
  {
    file: CALLS,
    operation: "conjunct dropped",
    written: "isJsonObject(value) && problem !== undefined",
    to: "problem !== undefined",
    reason: "a problem is found in an object alone; the type wants it asked",
  },
  { file: CALLS, operation: "condition is true", written: "isJsonObject(why)", reason: TYPES },
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
