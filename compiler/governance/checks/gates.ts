/**
 * What the library says of its gates, in the METADATA of the rules that decide them: the only place that knows a gate. Lists,
 * hovers, explanations, gateways, proofs and the reference are made from it.
 *
 *     # METADATA
 *     # custom:
 *     #   gate: LANE_ROLE
 *     #   rule: the lane admits the role
 *     #   depends: data
 *     #   says:
 *     #     role_not_allowed_for_lane: lane {lane} does not admit role {role}
 *     role_allowed if policy.lanes[input.lane].roles[input.role]
 *
 * `rule` stands at one of the rules of a gate, and `depends` is the same at all of them. `judges: contract` says that a contract
 * which makes the gate deny is not signed.
 */

import type { Module } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { GATE_DEPENDS, GATE_JUDGES, type GateDescription } from "@portcullis/runtime/abi";
import { answersOf } from "./answers.ts";
import { importedModules } from "./imported-modules.ts";

/** Another decision, whose gates are asked in this place. */
export interface ComposedGates {
  readonly of: string;
}

/**
 * The gates of the module of a decision, in the order in which its `verdict` asks them, each with its reasons in their order.
 * `library`: the modules that it may import rules of, which describe their gates themselves. Throws where a denial has no METADATA,
 * where METADATA describes no denial, and for METADATA that is not whole.
 */
export function describedGates(module: Module, library: readonly Module[] = []): (GateDescription | ComposedGates)[] {
  const wrong = (problem: string): Error => new Error(`${module.span.file.name}: ${problem}`);
  const described = readMetadata([module, ...importedModules(module, library).values()], wrong);
  const found = new Map<string, GateDescription | ComposedGates>();
  const told = new Set<string>();
  for (const { of, allowed, gate, reason } of answersOf(module, library)) {
    if (of !== undefined) found.set(`of ${of}`, { of });
    if (of !== undefined || allowed) continue;
    const about = described.get(gate);
    const sentence = about?.says[reason];
    if (about === undefined || sentence === undefined)
      throw wrong(`no METADATA says what gate \`${gate}\` means by \`${reason}\``);
    told.add(JSON.stringify([gate, reason]));
    const before = found.get(gate);
    const says = { ...(before !== undefined && "says" in before ? before.says : {}), [reason]: sentence };
    found.set(gate, { ...about, says });
  }
  for (const { gate, says } of described.values())
    for (const reason of Object.keys(says))
      if (!told.has(JSON.stringify([gate, reason])))
        throw wrong(`METADATA describes \`${gate}\` with \`${reason}\`, and no denial says it`);
  return [...found.values()];
}

/** By gate, what the annotations of all its rules say together. */
function readMetadata(modules: readonly Module[], wrong: (problem: string) => Error): Map<string, GateDescription> {
  const parts = new Map<string, { [key: string]: Value }[]>();
  for (const { annotation } of modules.flatMap((m) => m.annotations)) {
    const custom = membersOf(annotation.custom);
    const { gate } = custom;
    if (gate === undefined) continue;
    const name = stringOf(gate);
    const extra = Object.keys(custom).filter((key) => !KEYS.includes(key));
    if (name === undefined || extra.length > 0)
      throw wrong(`METADATA of a gate has ${KEYS.join(", ")}: ${extra.join(", ")}`);
    parts.set(name, [...(parts.get(name) ?? []), custom]);
  }
  return new Map([...parts].map(([gate, all]) => [gate, described(gate, all, wrong)]));
}

const KEYS = ["gate", "rule", "depends", "judges", "says"];

function described(
  gate: string,
  all: readonly { readonly [key: string]: Value }[],
  wrong: (problem: string) => Error,
): GateDescription {
  const says = all.flatMap(({ says: of }) => Object.entries(membersOf(of)).map(([k, v]) => [k, stringOf(v)] as const));
  const rules = all.flatMap(({ rule }) => (rule === undefined ? [] : [stringOf(rule)]));
  const kinds = new Set(all.map(({ depends }) => stringOf(depends)));
  const depends = GATE_DEPENDS.find((kind) => kinds.size === 1 && kinds.has(kind));
  const [rule] = rules;
  const judges = all.flatMap(({ judges: of }) => (of === undefined ? [] : [stringOf(of)]));
  const judged = GATE_JUDGES.find((of) => of === judges[0]);
  if (judges.some((of) => judged === undefined || of !== judged))
    throw wrong(`what gate \`${gate}\` judges is one of ${GATE_JUDGES.join(", ")}`);
  if (rule === undefined || rules.length !== 1)
    throw wrong(`one METADATA of gate \`${gate}\` has its \`rule\`, a text`);
  if (depends === undefined)
    throw wrong(`every METADATA of gate \`${gate}\` has the same \`depends\`: ${GATE_DEPENDS.join(", ")}`);
  if (says.length === 0 || says.some(([, sentence]) => sentence === undefined))
    throw wrong(`METADATA of gate \`${gate}\` has \`says\`: by reason, a sentence`);
  if (new Set(says.map(([reason]) => reason)).size < says.length)
    throw wrong(`METADATA of gate \`${gate}\` says a reason twice`);
  const sentences = Object.fromEntries(says) as { [reason: string]: string };
  return { gate, rule, depends, ...(judged === undefined ? {} : { judges: judged }), says: sentences };
}

function membersOf(value: Value | undefined): { [key: string]: Value } {
  if (value?.kind !== "object") return {};
  return Object.fromEntries(value.entries.map(([key, member]) => [stringOf(key) ?? "", member]));
}

function stringOf(value: Value | undefined): string | undefined {
  return value?.kind === "string" ? value.value : undefined;
}
