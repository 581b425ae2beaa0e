/** Rules that differ between two policies, in the words in which people are told them: approvals, arguments and limits. */

import type { JsonObject } from "@portcullis/rego/value";
import { approverWords, argumentWords, limitWords, wordsOfApproval } from "../../lower/index.ts";
import { writtenData } from "../bundle-data.ts";
import type { Path } from "../explain/edit.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { keys, member, policyTables } from "../policy-ids.ts";
import type { BothPlaces, DiffPlaces } from "./places.ts";

/** A rule as each of the policies says it; absent where it says nothing. */
export interface RuleChange {
  /** `limit PAYOUTS`, `approver m.ortiz`, `approval of payout.release`, `arguments of payout.release`. */
  readonly rule: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Where an author wrote it. */
  readonly places?: BothPlaces;
}

export function compareRuleWords(before: OpenedPolicy, after: OpenedPolicy, places: DiffPlaces): RuleChange[] {
  const [old, fresh] = [before, after].map((opened) => rulesOf(policyTables(writtenData(opened)))) as [Rules, Rules];
  return [...new Map([...old, ...fresh])].flatMap(([rule, { path }]) => {
    const change = { rule, before: old.get(rule)?.says, after: fresh.get(rule)?.says };
    if (change.before === change.after) return [];
    return [{ ...change, ...places.placesOf(["portcullis", "policy", ...path]) }];
  });
}

interface Said {
  readonly says: string;
  /** Below the tables of the policy. */
  readonly path: Path;
}

type Rules = ReadonlyMap<string, Said>;

function rulesOf(tables: JsonObject | undefined): Rules {
  const tools = keys(tables?.["tools"]);
  return new Map([
    ...approverWords(tables).map(({ approver, says }): [string, Said] => [
      `approver ${approver}`,
      { says: `${says}, with ${approverKey(tables, approver)}`, path: ["approvers", approver] },
    ]),
    ...tools.flatMap((tool): [string, Said][] => {
      const says = wordsOfApproval(tables, tool);
      return says === undefined ? [] : [[`approval of ${tool}`, { says, path: ["tools", tool, "approval"] }]];
    }),
    ...tools.flatMap((tool): [string, Said][] => {
      // Whole lists: what differs may stand far behind.
      const said = argumentWords(tables, tool, Number.POSITIVE_INFINITY);
      const says = [...said, ...typesOf(tables, tool)].join("; ");
      return said.length === 0 ? [] : [[`arguments of ${tool}`, { says, path: ["tools", tool, "arguments"] }]];
    }),
    ...limitWords(tables).map(({ limit, says }): [string, Said] => [
      `limit ${limit}`,
      { says, path: ["limits", limit] },
    ]),
  ]);
}

/** One sentence for the types of all arguments, and whose paths they are: what they may be often says neither. */
export function typesOf(tables: unknown, tool: string): string[] {
  const said = member(member(member(tables, "tools"), tool), "arguments");
  const types = keys(said).map((name) => {
    const rule = member(said, name);
    const own = JSON.stringify(rule).includes('"resolve":"text"') ? ", a path as it is written" : "";
    return `\`${name}\` is ${String(member(rule, "type"))}${own}`;
  });
  return types.length === 0 ? [] : [types.join(", ")];
}

/** The key of an approver, as far as people tell keys apart. */
function approverKey(tables: unknown, approver: string): string {
  const key = member(member(member(tables, "approvers"), approver), "key");
  const texts = ["x", "n"].flatMap((part) => {
    const text = member(key, part);
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? "a key" : `key ${(texts[0] as string).slice(0, 16)}…`;
}
