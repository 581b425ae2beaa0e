// All that the policy says beside its tables: approvals, arguments, limits, gates of the house, and what every call has to meet.

import { sentence } from "./conditions.mjs";
import { el, number } from "./dom.mjs";

/** Rows of one table that are shown. */
const MOST = 500;

export function rulesView(facts) {
  const { texts, now } = facts.conditions;
  const said = (places, kind) => places.map((place) => texts[place]).filter(([of]) => of === kind);
  const byTool = (kind) =>
    facts.tools.flatMap(([tool], at) => {
      const sentences = said(now.tools[at], kind).map(([, says]) => says);
      return sentences.length === 0 ? [] : [[tool, sentences]];
    });
  return el(
    "div",
    {},
    tools("Tools whose calls need a person", byTool("approvals"), "No call needs an approval."),
    plain("Who approves", facts.approvers, "There are no approvers."),
    tools("Tools whose arguments are ruled", byTool("arguments"), "No tool says what its arguments may be."),
    plain("How often, how much, in which order and when", facts.limits, "There are no limits."),
    plain(
      "Chains of agents",
      said(now.everywhere, "chain").map(([, says]) => says),
      "No agent type has a manifest.",
    ),
    houseGates(facts.houseGates),
  );
}

function block(title, rows, none, content) {
  return el("section", {}, el("h3", {}, title), rows.length === 0 ? el("p", { class: "note" }, none) : content());
}

function plain(title, sentences, none) {
  const items = () =>
    el(
      "ul",
      { class: "rows" },
      sentences.slice(0, MOST).map((text) => el("li", {}, ...sentence(text))),
    );
  return block(title, sentences, none, items);
}

function tools(title, rows, none) {
  return block(title, rows, none, () => {
    const head = el(
      "tr",
      {},
      ["tool", "what is asked"].map((h) => el("th", { scope: "col" }, h)),
    );
    const body = rows.slice(0, MOST).map(([tool, sentences]) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("code", {}, tool)),
        el(
          "td",
          {},
          sentences.map((text) => el("div", {}, ...sentence(text))),
        ),
      ),
    );
    const more =
      rows.length > MOST ? el("p", { class: "note" }, `The first ${MOST} of ${number(rows.length)}.`) : undefined;
    return el("div", {}, el("table", { class: "said" }, el("thead", {}, head), el("tbody", {}, body)), more);
  });
}

const FORMS = { must: "denies where none of these holds", deny: "denies where one of these holds" };

function houseGates(gates) {
  return block("Gates of the house", gates, "The house has no gates of its own.", () =>
    el(
      "div",
      {},
      gates.map(({ decision, form, gate, reason, says, rules }) =>
        el(
          "article",
          { class: "house" },
          el(
            "h4",
            {},
            el("code", {}, gate ?? "a gate whose name is computed"),
            ` of the ${decision} decision`,
            ...(reason === undefined ? [] : [": ", el("code", {}, reason)]),
          ),
          says === undefined ? undefined : el("p", {}, says),
          el("p", { class: "note" }, FORMS[form]),
          rules.flatMap(({ text, place: { file, line, column } }) => [
            el("pre", { tabindex: "0" }, text),
            el("p", { class: "note" }, el("code", {}, `${file}:${line}:${column}`)),
          ]),
        ),
      ),
    ),
  );
}
