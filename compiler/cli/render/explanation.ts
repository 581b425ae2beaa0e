/** Prints why a decision came out as it did, and what would allow it. */

import {
  type Explanation,
  isTable,
  type Place,
  type Read,
  type Remedy,
  type Step,
  verdictOf,
} from "@portcullis/governance/review";
import { isJsonObject } from "@portcullis/rego/value";
import type { Terminal } from "../terminal.ts";

/** The shape of `--format json`. */
export function explanationReport(entrypoint: string, revision: string | undefined, explanation: Explanation): object {
  const { decision, decidedBy, steps, remedies } = explanation;
  const branches = steps.map(({ constants: _, reads, ...step }) => ({
    ...step,
    reads: toldReads(reads).map(({ path, value, document, keys }) => {
      if (document !== "data") return { path, value };
      const { places, data } = explanation;
      return { path, value, place: places.placeOf(keys), is_default: places.isDefault(keys, data) || undefined };
    }),
  }));
  const gates = branches.filter((s) => s.isGate);
  return { entrypoint, revision, decision, decided_by: decidedBy, gates, branches, what_would_allow: remedies };
}

/**
 * The gate that decided comes first, with what it expected and found, and the smallest change that allows; with `all`, every
 * gate and branch follows. Answers of rules without gates are told whole.
 */
export function printExplanation(terminal: Terminal, explanation: Explanation, all: boolean): void {
  const { steps, remedies } = explanation;
  const gates = steps.filter((s) => s.isGate);
  // Another way may allow what a gate on one denies.
  const denying = verdictOf(explanation.decision) === true ? [] : gates.filter((s) => s.status === "failed");
  if (gates.length === 0) printWhole(terminal, explanation);
  else if (denying.length === 0 || isOther(explanation.decision, denying)) printAnswer(terminal, explanation);
  for (const step of denying) printDenying(terminal, step, explanation);
  printAdvice(terminal, remedies.approval);
  printRemedies(terminal, "in the policy", all ? remedies.policy : remedies.policy.slice(0, 1));
  printRemedies(terminal, "in the request", all ? remedies.request : remedies.request.slice(0, 1));
  if (gates.length === 0) return;
  terminal.out("\n");
  if (all) return printWhole(terminal, explanation);
  const count = (status: Step["status"]): number => gates.filter((s) => s.status === status).length;
  const told = `${count("held")} gates held, ${count("not reached")} were not reached`;
  terminal.line(terminal.paint.dim(`${told}: \`--all\` shows each, what it read, and every change that would allow`));
}

/** Whether a decision names a gate that none of these steps has: what an extension answers may be unreadable. */
function isOther(decision: unknown, denying: readonly Step[]): boolean {
  const gate = isJsonObject(decision) ? decision["gate"] : undefined;
  return gate !== undefined && denying.every((step) => step.gate !== gate);
}

/** One line on an answer that no gate gave. */
function printAnswer(terminal: Terminal, { decision, decidedBy }: Explanation): void {
  const { gate, reason } = isJsonObject(decision) ? decision : {};
  const isAllowed = verdictOf(decision) === true;
  const word = isAllowed ? terminal.paint.green("allowed by") : terminal.paint.red("denied by");
  const at = decidedBy === undefined ? "" : `  ${terminal.paint.dim(decidedBy.location)}`;
  const what = gate === undefined ? (decidedBy?.rule ?? "no rule") : `${String(gate)} ${String(reason)}`;
  terminal.line(`${word} ${what}${at}`);
}

function printDenying(terminal: Terminal, step: Step, explanation: Explanation): void {
  const { red, dim } = terminal.paint;
  terminal.line(`${red("denied by")} ${labelled(terminal, step)}  ${dim(step.location)}`);
  if (step.says !== undefined) terminal.line(`  ${step.says}`);
  for (const { text, status } of step.conditions) if (status === "failed") terminal.line(`  expected  ${text}`);
  const reads = toldReads(step.reads);
  const isExpected = (read: Read): boolean => read.document === "data" && !isOfRule(read, explanation);
  for (const read of reads) if (isExpected(read)) terminal.line(`  expected  ${said(read, explanation)}`);
  for (const read of reads) if (!isExpected(read)) terminal.line(`  found     ${said(read, explanation)}`);
}

/** Whether a rule gave the value: no document holds it. */
function isOfRule({ keys, value }: Read, { data }: Explanation): boolean {
  const held = keys.reduce<unknown>((at, key) => (at as { readonly [key: string]: unknown } | undefined)?.[key], data);
  return value !== undefined && held === undefined;
}

