/** The README's numbers: a section between two marks, made from a run's results alone and never written by hand. */

import { DECISION_KINDS } from "@portcullis/runtime";
import budget from "./budget.json" with { type: "json" };
import { time, verdict } from "./report.ts";
import type { Results, ScenarioResult } from "./results.ts";

const BEGIN = "<!-- benchmark: written by `make bench` from bench/results/latest.json -->";
const END = "<!-- end of benchmark -->";
/** The scenarios that stand for the others: policies of middle size, where they were measured, and requests that differ. */
const SIZE_SHOWN = ["M", "S", "L"] as const;
const STYLE_SHOWN = "varied";

/** A README with the section made anew. Throws when the marks are missing. */
export function withBenchmark(readme: string, results: Results): string {
  const [from, to] = placeOf(readme);
  return `${readme.slice(0, from)}${BEGIN}\n\n${sectionOf(results)}\n${readme.slice(to)}`;
}

function placeOf(readme: string): [number, number] {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the README lacks the lines \`${BEGIN}\` and \`${END}\``);
  return [from, to];
}

function sectionOf(results: Results): string {
  return [machineLine(results), singleDecisions(results), besideOthers(results), costs(results), growthLine(results)]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
}

function machineLine({ machine, commit, date, quick }: Results): string {
  const load = Math.max(machine.loadAtStart, machine.loadAtEnd);
  const notes = [
    ...(quick ? ["This was a quick look, not a record."] : []),
    ...(load > machine.cores ? [`The machine was busy (load ${load}): absolute times are too long.`] : []),
  ];
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}`;
  return [`Commit ${commit}, ${date.slice(0, 10)}: ${where}.`, ...notes].join(" ");
}

function singleDecisions({ requirement }: Results): string {
  if (requirement.length === 0) return "";
  const limits = `median <= ${time(budget.medianNs)}, 99 % <= ${time(budget.p99Ns)}, 99.9 % <= ${time(budget.p999Ns)}, the first after loading <= ${budget.firstDecisionMs} ms`;
  const rows = DECISION_KINDS.flatMap((kind) =>
    requirement
      .filter((v) => v.kind === kind)
      .map((v) => [
        kind,
        String(v.cases),
        ...[v.p50Ns, v.p99Ns, v.p999Ns].map(time),
        `${v.firstMs.toFixed(2)} ms`,
        verdict(v.exceeded),
        ...[v.evaluated.p50Ns, v.evaluated.p99Ns].map(time),
        verdict(v.evaluated.exceeded),
      ]),
  );
  const text = `Single decisions on the example policies, over all of their test cases again and again, as callers get them, and with each evaluated, none remembered (budget: ${limits}; reading the clock takes ${time(requirement[0]?.clockNs ?? 0)} of each):`;
  return `${text}\n\n${markdown([["decision", "cases", "median", "99 %", "99.9 %", "first", "budget", "evaluated: median", "99 %", "budget"], ...rows])}`;
}

function besideOthers({ scenarios }: Results): string {
  const size = SIZE_SHOWN.find((name) => scenarios.some((s) => s.policy === name));
  const shown = scenarios.filter((s) => s.policy === size && s.style === STYLE_SHOWN);
  if (shown.length === 0) return "";
  const names = [...new Set(shown.flatMap((s) => s.measured.map((m) => m.name)))];
  const rows = shown.map((s) => [`${s.kind}, ${s.outcome}`, ...names.map((name) => cell(s, name))]);
  return `Median times beside the alternatives, on generated policies of size ${size}, 1,024 different requests over and over (whose answers a policy remembers, but for the column that says otherwise); in brackets how many times the time of the hand-written code:\n\n${markdown([["decision", ...names], ...rows])}`;
}

function cell({ measured }: ScenarioResult, name: string): string {
  const found = measured.find((m) => m.name === name);
  if (found === undefined) return "-";
  if (found.ratio === undefined || found.ratio === 1) return time(found.medianNs);
  return `${time(found.medianNs)} (${found.ratio < 10 ? found.ratio.toFixed(1) : Math.round(found.ratio)})`;
}

function costs(results: Results): string {
  if (results.costs.length === 0) return "";
  const rows = results.costs.map(({ policy, cost }) => [
    policy,
    `${(cost.compileMs / 1000).toFixed(1)} s`,
    `${cost.bundleKb.toFixed(0)} KB`,
    `${cost.moduleKb.toFixed(0)} KB`,
    `${cost.loadMs.toFixed(1)} ms`,
    `${cost.loadedMb.toFixed(1)} MB`,
  ]);
  return markdown([["policies", "compile", "bundle", "module", "load and decide once", "memory loaded"], ...rows]);
}

function growthLine({ growth }: Results): string {
  const total = growth.reduce((sum, g) => sum + g.decisions, 0);
  if (total === 0) return "";
  const kb = (of: "heapKb" | "wasmKb"): string => Math.max(0, ...growth.map((g) => g[of])).toFixed(0);
  return `Memory after ${total.toLocaleString("en-US")} decisions of all kinds: JavaScript ${kb("heapKb")} KB more, WebAssembly ${kb("wasmKb")} KB more.`;
}

function markdown([header = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(header), `|${header.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
