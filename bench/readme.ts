/** The README's numbers: a section between two marks, made from a run's results alone and never written by hand. */

import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime";
import { LIMIT } from "./parts/contenders.ts";
import { TYPED } from "./peers/portcullis.ts";
import { BUDGET } from "./requirement.ts";
import type { HeadlineRow, LatencyRow, Results } from "./results.ts";
import { cell, firstText, markdownTable, provenance, stockToLimit, time, toOurs, verdict } from "./tables.ts";
import { ASKED } from "./workloads/index.ts";

const BEGIN = "<!-- benchmark: written by `make bench` from bench/results/latest.json -->";
const END = "<!-- end of benchmark -->";
/** Policies of middle size stand for the others, where they were measured. */
const SIZE_SHOWN = ["M", "S", "L"] as const;

/** A README with the section made anew. Throws when the marks are missing. */
export function withBenchmark(readme: string, results: Results): string {
  const [from, to] = placeOf(readme);
  return `${readme.slice(0, from)}${BEGIN}\n\n${sectionOf(results)}\n\n${readme.slice(to)}`;
}

function placeOf(readme: string): [number, number] {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the README lacks the lines \`${BEGIN}\` and \`${END}\``);
  return [from, to];
}

function sectionOf(results: Results): string {
  const policy = SIZE_SHOWN.find((name) => results.headline.some((row) => row.policy === name));
  const rows = DECISION_KINDS.flatMap((kind) => {
    const headline = results.headline.find((row) => row.policy === policy && row.kind === kind && isShown(row));
    const latency = results.latency.filter((row) => row.policy === policy && row.kind === kind);
    return headline === undefined ? [] : [rowOf(kind, headline, latency)];
  });
  if (rows.length === 0) return provenance(results);
  const text = [
    `Policies of size ${policy}, requests of typical size. Every request is new: fresh from \`JSON.parse\`, and not asked before. Every decision is evaluated.`,
    "",
    "- **Portcullis**, **by hand**: medians of allowed decisions. `×` is the ratio to code written by hand.",
    "- **stock OPA**: the time of stock opa-wasm with OPA's module of the same bundle, as a multiple of Portcullis's; in parentheses, of the code by hand.",
    "- **99 %**, **99.9 %**: measured apart, with no other contender in turn. So they can be below the medians.",
    "- **first**: the first decision of a process that has only loaded the policy; the median of several processes, and the slowest.",
    `- **REQ-14**: the latency budget, [\`bench/budget.json\`](bench/budget.json). A median for each kind and size of request, 99 % <= ${time(BUDGET.p99Ns)}, 99.9 % <= ${time(BUDGET.p999Ns)}, and the first decision <= ${BUDGET.firstMs} ms. Its verdict covers all sizes of request, so it can be exceeded where the typical request is within it.`,
  ].join("\n");
  const header = [
    "decision",
    "asked",
    "Portcullis",
    "by hand",
    "stock OPA (to by hand)",
    "99 %",
    "99.9 %",
    "first (slowest)",
    "REQ-14",
  ];
  return `${provenance(results)}\n\n${text}\n\n${markdownTable([header, ...rows])}`;
}

function isShown({ size, outcome }: Pick<HeadlineRow, "size" | "outcome">): boolean {
  return size === "typical" && outcome === "allow";
}

function rowOf(kind: DecisionKind, { what, measured }: HeadlineRow, latency: readonly LatencyRow[]): string[] {
  const single = latency.find(isShown);
  const percentiles =
    single === undefined ? ["-", "-", "-"] : [time(single.p99.ns), time(single.p999.ns), firstText(single)];
  const exceeded = new Set(latency.flatMap((row) => row.exceeded));
  return [
    what === "" ? kind : `${kind}, ${what}`,
    ASKED[kind],
    cell(measured, TYPED),
    cell(measured, LIMIT),
    `${toOurs(measured)} (${stockToLimit(measured)})`,
    ...percentiles,
    latency.length === 0 ? "-" : verdict([...exceeded]),
  ];
}
