/**
 * Gates that authors demand: `must contains "GATE" if …` in `portcullis.ext.<decision>`, read from the text of the rules. Nothing is
 * resolved: a name is a text as it is written.
 */

import type { SourceFile, Span } from "@portcullis/rego/diagnostics";
import { type Module, parseModule, type Ref, type Rule } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime/abi";

/** One rule that demands a gate. A gate has as many as there are ways to meet it. */
export interface RequiringRule {
  readonly decision: DecisionKind;
  readonly rule: Rule;
  /** `undefined` where the name is not a text that is written out. */
  readonly gate: string | undefined;
  /** Every `custom.reason` of its METADATA, of whatever type. */
  readonly reasons: readonly { readonly value: Value; readonly span: Span }[];
}

/** By decision and gate, the reason of a denial. */
export type RequiredGates = ReadonlyMap<DecisionKind, ReadonlyMap<string, string>>;

export const DEFAULT_REASON = "requirement_not_met";

export function isGateName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}

/** The `must` rules of a module. */
export function requiringRules(module: Module): RequiringRule[] {
  const inside = textsOf(module.package.path);
  if (inside === undefined || (inside.length > 0 && inside[0] !== "portcullis")) return [];
  return module.rules.flatMap((rule, index) => {
    const head = textsOf(rule.head.ref);
    if (head === undefined) return [];
    const [portcullis, ext, decision, must, ...rest] = [...inside, ...head];
    const kind = DECISION_KINDS.find((name) => name === decision);
    if (portcullis !== "portcullis" || ext !== "ext" || must !== "must" || kind === undefined || rest.length > 0)
      return [];
    const { key } = rule.head;
    const gate = key?.kind === "String" ? key.value : undefined;
    return [{ decision: kind, rule, gate, reasons: reasonsOf(module, index) }];
  });
}

/** The gates of the modules of a bundle. A name that does not compile is left out. */
export function requiredGates(files: readonly SourceFile[]): RequiredGates {
  const found = new Map<DecisionKind, Map<string, string>>();
  // A text that does not have the word, and cannot spell it in escapes, is not read twice.
  const modules = files.filter(({ text }) => /must|\\u/.test(text)).flatMap((file) => parseModule(file).module ?? []);
  for (const { decision, gate, reasons } of modules.flatMap(requiringRules)) {
    if (gate === undefined || !isGateName(gate)) continue;
    const gates = found.get(decision) ?? new Map<string, string>();
    const reason = reasons.flatMap(({ value }) => (value.kind === "string" ? value.value : []))[0];
    const known = gates.get(gate);
    if (known === undefined || known === DEFAULT_REASON) gates.set(gate, reason ?? DEFAULT_REASON);
    found.set(decision, gates);
  }
  return found;
}

function reasonsOf(module: Module, index: number): RequiringRule["reasons"] {
  return module.annotations.flatMap(({ annotation: { target, custom }, span }) => {
    if (target.kind !== "Rule" || target.index !== index) return [];
    const entry = custom.entries.find(([key]) => key.kind === "string" && key.value === "reason");
    return entry === undefined ? [] : [{ value: entry[1], span }];
  });
}

/** The names of a reference without its `data`; `undefined` where not all are known. */
function textsOf({ head, args }: Ref): string[] | undefined {
  if (head.kind !== "Var") return undefined;
  const names = args.flatMap((arg) => (arg.kind === "String" ? arg.value : []));
  if (names.length < args.length) return undefined;
  return head.name === "data" ? names : [head.name, ...names];
}
