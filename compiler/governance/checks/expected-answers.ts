/** What decision tests expect, held against what a decision can answer: a test of anything else can never pass. */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { children, type Module, type Node } from "@portcullis/rego/syntax";
import { entryOf, type MappingEntry, type SourceDocument, type SourceNode } from "../sources/index.ts";
import type { AuthoredFacts } from "./authored-facts.ts";
import { pipelineDiagnostic } from "./codes.ts";
import { importedModules } from "./imported-modules.ts";

/** Decisions whose denials a decision hands on. */
const HANDED_ON: { readonly [decision: string]: readonly string[] } = {
  call: ["call", "tool", "lane", "lineage"],
  tool: ["tool", "lane"],
};

/** What the modules of a decision say. */
interface Said {
  /** Every text. */
  readonly texts: ReadonlySet<string>;
  /** The keys of every object: those of its answers among them. */
  readonly keys: ReadonlySet<string>;
}

/** One finding for each gate, reason or member that neither the library nor the author's denials can answer with. */
export function expectedAnswers(
  tests: readonly SourceDocument[],
  modules: readonly Module[],
  { denials }: AuthoredFacts,
): Diagnostic[] {
  const found = new Map<string, Said>();
  const saidBy = (decision: string): Said => {
    const said = found.get(decision) ?? saidIn(modules, ["extension", ...(HANDED_ON[decision] ?? [decision])]);
    found.set(decision, said);
    return said;
  };
  return tests.flatMap(({ root }) => {
    const common = textAt(root, "decision");
    return ["cases", "matrices"]
      .flatMap((key) => itemsOf(root, key))
      .flatMap((test) => {
        const decision = textAt(test, "decision") ?? common;
        const expect = entryOf(test, "expect")?.value;
        if (decision === undefined || expect?.kind !== "Mapping") return [];
        const said = saidBy(decision);
        const own = [...denials].flatMap(([kind, answers]) =>
          [decision, ...(HANDED_ON[decision] ?? [])].includes(kind) ? answers : [],
        );
        return [
          ...contradictory(expect),
          ...expect.entries.flatMap((entry) => unknownMember(entry, decision, said)),
          ...unknownText(
            entryOf(expect, "gate"),
            said.texts,
            own.map((a) => a.gate),
            /^[A-Z_]+$/,
            (gate) => ["pipeline/unknown-gate", { decision, gate }],
          ),
          ...unknownText(
            entryOf(expect, "reason"),
            said.texts,
            own.map((a) => a.reason),
            /^[a-z]+(?:_[a-z]+)+$/,
            (reason) => ["pipeline/unknown-reason", { decision, reason }],
          ),
        ];
      });
  });
}

/** `allowed: false` with the gate of every allow, or `allowed: true` with another. */
function contradictory(expect: SourceNode): Diagnostic[] {
  const [allowed, gate] = [entryOf(expect, "allowed")?.value, entryOf(expect, "gate")?.value];
  if (allowed?.kind !== "Boolean" || gate?.kind !== "String" || allowed.value === (gate.value === "ALLOW")) return [];
  return [
    pipelineDiagnostic("pipeline/contradictory-test", { allowed: String(allowed.value), gate: gate.value }, gate.span),
  ];
}

function unknownMember({ key, keySpan }: MappingEntry, decision: string, { keys }: Said): Diagnostic[] {
  if (keys.has(key)) return [];
  return [pipelineDiagnostic("pipeline/unknown-answer", { decision, key }, keySpan, didYouMean(key, keys))];
}

type Unknown =
  | readonly ["pipeline/unknown-gate", { readonly decision: string; readonly gate: string }]
  | readonly ["pipeline/unknown-reason", { readonly decision: string; readonly reason: string }];

/** `own`: what the author's denials say; `undefined` where only an evaluation tells, and it may be this one. */
function unknownText(
  expected: MappingEntry | undefined,
  known: ReadonlySet<string>,
  own: readonly (string | undefined)[],
  form: RegExp,
  unknown: (text: string) => Unknown,
): Diagnostic[] {
  const value = expected?.value;
  // A reason of several words is made while deciding, of what the request says.
  if (value?.kind !== "String" || known.has(value.value) || !/^\w+$/.test(value.value)) return [];
  if (own.includes(undefined) || own.includes(value.value)) return [];
  const names = [...known, ...own].flatMap((name) => (name !== undefined && form.test(name) ? name : []));
  const near = didYouMean(value.value, names);
  const [code, params] = unknown(value.value);
  return [
    code === "pipeline/unknown-gate"
      ? pipelineDiagnostic(code, params, value.span, near)
      : pipelineDiagnostic(code, params, value.span, near),
  ];
}

function textAt(node: SourceNode, key: string): string | undefined {
  const value = entryOf(node, key)?.value;
  return value?.kind === "String" ? value.value : undefined;
}

function itemsOf(root: SourceNode, key: string): readonly SourceNode[] {
  const list = entryOf(root, key)?.value;
  return list?.kind === "Sequence" ? list.items : [];
}

/** What modules of decisions say, and those that they ask for parts of their answers. */
function saidIn(modules: readonly Module[], decisions: readonly string[]): Said {
  const asked = modules.filter(({ package: { path } }) => {
    const [first, second, ...rest] = path.args.map((arg) => (arg.kind === "String" ? arg.value : ""));
    return first === "portcullis" && decisions.includes(second ?? "") && rest.length === 0;
  });
  const whole = new Set(asked.flatMap((module) => [module, ...importedModules(module, modules).values()]));
  const said = [...whole].map(saidInModule);
  return { texts: new Set(said.flatMap((s) => [...s.texts])), keys: new Set(said.flatMap((s) => [...s.keys])) };
}

/** The library's trees live as long as the process. */
const known = new WeakMap<Module, Said>();

function saidInModule(module: Module): Said {
  const found = known.get(module);
  if (found !== undefined) return found;
  const texts = new Set<string>();
  const keys = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === "String") texts.add(node.value);
    if (node.kind === "Object") for (const [key] of node.entries) if (key.kind === "String") keys.add(key.value);
    for (const child of children(node)) visit(child);
  };
  for (const rule of module.rules) visit(rule);
  const said = { texts, keys };
  known.set(module, said);
  return said;
}
