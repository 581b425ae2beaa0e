/** Prints why a decision came out as it did. */

import type { Explanation, Read, Step } from "../../review/index.ts";
import type { Terminal } from "../terminal.ts";

/** The shape of `--format json`. */
export function explanationReport(entrypoint: string, revision: string | undefined, explanation: Explanation): object {
  const { decision, decidedBy, steps } = explanation;
  const gates = steps.filter((s) => s.isGate);
  return { entrypoint, revision, decision, decided_by: decidedBy, gates, branches: steps };
}

export function printExplanation(terminal: Terminal, { decision, decidedBy, steps }: Explanation, all: boolean): void {
  const { bold, dim } = terminal.paint;
  terminal.out(`${decision === undefined ? "undefined" : JSON.stringify(decision, null, 2)}\n\n`);
  const by =
    decidedBy === undefined ? "no rule: none of its branches has a value" : `${decidedBy.location} (${decidedBy.rule})`;
  terminal.out(`${bold("decided by")} ${by}\n\n`);
  const gates = steps.filter((s) => s.isGate);
  const branches = all || gates.length === 0;
  for (const step of branches ? steps : gates) {
    terminal.out(`${painted(terminal, step)} ${labelled(terminal, step)}  ${dim(step.location)}\n`);
    if (branches && step.status !== "not reached") {
      for (const { text, status } of step.conditions) terminal.out(`              ${conditionMark(status)} ${text}\n`);
    }
    for (const read of step.reads) terminal.out(dim(`              ${shown(read)}\n`));
  }
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

/** Values as they fit into a line. */
function shown({ path, value }: Read): string {
  if (value === undefined) return `${path} is undefined`;
  const text = JSON.stringify(value);
  return `${path} = ${text.length <= 90 ? text : `${text.slice(0, 87)}...`}`;
}
