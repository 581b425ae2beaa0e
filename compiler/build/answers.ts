/**
 * Writes `answers.ts` and `gates.ts` of runtime/governance: what the library's decisions can answer, as types, and what its
 * METADATA says of its gates, from the same Rego as generated/reference/decisions.md. A test holds the files to their source.
 *
 *   npx tsx compiler/build/answers.ts runtime/governance
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { constantJson } from "@portcullis/rego/analyze";
import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime/abi";
import { type DecisionAnswer as Answer, answersOf, describedGates } from "../governance/checks/index.ts";
import { libraryModules } from "../governance/library/library.embedded.ts";
import { SourceFile } from "../rego/diagnostics/source-file.ts";
import { type Module, parseModule, type Term } from "../rego/syntax/index.ts";

/** What a policy answers where it has no entrypoint for a decision, or no room left to ask it. */
const NOT_DECIDED = "invalid input";
/** What it answers where its source has not been heard of for too long. */
const STALE = "stale";
/** What the library says of an extension that it cannot read. */
const UNREADABLE = { gate: "EXTENSION", reason: "invalid_extension_answer" };

const HEAD = ["allowed", "gate", "reason"];
/** Ids that the members of a decision are narrowed by. */
const PARAMETERS: { readonly [Kind in DecisionKind]?: string } = { subagent: "Subagent" };

/** The text of the file. Throws where a decision has another shape than the library's have. */
export function answerTypes(): string {
  const decisions = DECISION_KINDS.map(decisionOf);
  return [
    "/** Written by `make generate` from `compiler/library`: what each decision can answer. Do not edit. */",
    importsOf(decisions),
    ...decisions.map(typesOf),
    faultsOf(decisions),
  ].join("\n\n");
}

interface DecisionAnswers {
  readonly kind: DecisionKind;
  readonly answers: readonly Answer[];
  /** What is answered where nothing else is. */
  readonly otherwise: { readonly [member: string]: unknown };
}

function decisionOf(kind: DecisionKind): DecisionAnswers {
  const module = moduleOf(kind);
  const otherwise = constantJson(defaultOf(module));
  if (typeof otherwise !== "object" || otherwise === null)
    throw new Error(`${kind}.rego has no decision with a default`);
  return { kind, answers: answersOf(module, library()), otherwise: { ...otherwise } };
}

function defaultOf(module: Module): Term {
  const rule = module.rules.find(
    (r) => r.isDefault && r.head.ref.head.kind === "Var" && r.head.ref.head.name === "decision",
  );
  if (rule?.head.value === undefined) throw new Error("a decision has a default");
  return rule.head.value;
}

function importsOf(decisions: readonly DecisionAnswers[]): string {
  const members = decisions.filter(saysMore).map(({ kind }) => `${title(kind)}Members`);
  return [
    'import type { Allowed, Denied } from "./decision.ts";',
    `import type { ${members.sort().join(", ")} } from "./members.ts";`,
  ].join("\n");
}

function typesOf(decision: DecisionAnswers): string {
  const { kind, answers, otherwise } = decision;
  const always = Object.keys(otherwise).filter((name) => !HEAD.includes(name));
  const denial = (gate: string, reason: string): Answer => ({
    ...{ allowed: false, gate, reason, details: [], members: always, optional: [], when: [] },
  });
  const rest = [
    denial(UNREADABLE.gate, UNREADABLE.reason),
    denial(String(otherwise["gate"]), String(otherwise["reason"])),
    denial(String(otherwise["gate"]), NOT_DECIDED),
    denial(String(otherwise["gate"]), STALE),
  ];
  const all = oneEach([...answers, ...rest]);
  const parameter = PARAMETERS[kind];
  const parameters = parameter === undefined ? "" : `<${parameter} extends string = string>`;
  const name = title(kind);
  const says = (of: readonly Answer[], known: readonly string[]): string[] => of.map((a) => typeOf(kind, a, known));
  const every = `${name}DeniedMembers${parameter === undefined ? "" : `<${parameter}>`}`;
  const denials = says(
    all.filter((a) => !a.allowed),
    always,
  );
  const types = [
    `/** How the ${kind} decision allows. */`,
    `export type ${name}Allowed${parameters} =${listed(
      says(
        all.filter((a) => a.allowed),
        [],
      ),
    )};`,
    "",
    `/** How the ${kind} decision denies, authors' rules aside. */`,
    always.length === 0
      ? `export type ${name}Denied${parameters} =${listed(denials)};`
      : `export type ${name}Denied${parameters} = ${every} &\n  (${listed(denials).replaceAll("\n", "\n  ")}\n  );`,
  ];
  if (always.length > 0)
    types.push(
      "",
      `/** What every denial of the ${kind} decision says besides. */`,
      `export type ${name}DeniedMembers${parameters} = ${membersOf(kind, always, [])};`,
    );
  return types.join("\n");
}

