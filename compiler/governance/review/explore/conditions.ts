/** On what an allow of the tables still depends, in sentences: the scope, flags, writes, approval, arguments, limits and chain. */

import { approverWords, argumentWords, limitWords, wordsOfApproval } from "../../lower/index.ts";
import { typesOf } from "../diff/rule-words.ts";
import { keys, member } from "../policy-ids.ts";

export type ConditionKind = "scope" | "flags" | "writes" | "chain" | "approvals" | "arguments" | "limits";

/** A sentence, without a period; for scopes with the keys that are asked for. Ids stand in backticks. */
export type Condition = readonly [kind: ConditionKind, says: string, scopeKeys?: readonly string[]];

/** By the places of tools and lanes in the page's lists, the places of their sentences in `texts`. */
export interface PlacedConditions {
  readonly tools: readonly (readonly number[])[];
  readonly lanes: readonly (readonly number[])[];
  /** What is asked of every call. */
  readonly everywhere: readonly number[];
}

/** Sentences of one or two policies, each once: the tools of a large policy say much the same. */
export class ConditionTexts {
  readonly texts: Condition[] = [];
  private readonly known = new Map<string, number>();

  placed(tables: unknown, tools: readonly string[], lanes: readonly string[]): PlacedConditions {
    return {
      tools: tools.map((tool) => this.placesOf(toolConditions(tables, tool))),
      lanes: lanes.map((lane) => this.placesOf(laneConditions(tables, lane))),
      everywhere: this.placesOf(chainConditions(tables)),
    };
  }

  private placesOf(conditions: readonly Condition[]): number[] {
    return conditions.map((condition) => {
      const key = JSON.stringify(condition);
      let place = this.known.get(key);
      if (place === undefined) {
        place = this.texts.push(condition) - 1;
        this.known.set(key, place);
      }
      return place;
    });
  }
}

export function toolConditions(tables: unknown, tool: string): Condition[] {
  const row = member(member(tables, "tools"), tool);
  const approval = wordsOfApproval(tables, tool);
  const targets = keys(member(row, "write_targets"));
  return [
    ...asksFor(keys(member(row, "scope_keys")), "the tool"),
    ...forbids(keys(member(row, "prohibited_flags")), "the tool"),
    ...(targets.length === 0 ? [] : [["writes", `the tool may write ${quoted(targets)}`] as const]),
    ...(approval === undefined ? [] : [["approvals", approval] as const]),
    ...(approval === undefined
      ? []
      : approverWords(tables, tool).map(({ approver, says }): Condition => ["approvals", `\`${approver}\` ${says}`])),
    ...argumentConditions(tables, tool),
    ...limitWords(tables, tool).map(({ limit, says }): Condition => ["limits", `\`${limit}\` ${says}`]),
  ];
}

/** Also the types, which the sentences leave out where members say more. */
function argumentConditions(tables: unknown, tool: string): Condition[] {
  const said = argumentWords(tables, tool);
  return said.length === 0 ? [] : [...said, ...typesOf(tables, tool)].map((says): Condition => ["arguments", says]);
}

function laneConditions(tables: unknown, lane: string): Condition[] {
  const row = member(member(tables, "lanes"), lane);
  const writes = member(row, "writes");
  const modes = keys(writes).map((table) => `\`${table}\` (${keys(member(writes, table)).join(", ")})`);
  return [
    ...asksFor(keys(member(row, "requires")), "the lane"),
    ...forbids(keys(member(row, "prohibits")), "the lane"),
    ...(modes.length === 0 ? [] : [["writes", `the lane may write ${modes.join(", ")}`] as const]),
  ];
}

function chainConditions(tables: unknown): Condition[] {
  const settings = member(tables, "settings");
  if (keys(member(tables, "manifests")).length === 0) return [];
  const call = member(settings, "call");
  const isAsked = member(call, "lineage") === "required";
  const strangers = member(call, "unknown_agents") === "allow" ? "; one without a manifest passes" : "";
  return [
    ["chain", isAsked ? "a call says its chain of agents" : "a call may leave out its chain of agents"],
    ["chain", `every agent of the chain may be given the tool by its manifest${strangers}`],
  ];
}

function asksFor(names: readonly string[], whose: string): Condition[] {
  return names.length === 0 ? [] : [["scope", `${whose} asks for ${quoted(names)} in the scope`, names]];
}

function forbids(names: readonly string[], whose: string): Condition[] {
  return names.length === 0 ? [] : [["flags", `${whose} takes no call with the flag ${quoted(names, " or ")}`]];
}

function quoted(names: readonly string[], between = ", "): string {
  return names.map((name) => `\`${name}\``).join(between);
}
