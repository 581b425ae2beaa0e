// Sentences on what an allow depends, under a title for each kind.

import { el } from "./dom.mjs";

export const KINDS = {
  scope: "What its scope must say",
  flags: "Flags that it must not have",
  approvals: "Whose approval it needs",
  arguments: "What its arguments may be",
  limits: "How often, how much, in which order and when",
  chain: "Its chain of agents",
  writes: "What it may write",
};

/** A sentence with its ids, which stand in backticks, as code. */
export function sentence(text) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? el("code", {}, part) : part));
}

/** `before`: the sentences of the other policy, if there is one; what is on one side alone is marked. */
export function conditionLists(now, before = now) {
  const has = (list, { kind, says }) => list.some((one) => one.kind === kind && one.says === says);
  return Object.entries(KINDS).flatMap(([kind, title]) => {
    const items = [
      ...now.map((c) => ({ ...c, only: has(before, c) ? undefined : "now" })),
      ...before.filter((c) => !has(now, c)).map((c) => ({ ...c, only: "before" })),
    ].filter((c) => c.kind === kind);
    if (items.length === 0) return [];
    const rows = items.map(({ says, only }) =>
      el(
        "li",
        {},
        only ? el("span", { class: `mark ${only}` }, only === "now" ? "added" : "removed") : undefined,
        only ? " " : undefined,
        ...sentence(says),
      ),
    );
    return [el("div", { class: `condition ${kind}` }, el("h4", {}, title), el("ul", {}, rows))];
  });
}