function listed(types: readonly string[]): string {
  return types.map((type) => `\n  | ${type}`).join("");
}

function typeOf(kind: DecisionKind, answer: Answer, known: readonly string[]): string {
  const { of, allowed, gate, reason, members, optional, within, details } = answer;
  if (of !== undefined) return `${title(of)}Denied`;
  const head = allowed ? `Allowed<${literal(reason)}>` : `Denied<${literal(gate)}, ${literal(reason)}>`;
  const needed = members.filter((name) => !optional.includes(name) && !known.includes(name));
  const parts = [
    head,
    ...(needed.length === 0 ? [] : [membersOf(kind, needed, details)]),
    ...(optional.length === 0 ? [] : [`Partial<${membersOf(kind, optional, details)}>`]),
    ...(within === undefined ? [] : [`Partial<${title(within)}Members>`]),
  ];
  return parts.length === 1 ? head : `(${parts.join(" & ")})`;
}

function membersOf(kind: DecisionKind, names: readonly string[], details: readonly string[]): string {
  const parameter =
    details.length > 0 && names.includes("detail") ? details.map(literal).join(" | ") : PARAMETERS[kind];
  const of = `${title(kind)}Members${parameter === undefined ? "" : `<${parameter}>`}`;
  return `Pick<${of}, ${names.map(literal).join(" | ")}>`;
}

/** One answer for each gate and reason: what only some of them say is optional. */
function oneEach(answers: readonly Answer[]): Answer[] {
  const found = new Map<string, Answer>();
  for (const answer of answers) {
    const key = JSON.stringify([answer.of, answer.gate, answer.reason]);
    const first = found.get(key);
    const members = [...new Set([...(first ?? answer).members, ...answer.members])];
    const everywhere = (name: string): boolean =>
      [first ?? answer, answer].every((a) => a.members.includes(name) && !a.optional.includes(name));
    const details = [...(first?.details ?? []), ...answer.details];
    found.set(key, { ...answer, members, optional: members.filter((m) => !everywhere(m)), details });
  }
  return [...found.values()];
}

function faultsOf(decisions: readonly DecisionAnswers[]): string {
  const types = decisions.map(({ kind, otherwise }) => {
    const more = Object.keys(otherwise).length > HEAD.length ? ` & ${title(kind)}DeniedMembers` : "";
    return `  readonly ${kind}: Denied<${literal(String(otherwise["gate"]))}, ${literal(NOT_DECIDED)}>${more};`;
  });
  const values = decisions.map(({ kind, otherwise }) => {
    const more = Object.entries(otherwise).filter(([name]) => !HEAD.includes(name));
    const members = more.map(([name, value]) => `, ${name}: ${constant(value)}`).join("");
    return `  ${kind}: ${more.length === 0 ? "FAULT" : `Object.freeze({ ...FAULT${members} })`},`;
  });
  return `const NONE: readonly [] = Object.freeze([]);
const FAULT = Object.freeze({ allowed: false, gate: ${gateOf(decisions)}, reason: ${literal(NOT_DECIDED)} });

/** What a policy answers that lacks a decision, or has no room left to ask it: the library's last word, for each. */
export const FAULTS: {
${types.join("\n")}
} = {
${values.join("\n")}
};
`;
}

