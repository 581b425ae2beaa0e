// What differs from the other policy, as `portcullis diff` says it.

import { sentence } from "./conditions.mjs";
import { changeMark, el, number } from "./dom.mjs";

const UNKNOWN = "there is too much to ask: run `portcullis diff`";
const at = ({ file, line, column }) => `${file}:${line}:${column}`;

/** Where it stands in both sources. */
function placesNode(places) {
  if (places === undefined) return undefined;
  const { before, after } = places;
  const parts = [
    ...(before ? ["before ", el("code", {}, at(before))] : []),
    before && after ? " · " : "",
    ...(after ? ["now ", el("code", {}, at(after))] : []),
  ];
  return el("div", { class: "note" }, ...parts);
}

const said = ({ gate, reason }) => el("code", {}, `${gate} ${reason}`);
const or = (text) => (text === undefined ? el("em", {}, "nothing") : text);

function section(title, { total, shown }, isUnknown, item, none) {
  const items = shown.map((one) => el("li", {}, ...item(one)));
  const more =
    total > shown.length
      ? el("p", { class: "note" }, `The first ${number(shown.length)}: \`portcullis diff --all\` has them all.`)
      : undefined;
  return el(
    "section",
    {},
    el("h3", {}, `${title}: ${isUnknown ? "unknown" : number(total)}`),
    items.length > 0 ? el("ul", { class: "rows" }, items) : el("p", { class: "note" }, isUnknown ? UNKNOWN : none),
    more,
  );
}

const decided = ({ space, request, before, after }) => [
  `${space} `,
  ...Object.entries(request).flatMap(([axis, id]) => [`${axis} `, el("code", {}, id), " "]),
  said(before),
  " → ",
  said(after),
];
const MARKS = { "newly-allowed": "now", "newly-denied": "before" };
const foundRequest = ({ kind, decision, input, before, after }) => [
  el("span", { class: `mark ${MARKS[kind] ?? ""}` }, kind.replace("-", " ")),
  ` ${decision} `,
  ...["role", "lane", "tool"].flatMap((axis) =>
    typeof input[axis] === "string" ? [`${axis} `, el("code", {}, input[axis]), " "] : [],
  ),
  said(before),
  " → ",
  said(after),
  el("details", {}, el("summary", {}, "The request"), el("pre", { tabindex: "0" }, JSON.stringify(input, null, 1))),
];
const ORDER = ["newly-allowed", "newly-denied", "changed-reason"];
const inOrder = ({ total, shown }) => ({
  total,
  shown: [...shown].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)),
});

export function changesView(facts) {
  const { decisions, found, unseen, rules, contents, tooMany } = facts.changes;
  return el(
    "div",
    {},
    section("Allowed now, denied before", decisions["newly-allowed"], tooMany, decided, "none"),
    section("Denied now, allowed before", decisions["newly-denied"], tooMany, decided, "none"),
    section(
      "Requests beyond the tables that are answered otherwise",
      inOrder(found),
      tooMany,
      foundRequest,
      "none was found",
    ),
    section(
      "Unknown, may allow more: read them",
      unseen,
      tooMany,
      ({ path, why, places }) => [el("code", {}, path), `: ${why}`, placesNode(places)],
      "none",
    ),
    section(
      "What rules say of approvals, arguments and limits",
      rules,
      false,
      ({ rule, before, after, places }) => [
        el("code", {}, rule),
        ": ",
        or(before),
        " → ",
        or(after),
        placesNode(places),
      ],
      "no difference",
    ),
    ids(facts),
    section("Denied both times, for another reason", decisions["changed-reason"], tooMany, decided, "none"),
    section(
      "In the data, the Rego and the manifest",
      contents,
      false,
      ({ part, kind, path, before, after, places }) => [
        el("span", { class: `mark ${{ added: "now", removed: "before" }[kind] ?? ""}` }, kind),
        ` ${part === "data" ? "" : `${part} `}`,
        el("code", {}, path),
        before === undefined && after === undefined ? "" : ": ",
        [before, after].filter((text) => text !== undefined).join(" → "),
        placesNode(places),
      ],
      "no difference",
    ),
  );
}

const KINDS = { roles: "role", lanes: "lane", tools: "tool", agents: "agent", types: "agent type" };

function ids(facts) {
  const changed = Object.entries(KINDS).flatMap(([kind, word]) =>
    facts[kind].filter(([, only]) => only !== undefined).map(([name, only]) => ({ word, name, only })),
  );
  const some = { total: changed.length, shown: changed.slice(0, 1_000) };
  const item = ({ word, name, only }) => [changeMark(only), ` ${word} `, el("code", {}, name)];
  return section("Roles, lanes, tools and agents that are new or gone", some, false, item, "no difference");
}

/** Above the tables: that they are not all that differs. */
export function changesNotice(facts, open) {
  const { decisions, found, unseen, contents, tooMany } = facts.changes;
  const count = (n, word) => (n === 0 ? [] : [`${number(n)} ${word}`]);
  const parts = [
    ...count(decisions["newly-allowed"].total, "newly allowed"),
    ...count(decisions["newly-denied"].total, "newly denied"),
    ...count(found.total, "requests beyond the tables"),
    ...count(unseen.total, "unknown"),
    ...(tooMany ? ["too much to ask"] : []),
    ...count(contents.total, contents.total === 1 ? "difference of content" : "differences of content"),
  ];
  const text =
    parts.length === 0 ? ["The two policies say the same."] : sentence(`Not the same: ${parts.join(", ")}. `);
  return el(
    "p",
    { class: `notice ${parts.length === 0 ? "" : "differs"}` },
    ...text,
    parts.length === 0 ? undefined : el("button", { type: "button", class: "plain", onclick: open }, "Changes"),
  );
}
