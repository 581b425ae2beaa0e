// The page: reads the facts, makes the views, loads the policies.

import { accessView } from "./access.mjs";
import { changeMark, el, number } from "./dom.mjs";
import { graphView } from "./graph.mjs";
import { loadPolicies } from "./policies.mjs";
import { requestView } from "./request.mjs";

const facts = JSON.parse(document.getElementById("facts").textContent);
const policies = { now: undefined, before: undefined };

const request = requestView(facts, policies);
const access = accessView(facts, policies, (wanted) => {
  select("request");
  request.fill(wanted);
});

function findingsView() {
  const { findings, coverage } = facts;
  const parts = [];
  parts.push(el("h3", {}, "Findings"));
  if (findings === undefined)
    parts.push(el("p", {}, "A bundle has none: they are of sources. Name the folder to have them here."));
  else if (findings.length === 0) parts.push(el("p", { class: "verdict allow" }, "No findings."));
  else
    parts.push(
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["severity", "place", "what"].map((h) => el("th", { scope: "col" }, h)),
          ),
        ),
        el(
          "tbody",
          {},
          findings.map((f) =>
            el(
              "tr",
              {},
              el("td", {}, el("span", { class: `mark ${f.severity}` }, f.severity)),
              el("td", {}, el("code", {}, f.place || "—")),
              el(
                "td",
                {},
                f.message,
                f.help ? el("div", { class: "note" }, f.help) : undefined,
                el("div", { class: "note" }, f.code),
              ),
            ),
          ),
        ),
      ),
    );
  parts.push(el("h3", {}, "Coverage of tests"));
  if (coverage === undefined) parts.push(el("p", {}, "There are no tests to measure."));
  else
    parts.push(
      el("p", {}, `${coverage.own.toFixed(1)} % of the author's own rules, ${coverage.percent.toFixed(1)} % of all.`),
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["file", "covered", "rows that no test made succeed"].map((h) => el("th", { scope: "col" }, h)),
          ),
        ),
        el(
          "tbody",
          {},
          coverage.files.map((f) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, el("code", {}, f.file)),
              el("td", {}, `${f.percent.toFixed(1)} %`),
              el("td", {}, f.notCovered.join(", ") || "none"),
            ),
          ),
        ),
      ),
    );
  return el("div", {}, parts);
}

/** What differs beside ids: rules in words, requests that are newly allowed, and what no request shows. */
function ruleChanges({ rules, allowed, unseen, tooMany }) {
  const list = (title, items, none) =>
    el(
      "section",
      {},
      el("h3", {}, title),
      items.length === 0 ? el("p", { class: "note" }, none) : el("ul", { class: "plain" }, items.slice(0, 500)),
    );
  const said = (text) => (text === undefined ? el("em", {}, "nothing") : text);
  const unknown = "there is too much to ask: run `portcullis diff`";
  return [
    list(
      `Allowed now, and denied before, beside the tables: ${tooMany ? "unknown" : number(allowed.length)}`,
      allowed.map(({ decision, input, before }) =>
        el("li", {}, `${decision} `, el("code", {}, JSON.stringify(input)), ` was ${before.gate} ${before.reason}`),
      ),
      tooMany ? unknown : "none was found",
    ),
    list(
      `May allow more, read them: ${tooMany ? "unknown" : number(unseen.length)}`,
      unseen.map(({ path, why }) => el("li", {}, el("code", {}, path), `: ${why}`)),
      tooMany ? unknown : "nothing",
    ),
    list(
      `Approvals, arguments and limits: ${number(rules.length)} changed`,
      rules.map(({ rule, before, after }) =>
        el("li", {}, el("code", {}, rule), ": ", said(before), " → ", said(after)),
      ),
      "the same in both",
    ),
  ];
}

function changesView() {
  const kinds = { roles: "Roles", lanes: "Lanes", tools: "Tools", agents: "Agents", types: "Agent types" };
  return el(
    "div",
    {},
    ...ruleChanges(facts.changes),
    Object.entries(kinds).map(([kind, title]) => {
      const changed = facts[kind].filter(([, only]) => only !== undefined);
      const items = changed
        .slice(0, 500)
        .map(([name, only]) => el("li", {}, changeMark(only), " ", el("code", {}, name)));
      return el(
        "section",
        {},
        el("h3", {}, `${title}: ${number(changed.length)} changed`),
        changed.length === 0 ? el("p", { class: "note" }, "the same in both") : el("ul", { class: "plain" }, items),
      );
    }),
  );
}

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
  ["findings", "Findings", findingsView()],
  ...(facts.against ? [["changes", "Changes", changesView()]] : []),
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
      state.textContent = `the policy could not be loaded, so nothing is decided: ${error.message}`;
    }
  }),
);

/** For programs that drive the page: asks the policy that the page asks. */
globalThis.portcullis = policies;
