// Findings in the sources, and the coverage of their tests.

import { el } from "./dom.mjs";

export function findingsView({ findings, coverage }) {
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