/** The answer, the rule that gave it, and each step: gates and other branches. */
function printWhole(terminal: Terminal, explanation: Explanation): void {
  const { decision, decidedBy, steps } = explanation;
  const { bold, dim } = terminal.paint;
  terminal.out(`${decision === undefined ? "undefined" : JSON.stringify(decision, null, 2)}\n\n`);
  const by =
    decidedBy === undefined ? "no rule: none of its branches has a value" : `${decidedBy.location} (${decidedBy.rule})`;
  terminal.line(`${bold("decided by")} ${by}`);
  terminal.out("\n");
  for (const step of steps) {
    terminal.line(`${painted(terminal, step)} ${labelled(terminal, step)}  ${dim(step.location)}`);
    if (step.says !== undefined) terminal.line(`              ${step.says}`);
    if (step.status !== "not reached") {
      for (const { text, status } of step.conditions) terminal.line(`              ${conditionMark(status)} ${text}`);
    }
    for (const read of toldReads(step.reads)) terminal.line(dim(`              ${said(read, explanation)}`));
  }
}

function printAdvice(terminal: Terminal, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  terminal.out("\n");
  terminal.line(`${terminal.paint.bold("its approval")}`);
  for (const sentence of sentences) terminal.line(`  ${sentence}`);
}

function printRemedies(terminal: Terminal, where: string, remedies: readonly Remedy[]): void {
  if (remedies.length === 0) return;
  terminal.out("\n");
  terminal.line(`${terminal.paint.bold("what would allow it")}, ${where}${remedies.length > 1 ? ", one of" : ""}`);
  for (const { changes } of remedies)
    changes.forEach(({ text, place }, i) => {
      terminal.line(
        `  ${i === 0 ? "-" : "  and"} ${text}${place === undefined ? "" : `  ${terminal.paint.dim(placeText(place))}`}`,
      );
    });
}

/** Without a whole table where its rows are told, and without a row that is there where its fields are. */
function toldReads(reads: readonly Read[]): readonly Read[] {
  const isWhole = ({ keys, value }: Read): boolean =>
    isTable(keys) || (isTable(keys.slice(0, -1)) && value !== undefined);
  return reads.filter((read) => !reads.some((r) => r !== read && isWhole(read) && isBelow(r.keys, read.keys)));
}

function isBelow(keys: Read["keys"], above: Read["keys"]): boolean {
  return keys.length > above.length && above.every((key, i) => key === keys[i]);
}

/** The author's field at its place; what is not the author's, by its path. */
function said(read: Read, { places, data }: Explanation): string {
  const place = read.document === "data" ? places.placeOf(read.keys) : undefined;
  const isAuthors = read.document === "data" && read.keys[0] === "portcullis" && read.keys[1] === "policy";
  if (!isAuthors) return shown(read);
  return `${place === undefined ? "" : `${placeText(place)}  `}${places.sentenceOf(read.keys, data)}`;
}

function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

function labelled(terminal: Terminal, { gate, reason, text, status }: Step): string {
  if (gate === undefined) return text;
  const why = reason === undefined ? "" : ` ${status === "failed" ? reason : terminal.paint.dim(`(${reason})`)}`;
  return `${gate}${why}`;
}

function painted(terminal: Terminal, { status, isGate }: Step): string {
  const { red, green, dim } = terminal.paint;
  const word = (!isGate ? { held: "gave", failed: "passed by" } : { held: "held", failed: "FAILED" })[
    status as "held" | "failed"
  ];
  const padded = (word ?? "not reached").padEnd(12);
  if (status === "not reached") return dim(padded);
  return status === "held" ? green(padded) : isGate ? red(padded) : padded;
}

function conditionMark(status: Step["status"]): string {
  return { held: "holds:         ", failed: "does not hold: ", "not reached": "not asked:     " }[status];
}

/** How long a value may be in a line. */
const LINE = 90;
const MOST_MEMBERS = 6;

/** Values as they fit into a line; of an object that does not, the names of its members. */
function shown({ path, value }: Read): string {
  if (value === undefined) return `${path} is undefined`;
  const text = JSON.stringify(value);
  if (text.length <= LINE || !isJsonObject(value)) return `${path} = ${clipped(text)}`;
  const names = Object.keys(value).map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name)));
  const more = names.length > MOST_MEMBERS ? ` and ${names.length - MOST_MEMBERS} more` : "";
  return `${path} has ${clipped(names.slice(0, MOST_MEMBERS).join(", "))}${more}`;
}

function clipped(text: string): string {
  return text.length <= LINE ? text : `${text.slice(0, LINE - 3)}...`;
}
