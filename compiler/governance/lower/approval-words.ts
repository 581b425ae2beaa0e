/** Who may approve which calls, in words for people: read from the policy's data, so that it is what decides. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";

/** By name, the sentences for all approvers, or for those that may approve calls of a tool. */
export function approverWords(policy: unknown, tool?: string): { readonly approver: string; readonly says: string }[] {
  const approvers = objectAt(policy, "approvers");
  return Object.entries(approvers).flatMap(([approver, row]) => {
    const { tools, until } = isJsonObject(row) ? row : {};
    const isFor = tool === undefined || tools === undefined || (isJsonObject(tools) && tools[tool] === true);
    if (!isFor) return [];
    const what = tools === undefined ? "every tool" : Object.keys(tools as object).join(", ") || "no tool";
    const day = until === undefined ? "" : `, until ${String(until)}`;
    return [{ approver, says: `may approve calls of ${what}${day}` }];
  });
}

/** Which calls of a tool need an approval, and whose; `undefined` for a tool whose calls need none. */
export function wordsOfApproval(policy: unknown, tool: string): string | undefined {
  const row = objectAt(objectAt(policy, "tools"), tool);
  const names = approverWords(policy, tool).map(({ approver }) => approver);
  const whose = names.length === 0 ? "no approver may give it" : `which ${names.join(" or ")} may give`;
  const bound = `an approval of the very call, ${whose}`;
  if (row["approval"] === "bound") return `every call needs ${bound}`;
  const some = row["bound_arguments"] === true ? [`some arguments need ${bound}`] : [];
  const person = "the approval of a person";
  if (row["approval"] === "required") return [`every call needs ${person}`, ...some].join("; ");
  const all = [...(asksPerson(row) ? [`some arguments need ${person}`] : []), ...some];
  return all.length === 0 ? undefined : all.join("; ");
}

/** Whether a value of some argument needs a person, and not an approval of the very call. */
function asksPerson(tool: JsonObject): boolean {
  return Object.values(objectAt(tool, "arguments")).some((rule) =>
    [rule, objectAt(rule, "each")].some((of) => isJsonObject(of) && of["asks"] !== undefined && of["bound"] !== true),
  );
}

function objectAt(value: unknown, name: string): JsonObject {
  const found = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isJsonObject(found) ? found : {};
}
