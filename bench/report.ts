/** Tables for people. */

import type { Terminal } from "../compiler/cli/terminal.ts";
import { table } from "../compiler/cli/terminal.ts";
import type { Results, ScenarioResult } from "./results.ts";

export function printResults(terminal: Terminal, results: Results): void {
  const { bold, dim, green, red } = terminal.paint;
  const { machine } = results;
  terminal.out(
    `${bold("machine")}  ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}\n`,
  );
  terminal.out(
    `         commit ${results.commit}, load ${machine.loadAtStart} at the start, ${machine.loadAtEnd} at the end\n`,
  );
  if (Math.max(machine.loadAtStart, machine.loadAtEnd) > machine.cores)
    terminal.out(
      `         ${red("The machine was busy: absolute times are too long. Ratios are taken within rounds and suffer less.")}\n`,
    );
  for (const size of new Set(results.scenarios.map((s) => s.policy))) {
    const scenarios = results.scenarios.filter((s) => s.policy === size);
    const names = [...new Set(scenarios.flatMap((s) => s.measured.map((m) => m.name)))];
    terminal.out(
      `\n${bold(`policies ${size}`)}: median time of a decision, and how many times the hand-written code's\n`,
    );
    const header = ["decision", "answer", "requests", ...names];
    const rows = scenarios.map((s) => [s.kind, s.outcome, s.style, ...names.map((name) => cell(s, name))]);
    terminal.out(
      `${table([header, ...rows], (text, column, row) => (row === 0 ? bold(text) : column < 3 ? dim(text) : text))}\n`,
    );
    for (const { name, why } of results.absences.filter((a) => a.policy === size))
      terminal.out(dim(`  ${name}: ${why}\n`));
  }
  terminal.out(`\n${bold("cost")}\n`);
  terminal.out(
    `${table([
      ["policies", "compile", "memory then", "bundle", "module", "load + first", "memory"],
      ...results.costs.map(({ policy, cost }) => [
        policy,
        `${(cost.compileMs / 1000).toFixed(1)} s`,
        `${cost.compileRssMb.toFixed(0)} MB`,
        `${cost.bundleKb.toFixed(0)} KB`,
        `${cost.moduleKb.toFixed(0)} KB`,
        `${cost.loadMs.toFixed(1)} ms`,
        `${cost.loadedMb.toFixed(1)} MB`,
      ]),
    ])}\n`,
  );
  terminal.out(`\n${bold("memory after many decisions")}\n`);
  terminal.out(
    `${table(results.growth.map((g) => [g.kind, `${g.decisions} decisions`, `JavaScript ${g.heapKb.toFixed(0)} KB`, `WebAssembly ${g.wasmKb.toFixed(0)} KB`]))}\n`,
  );
  terminal.out(
    `\n${bold("REQ-14")}: single decisions on the example policies, every test case; median <= 1 µs, p99 <= 10 µs, p99.9 <= 100 µs, first <= 1 ms;\n        as callers get them, answers to questions that were asked before among them, and with each evaluated\n`,
  );
  const header = [
    "decision",
    "cases",
    "median",
    "p99",
    "p99.9",
    "slowest",
    "first",
    "evaluated: median",
    "p99",
    "evaluated",
    "verdict",
  ];
  const rows = results.requirement.map((v) => [
    v.kind,
    String(v.cases),
    time(v.p50Ns),
    time(v.p99Ns),
    time(v.p999Ns),
    time(v.maxNs),
    `${v.firstMs.toFixed(2)} ms`,
    time(v.evaluated.p50Ns),
    time(v.evaluated.p99Ns),
    verdict(v.evaluated.exceeded),
    verdict(v.exceeded),
  ]);
  terminal.out(
    `${table([header, ...rows], (text, column, row) => {
      if (row === 0) return bold(text);
      return column < 9 ? text : text === "holds" ? green(text) : red(text);
    })}\n`,
  );
  terminal.out(
    dim(`  reading the clock takes ${results.requirement[0]?.clockNs ?? 0} ns and is part of each number\n`),
  );
}

export function verdict(exceeded: readonly string[]): string {
  return exceeded.length === 0 ? "holds" : `exceeded: ${exceeded.join(", ")}`;
}

function cell(scenario: ScenarioResult, name: string): string {
  const found = scenario.measured.find((m) => m.name === name);
  if (found === undefined) return "cannot";
  return found.ratio === undefined || found.name === "hand-written"
    ? time(found.medianNs)
    : `${time(found.medianNs)} ×${ratio(found.ratio)}`;
}

export function time(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  return `${(ns / 1e6).toPrecision(3)} ms`;
}

function ratio(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toString();
}
