/**
 * What a bundle tells its hosts beside the data that decides: under which name they keep the history, and what they read of limits and
 * approvers to make the facts of calls. No request shows a difference of these.
 */

import { isJsonEqual } from "@portcullis/rego/value";
import type { OpenedPolicy } from "../opened-policy.ts";
import { keys, member, policyTables } from "../policy-ids.ts";
import type { Unseen } from "./unseen.ts";

export function hostChanges(before: OpenedPolicy, after: OpenedPolicy): Unseen[] {
  const [old, fresh] = [before, after].map(({ policy }) => policy.historyName ?? "policy");
  const isKept = before.policy.limits !== undefined && after.policy.limits !== undefined;
  const renamed = "by itself it allows more: hosts keep the history under this name, and it starts anew";
  return [
    ...(isKept && old !== fresh ? [{ part: "manifest", path: "history_name", why: renamed } as const] : []),
    ...after.policy.entrypoints.flatMap((name): Unseen[] => {
      if (before.policy.entrypoints.includes(name)) return [];
      return [{ part: "manifest", path: "entrypoints", why: `\`${name}\` may be asked, and could not be before` }];
    }),
    ...["limits", "approvers"].flatMap((table): Unseen[] => {
      if (!differs(after, table) || differs(before, table)) return [];
      return [{ part: "manifest", path: table, why: "hosts are told otherwise than what decides" }];
    }),
  ];
}

/** Whether hosts are told of other limits, or approvers, than stand in the data. */
function differs({ policy, data }: OpenedPolicy, table: string): boolean {
  const decides = policyTables(data)?.[table];
  if (table === "limits") return !isJsonEqual(policy.limits ?? {}, decides ?? {});
  const told = policy.approvals?.approvers;
  // Where no call needs a bound approval, hosts are told of no approver.
  if (told === undefined) return policyTables(data)?.["approval_revision"] !== undefined;
  const names = keys(decides);
  return (
    names.length !== keys(told).length ||
    names.some((name) =>
      ["key", "tools", "until_ms"].some(
        (part) => !isJsonEqual(member(member(told, name), part) ?? null, member(member(decides, name), part) ?? null),
      ),
    )
  );
}
