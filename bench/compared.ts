/** A run beside one of before. Ratios are compared always, times only on the same machine. */

import { type Figure, slowerThan } from "../compiler/cli/bench/baseline.ts";
import { sameMachine } from "../compiler/cli/bench/machine.ts";
import type { Measured } from "./interleave.ts";
import { TYPED } from "./peers/portcullis.ts";
import type { Results } from "./results.ts";
import { ratio, time } from "./tables.ts";

export interface Compared {
  readonly found: number;
  /** For people: a line for each finding. */
  readonly text: string;
}

export function compared(before: Results, now: Results): Compared {
  const same = sameMachine(before.machine, now.machine);
  const ratios = slowerThan(ratiosOf(before), ratiosOf(now)).map((s) => line(s, (value) => `×${ratio(value)}`));
  const times = same ? slowerThan(timesOf(before), timesOf(now)).map((s) => line(s, time)) : [];
  const found = [...ratios, ...times];
  const against = `revision ${before.revision} of ${before.date.slice(0, 10)}`;
  const lines = [
    ...(same
      ? []
      : [
          `Measured on another machine (${before.machine.cpu}, Node ${before.machine.node}): only ratios are compared.`,
        ]),
    found.length === 0
      ? `Nothing is slower beyond noise than in ${against}.`
      : `Slower beyond noise than in ${against}:\n${found.join("\n")}`,
  ];
  return { found: found.length, text: lines.join("\n") };
}

function line(
  { name, before, now }: { readonly name: string; readonly before: number; readonly now: number },
  show: (value: number) => string,
): string {
  return `  ${name}: ${show(before)} before, ${show(now)} now`;
}

/** Our own ratios to the code written by hand. */
function ratiosOf({ headline, workingSets }: Results): Figure[] {
  const figures = (name: string, measured: readonly Measured[]): Figure[] =>
    measured.flatMap((m) =>
      m.ratio !== undefined && m.name === TYPED
        ? [{ name: `${name}: ${m.name}`, value: m.ratio.median, low: m.ratio.low, high: m.ratio.high }]
        : [],
    );
  return [
    ...headline.flatMap((row) => figures(`policies ${row.policy}, ${rowName(row)}`, row.measured)),
    ...workingSets.flatMap((row) =>
      figures(`policies ${row.policy}, ${row.kind}, ${row.set} different requests`, row.measured),
    ),
  ];
}

/** Medians and 99th percentiles of single decisions. */
function timesOf({ latency }: Results): Figure[] {
  return latency.flatMap((row) => {
    const name = `policies ${row.policy}, ${rowName(row)}`;
    return [
      { name: `${name}: median of single decisions`, value: row.p50.ns, low: row.p50.low, high: row.p50.high },
      { name: `${name}: 99 % of single decisions`, value: row.p99.ns, low: row.p99.low, high: row.p99.high },
    ];
  });
}

function rowName({
  kind,
  what,
  outcome,
}: {
  readonly kind: string;
  readonly what: string;
  readonly outcome: string;
}): string {
  return [kind, what, outcome].filter((part) => part !== "").join(", ");
}
