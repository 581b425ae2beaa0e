/** The README's numbers: a section between two marks, made from a run's results alone and never written by hand. */

import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime";
import { LIMIT } from "./parts/contenders.ts";
import { CASL } from "./peers/casl.ts";
import { TYPED } from "./peers/portcullis.ts";
import { exceededBy } from "./requirement.ts";
import type { HeadlineRow, LatencyRow, Results } from "./results.ts";
import { boundText, cell, markdownTable, provenance, REQUIREMENT, stockToLimit, toOurs, verdict } from "./tables.ts";
import { ASKED } from "./workloads/index.ts";

const BEGIN = "<!-- benchmark: written by `make bench` from bench/results/latest.json -->";
const END = "<!-- end of benchmark -->";
/** Policies of middle size stand for the others, where they were measured. */
const SIZE_SHOWN = ["M", "S", "L"] as const;

/** A README with the section made anew. Throws when the marks are missing. */
export function withBenchmark(readme: string, results: Results): string {
  const [from, to] = benchmarkBounds(readme);
  return `${readme.slice(0, from)}${BEGIN}\n\n${sectionOf(results)}\n\n${readme.slice(to)}`;
}

function benchmarkBounds(readme: string): [number, number] {
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
    return headline === undefined ? [] : [rowOf(kind, headline, latency, results.clockNs)];
  });
  if (rows.length === 0) return provenance(results);
  const text = [
    `Policies of size ${policy}, requests of typical size. Every request is new: fresh from \`JSON.parse\`, and not asked before. Every decision is evaluated.`,
    "",
    "- **Portcullis**, **by hand**: medians of allowed decisions. `×` is the ratio to code written by hand.",
    "- **CASL**: its verdict alone, without gate and reason, where it can say one.",
    "- **stock OPA**: the time of stock opa-wasm with OPA's module of the same bundle, as a multiple of Portcullis's; in parentheses, of the code by hand.",
    "- **99 %**, **99.9 %**: measured / bound, apart, with no other contender in turn. So they can be below the medians.",
    "- **first**: the first decision of a process that has only loaded the policy: the median of several processes / bound, and the slowest.",
    `- **REQ-14**: the requirement on latency. ${REQUIREMENT} Its verdict covers all sizes of request. As fast as code written by hand is a goal, and no part of it.`,
  ].join("\n");
  const header = [
    "decision",
    "asked",
    "Portcullis",
    "by hand",
    "CASL",
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

function rowOf(
  kind: DecisionKind,
  { what, measured }: HeadlineRow,
  latency: readonly LatencyRow[],
  clockNs: number,
): string[] {
  const single = latency.find(isShown);
  const exceeded = new Set(latency.flatMap((row) => exceededBy(row, clockNs)));
  return [
    what === "" ? kind : `${kind}, ${what}`,
    ASKED[kind],
    cell(measured, TYPED),
    cell(measured, LIMIT),
    cell(measured, CASL),
    `${toOurs(measured)} (${stockToLimit(measured)})`,
    ...(single === undefined ? ["-", "-", "-"] : boundText(single)),
    latency.length === 0 ? "-" : verdict([...exceeded]),
  ];
}
