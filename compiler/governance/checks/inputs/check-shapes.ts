/**
 * Look-ups that find nothing whatever a request says: `in` over a scalar, an index before the first element, a key in a list, two sides
 * of `==` that are never of one type, an argument that the tool does not take.
 */

import { type CheckedPolicy, isCallOf } from "@portcullis/rego/analyze";
import { type Diagnostic, didYouMean, type Span } from "@portcullis/rego/diagnostics";
import type { Call, Ref, Rule, Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { BodyKinds, bodiesOf, type KnownInput } from "./body-kinds.ts";
import { shownText } from "./check-conditions.ts";
import type { WrittenData } from "./constants.ts";
import { termsOfBody } from "./flow.ts";
import { isOnly, type Kind, type Kinds } from "./kinds.ts";

const COLLECTIONS: readonly Kind[] = ["array", "object", "set"];

export function checkShapes(
  policy: CheckedPolicy,
  rules: Iterable<Rule>,
  inputs: (rule: Rule) => readonly KnownInput[],
  { data }: WrittenData,
): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const rule of rules) {
    for (const bodies of bodiesOf(rule)) {
      const kinds = new BodyKinds(policy, { data, inputs: inputs(rule), asked: "described" }, bodies);
      for (const term of termsOfBody(bodies[0] ?? [])) {
        const findings = term.kind === "Call" ? ofCall(term, kinds) : term.kind === "Ref" ? ofRef(term, kinds) : [];
        for (const finding of findings) found.set(`${finding.code} ${spanName(finding.span)}`, finding);
      }
    }
  }
  return [...found.values()];
}

function spanName(span: Span | undefined): string {
  return `${span?.file.name} ${span?.start}`;
}

function ofCall(call: Call, kinds: BodyKinds): Diagnostic[] {
  const [a, b] = call.args;
  if (a === undefined || b === undefined) return [];
  if (isCallOf(call, "internal.member_2") || isCallOf(call, "internal.member_3")) {
    const within = call.args.at(-1) as Term;
    const had = kinds.of(within);
    const elements = kinds.elements(within, 0);
    const looked = call.args.at(-2) as Term;
    if (isOfRequest(looked, kinds) || isOfRequest(within, kinds)) {
      const other = neverAlike(call, kinds.given(looked), elements);
      if (other !== undefined) return other;
    }
    // Texts are told where the ids that are looked for are known.
    if (had === undefined || had.size === 0 || COLLECTIONS.some((kind) => had.has(kind))) return [];
    const params = { condition: shownText(call.span), kind: [...had].join(" or ") };
    return [pipelineDiagnostic("pipeline/in-no-collection", params, call.span)];
  }
  if (!isCallOf(call, "eq") && !isCallOf(call, "neq") && !isCallOf(call, "equal")) return [];
  return differing(call, kinds, a, b);
}

/** Only of a member of the request: what else is written so is its author's own. */
function differing(call: Call, kinds: BodyKinds, a: Term, b: Term): Diagnostic[] {
  for (const [term, other] of [
    [a, b],
    [b, a],
  ] as const) {
    if (!isOfRequest(term, kinds) || !isWritten(other)) continue;
    const found = neverAlike(call, kinds.given(term), kinds.given(other));
    if (found !== undefined) return found;
  }
  return [];
}

function neverAlike(call: Call, had: Kinds, wanted: Kinds): Diagnostic[] | undefined {
  if (!had?.size || !wanted?.size || [...wanted].some((kind) => had.has(kind))) return undefined;
  const params = { condition: shownText(call.span), had: words(had), wanted: words(wanted) };
  return [pipelineDiagnostic("pipeline/differing-types", params, call.span)];
}

function isOfRequest(term: Term, kinds: BodyKinds): boolean {
  return kinds.shownText(term).startsWith("input.");
}

/** Written out, or a document of `data`. */
function isWritten(term: Term): boolean {
  const { kind } = term;
  const isData = kind === "Ref" && term.head.kind === "Var" && term.head.name === "data";
  return isData || kind === "String" || kind === "Number" || kind === "Boolean";
}

const WORDS: { readonly [kind in Kind]?: string } = { array: "list", object: "mapping" };

function words(kinds: NonNullable<Kinds>): string {
  return [...kinds]
    .map((kind) => WORDS[kind] ?? kind)
    .sort()
    .join(" or ");
}

/** Parts of a reference, each with what it is looked for in. */
function ofRef(ref: Ref, kinds: BodyKinds): Diagnostic[] {
  const names = kinds.otherArguments(ref);
  if (names !== undefined) return [otherArgument(ref, kinds.shownText(ref), names)];
  return ref.args.flatMap((arg, i) => {
    if (arg.kind === "Number" && arg.text.startsWith("-")) {
      const help = `write \`[count(${shownText({ ...ref.span, end: arg.span.start - 1 })}) - 1]\` for the last element`;
      return [pipelineDiagnostic("pipeline/negative-index", { path: shownText(ref.span) }, arg.span, { help })];
    }
    const base: Term = i === 0 ? ref.head : { ...ref, args: ref.args.slice(0, i) };
    if (!isOnly(kinds.of(arg), "string") || !isOnly(kinds.of(base), "array")) return [];
    const written = ref.span.start === ref.span.end ? arg.span : ref.span;
    const params = { path: kinds.shownText(ref), list: kinds.shownText(base) };
    return [pipelineDiagnostic("pipeline/key-in-list", params, written)];
  });
}

/** Gate ARGUMENTS has refused a call that has it before it asks an author's. */
function otherArgument(ref: Ref, path: string, names: readonly string[]): Diagnostic {
  const [name = ""] = /(?<=^input\.args\.)\w+/.exec(path) ?? [];
  const near = didYouMean(name, names);
  const list = names.map((n) => `\`${n}\``).join(", ");
  const help = `the tool takes ${list === "" ? "no argument" : list}, and \`other_arguments\` are denied`;
  return pipelineDiagnostic(
    "pipeline/unknown-input",
    { path, decision: "call" },
    ref.span,
    near.meant === undefined ? { help } : near,
  );
}
