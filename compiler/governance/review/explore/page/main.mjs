// The page: reads the facts, makes the views, loads the policies.

import { accessView } from "./access.mjs";
import { cellsOf } from "./cells.mjs";
import { changesNotice, changesView } from "./changes.mjs";
import { el, number } from "./dom.mjs";
import { findingsView } from "./findings.mjs";
import { graphView } from "./graph.mjs";
import { loadPolicies } from "./policies.mjs";
import { requestView } from "./request.mjs";
import { rulesView } from "./rules.mjs";

const facts = JSON.parse(document.getElementById("facts").textContent);
const policies = { now: undefined, before: undefined };

const cells = cellsOf(facts, policies);
const request = requestView(facts, policies, cells);
const access = accessView(facts, policies, cells, (wanted) => {
  select("request", true);
  request.fill(wanted);
});
if (facts.changes !== undefined) access.node.prepend(changesNotice(facts, () => select("changes", true)));

const VIEWS = [
  ["access", "Access", access.node],
  ["request", "Ask", request.node],
  [
    "agents",
    "Agents",
    el(
      "div",
      {},
      graphView({ title: "Which agent type may spawn which", verb: "may spawn", graph: facts.spawns }),
      graphView({ title: "Which agent may delegate to which", verb: "may delegate to", graph: facts.delegations }),
    ),
  ],
  ["rules", "Rules", rulesView(facts)],
  ["findings", "Findings", findingsView(facts)],
  ...(facts.against ? [["changes", "Changes", changesView(facts)]] : []),
];

function select(id, focus = false) {
  for (const [name] of VIEWS) {
    const tab = document.getElementById(`tab-${name}`);
    const isIt = name === id;
    tab.setAttribute("aria-selected", String(isIt));
    tab.tabIndex = isIt ? 0 : -1;
    document.getElementById(`view-${name}`).hidden = !isIt;
    if (isIt && focus) tab.focus();
  }
}

function tabs() {
  const list = el("div", {
    role: "tablist",
    "aria-label": "Views",
    class: "tabs",
    onkeydown: (event) => {
      const at = VIEWS.findIndex(([id]) => document.getElementById(`tab-${id}`) === document.activeElement);
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step !== undefined && at >= 0) select(VIEWS[(at + step + VIEWS.length) % VIEWS.length][0], true);
    },
  });
  list.append(
    ...VIEWS.map(([id, title]) =>
      el(
        "button",
        { role: "tab", type: "button", id: `tab-${id}`, "aria-controls": `view-${id}`, onclick: () => select(id) },
        title,
      ),
    ),
  );
  return list;
}

function themeButton() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const button = el("button", {
    type: "button",
    class: "theme",
    onclick: () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      name();
    },
  });
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
  };
  dark.addEventListener("change", name);
  name();
  return button;
}

const state = el("span", { class: "state", role: "status" }, "loading the policy…");
const stats = ["roles", "lanes", "tools", "agents", "types"].map((k) =>
  el("li", {}, el("strong", {}, number(facts[k].length)), ` ${k === "types" ? "agent types" : k}`),
);
document.body.append(
  el("a", { class: "skip", href: "#views" }, "Skip to the views"),
  el(
    "header",
    {},
    el(
      "div",
      { class: "title" },
      el("h1", {}, facts.name),
      el(
        "p",
        { class: "note" },
        `revision ${facts.revision}`,
        facts.against ? ` · against ${facts.against.name}, revision ${facts.against.revision}` : "",
        " · ",
        state,
      ),
    ),
    themeButton(),
    el("ul", { class: "stats", "aria-label": "What there is" }, stats),
    tabs(),
  ),
  el(
    "main",
    { id: "views", tabindex: "-1" },
    VIEWS.map(([id, title, node]) =>
      el("section", { role: "tabpanel", id: `view-${id}`, "aria-labelledby": `tab-${id}` }, el("h2", {}, title), node),
    ),
  ),
);
const paper = el("div", { class: "paper", "aria-hidden": "true" });
document.getElementById("view-access").append(paper);
addEventListener("beforeprint", () => paper.replaceChildren(...access.print()));
addEventListener("afterprint", () => paper.replaceChildren());
select("access");
access.update();
document.documentElement.dataset.drawn = String(Math.round(performance.now()));

requestAnimationFrame(() =>
  setTimeout(async () => {
    try {
      Object.assign(policies, await loadPolicies());
      state.textContent = "the policy is loaded";
      access.loaded();
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
    } catch (error) {
      state.textContent = "the policy could not be loaded";
      policies.failed = `The policy could not be loaded: ${error.message}`;
      access.failed(policies.failed);
      document.documentElement.dataset.failed = error.message;
    }
  }),
);

/** For programs that drive the page: asks the policy that the page asks. */
globalThis.portcullis = policies;
