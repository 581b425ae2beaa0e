/** Rules that differ between two policies, in the words in which people are told them: approvals, arguments and limits. */

import type { JsonObject } from "@portcullis/rego/value";
import { approverWords, argumentWords, limitWords, wordsOfApproval } from "../../lower/index.ts";
import { keys, member } from "../policy-ids.ts";

/** A rule as each of the policies says it; absent where it says nothing. */
export interface RuleChange {
  /** `limit PAYOUTS`, `approver m.ortiz`, `approval of payout.release`, `arguments of payout.release`. */
  readonly rule: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

export function compareRuleWords(before: JsonObject | undefined, after: JsonObject | undefined): RuleChange[] {
  const [old, fresh] = [rulesOf(before), rulesOf(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((rule) => {
    const change = { rule, before: old.get(rule), after: fresh.get(rule) };
    return change.before === change.after ? [] : [change];
  });
}

function rulesOf(tables: JsonObject | undefined): Map<string, string> {
  const tools = keys(tables?.["tools"]);
  return new Map([
    ...approverWords(tables).map(({ approver, says }) => [
      `approver ${approver}`,
      `${says}, with ${approverKey(tables, approver)}`,
    ]),
    ...tools.flatMap((tool) => {
      const approval = wordsOfApproval(tables, tool);
      return approval === undefined ? [] : [[`approval of ${tool}`, approval]];
    }),
    ...tools.flatMap((tool) => {
      const said = argumentWords(tables, tool);
      return said.length === 0 ? [] : [[`arguments of ${tool}`, `${said.join("; ")}; ${typesOf(tables, tool)}`]];
    }),
    ...limitWords(tables).map(({ limit, says }) => [`limit ${limit}`, says]),
  ] as [string, string][]);
}

/** The type of each argument, and whose path it is: its sentence leaves both out where members say more. */
function typesOf(tables: unknown, tool: string): string {
  const said = member(member(member(tables, "tools"), tool), "arguments");
  return keys(said)
    .map((name) => {
      const rule = member(said, name);
      const own = JSON.stringify(rule).includes('"resolve":"text"') ? ", a path as it is written" : "";
      return `\`${name}\` is ${String(member(rule, "type"))}${own}`;
    })
    .join(", ");
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