/** The gate of every decision's default. */
function gateOf(decisions: readonly DecisionAnswers[]): string {
  const gates = new Set(decisions.map(({ otherwise }) => String(otherwise["gate"])));
  if (gates.size !== 1) throw new Error(`the defaults of decisions have several gates: ${[...gates].join(", ")}`);
  return literal([...gates].join());
}

/** A member of a default as an expression that does not change: a list is empty, anything else is a scalar. */
function constant(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return "NONE";
  if (typeof value === "object" && value !== null)
    throw new Error(`a default has more in it: ${JSON.stringify(value)}`);
  return JSON.stringify(value);
}

function saysMore({ answers }: DecisionAnswers): boolean {
  return answers.some((a) => a.members.length > 0);
}

/** A text as a type; `…` stands for a text of the request. */
function literal(text: string): string {
  return text.includes("…") ? `\`${text.replaceAll("…", "${string}")}\`` : JSON.stringify(text);
}

function title(kind: string): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1);
}

/** The text of `gates.ts`. Throws for a gate that the library does not describe. */
export function gateTable(): string {
  // A decision stands behind those whose gates it asks, too.
  const composed = (kind: DecisionKind): boolean =>
    describedGates(moduleOf(kind), library()).some((gate) => "of" in gate);
  const kinds = [...DECISION_KINDS].sort((a, b) => Number(composed(a)) - Number(composed(b)));
  return [
    "/** Written by `make generate` from the METADATA of `compiler/library`: what is known of each gate. Do not edit. */",
    'import type { DecisionKind, GateDescription } from "../abi/index.ts";',
    ...kinds.map(gatesOf),
    `/** The gates of the library by decision, in the order in which they are asked. An author's gates are not among them. */
export const GATES: { readonly [Kind in DecisionKind]: readonly GateDescription[] } = {
${DECISION_KINDS.map((kind) => `  ${kind}: ${kind.toUpperCase()},`).join("\n")}
};
`,
  ].join("\n\n");
}

function gatesOf(kind: DecisionKind): string {
  const gates = describedGates(moduleOf(kind), library()).map((gate) => {
    if ("of" in gate) return `  ...${gate.of.toUpperCase()},`;
    const says = Object.entries(gate.says).map(
      ([reason, text]) => `${JSON.stringify(reason)}: ${JSON.stringify(text)}`,
    );
    const head = [`gate: ${JSON.stringify(gate.gate)}`, `depends: ${JSON.stringify(gate.depends)}`];
    if (gate.judges !== undefined) head.push(`judges: ${JSON.stringify(gate.judges)}`);
    return `  {\n    ${head.join(", ")},\n    rule: ${JSON.stringify(gate.rule)},\n    says: {\n      ${says.join(",\n      ")},\n    },\n  },`;
  });
  return `const ${kind.toUpperCase()}: readonly GateDescription[] = [\n${gates.join("\n")}\n];`;
}

function moduleOf(kind: DecisionKind): Module {
  const module = library().find(({ span }) => span.file.name === `${kind}.rego`);
  if (module === undefined) throw new Error(`the library has no decision \`${kind}\``);
  return module;
}

let parsed: readonly Module[] | undefined;

function library(): readonly Module[] {
  parsed ??= libraryModules.map(({ name, text }) => {
    const { module, diagnostics } = parseModule(new SourceFile(name, text));
    if (module === undefined) throw new Error(`${name}: ${diagnostics.map(({ message }) => message).join("; ")}`);
    return module;
  });
  return parsed;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error("usage: answers.ts FOLDER");
  for (const [name, text] of [
    ["answers.ts", answerTypes()],
    ["gates.ts", gateTable()],
  ] as const) {
    const file = join(folder, name);
    // A file that is not touched is not built again.
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  }
}
