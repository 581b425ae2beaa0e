/**
 * What an author claims of a policy, in YAML:
 *
 *     claims:
 *       - never: { decision: tool, role: WRITER, tool: [article.publish, article.retract] }
 *       - always: { decision: lane, role: WRITER, lane: DRAFTING }
 *         because: writers write
 *       - never: { decision: exec, input: { mode: newsroom, kind: inline } }
 *
 * A name is one or a list; an axis that is left out stands for every id that there is.
 */

import type { Policy } from "@portcullis/runtime";
import type { SourceFile } from "../../base/source-file.ts";
import type { Span } from "../../base/span.ts";
import { didYouMean } from "../../base/suggest.ts";
import { CliError, EXIT_USAGE } from "../../cli/exit.ts";
import { entryOf, parseYaml, type SourceNode, toPlain } from "../../sources/index.ts";
import { Asker, questions, type Space } from "../decision-space.ts";
import { requestOf } from "./properties.ts";
import { type Property, Witnesses } from "./property.ts";

export interface Claim {
  readonly holds: "never" | "always";
  readonly name: string;
  /** A part of a space, or one input of one entrypoint. */
  readonly about: Space | { readonly entrypoint: string; readonly input: unknown };
}

/** Throws CliError, with the place, for what is no list of claims, and for ids that the policy does not have. */
export function readClaims(file: SourceFile, spaces: readonly Space[], policy: Policy): Claim[] {
  const { root, diagnostics } = parseYaml(file);
  const broken = diagnostics.find((d) => d.severity === "error");
  if (broken !== undefined) throw wrong(file, broken.span, broken.message);
  const list = entryOf(root, "claims")?.value;
  if (root?.kind !== "Mapping" || list?.kind !== "Sequence")
    throw wrong(file, root?.span, "this file needs a list `claims`");
  return list.items.map((item) => readClaim(file, item, spaces, policy));
}

function readClaim(file: SourceFile, item: SourceNode, spaces: readonly Space[], policy: Policy): Claim {
  const [never, always] = ["never", "always"].map((key) => entryOf(item, key)?.value);
  const body = never ?? always;
  if (body?.kind !== "Mapping" || (never !== undefined && always !== undefined))
    throw wrong(file, item.span, "a claim is `never: {...}` or `always: {...}`");
  if (item.kind === "Mapping") allowKeys(file, item, ["never", "always", "because"]);
  const holds = never === undefined ? "always" : "never";
  const name = `${holds} ${JSON.stringify(toPlain(body))}`;
  const input = entryOf(body, "input");
  if (input !== undefined)
    return { holds, name, about: { entrypoint: entrypointOf(file, body, policy), input: toPlain(input.value) } };
  const decision = entryOf(body, "decision")?.value;
  const space = spaces.find((s) => decision?.kind === "String" && s.name === decision.value);
  if (space === undefined) {
    const names = spaces.map((s) => `\`${s.name}\``).join(", ");
    throw wrong(file, (decision ?? body).span, `\`decision\` is one of ${names}; others take an \`input\``);
  }
  allowKeys(file, body, ["decision", ...space.axes]);
  const ids = space.axes.map((axis, i) => chosenIds(file, entryOf(body, axis)?.value, axis, space.ids[i] as string[]));
  return { holds, name, about: { ...space, ids, size: ids.reduce((product, of) => product * of.length, 1) } };
}

function entrypointOf(file: SourceFile, body: SourceNode, policy: Policy): string {
  const [decision, entrypoint] = ["decision", "entrypoint"].map((key) => entryOf(body, key)?.value);
  if (body.kind === "Mapping") allowKeys(file, body, ["decision", "entrypoint", "input"]);
  const node = entrypoint ?? decision;
  const name =
    node?.kind !== "String" ? "" : entrypoint === undefined ? `portcullis/${node.value}/decision` : node.value;
  if (!policy.entrypoints.includes(name)) {
    const { help } = didYouMean(name, policy.entrypoints);
    throw wrong(file, (node ?? body).span, `the policy has no entrypoint \`${name}\``, help);
  }
  return name;
}

/** A claim about an id that is not there would hold for no reason. */
function chosenIds(file: SourceFile, node: SourceNode | undefined, axis: string, known: readonly string[]): string[] {
  if (node === undefined) return [...known];
  const items = node.kind === "Sequence" ? node.items : [node];
  return items.map((item) => {
    if (item.kind !== "String") throw wrong(file, item.span, `\`${axis}\` is a name or a list of names`);
    if (known.includes(item.value)) return item.value;
    throw wrong(file, item.span, `the policy has no ${axis} \`${item.value}\``, didYouMean(item.value, known).help);
  });
}

function allowKeys(file: SourceFile, node: SourceNode & { kind: "Mapping" }, known: readonly string[]): void {
  const stranger = node.entries.find((e) => !known.includes(e.key));
  if (stranger !== undefined)
    throw wrong(file, stranger.keySpan, `unknown key \`${stranger.key}\``, `the keys here are ${known.join(", ")}`);
}

function wrong(file: SourceFile, span: Span | undefined, message: string, help?: string): CliError {
  const at = span === undefined ? "" : `:${file.positionAt(span.start).line}:${file.positionAt(span.start).column}`;
  return new CliError(`${file.name}${at}: ${message}`, EXIT_USAGE, help);
}

export function checkClaim(policy: Policy, claim: Claim, step: () => void): Property {
  const witnesses = new Witnesses();
  const { about, holds } = claim;
  if ("entrypoint" in about) {
    const result = policy.evaluate(about.entrypoint, about.input);
    const allowed = result === true || (result as { allowed?: unknown } | undefined)?.allowed === true;
    witnesses.asked = 1;
    if (allowed !== (holds === "always"))
      witnesses.add(about, undefined, `the answer is ${JSON.stringify(result) ?? "undefined"}`);
    return witnesses.property(claim.name);
  }
  const asker = new Asker(policy);
  for (const ids of questions(about)) {
    step();
    witnesses.asked++;
    const answer = asker.ask(about.name, ids);
    if (answer.allowed !== (holds === "always"))
      witnesses.add(requestOf(about, ids), answer, answer.allowed ? "it is allowed" : "it is denied");
  }
  return witnesses.property(claim.name);
}
