// Findings in the sources, and the coverage of their tests.

import { el } from "./dom.mjs";

const table = (heads, rows) =>
  el(
    "table",
    {},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((cells) => el("tr", {}, cells)),
    ),
  );

const findingRow = ({ severity, place, message, help, code }) => [
  el("td", {}, el("span", { class: `mark ${severity}` }, severity)),
  el("td", {}, el("code", {}, place || "—")),
  el("td", {}, message, help ? el("div", { class: "note" }, help) : undefined, el("div", { class: "note" }, code)),
];

const coverageRow = ({ file, percent, notCovered }) => [
  el("th", { scope: "row" }, el("code", {}, file)),
  el("td", {}, `${percent.toFixed(1)} %`),
  el("td", {}, notCovered.join(", ") || "none"),
];

export function findingsView({ findings, coverage }) {
  const parts = [el("h3", {}, "Findings")];
  if (findings === undefined)
    parts.push(el("p", {}, "A bundle has none: they are of sources. Name the folder to have them here."));
  else if (findings.length === 0) parts.push(el("p", { class: "verdict allow" }, "No findings."));
  else parts.push(table(["severity", "place", "what"], findings.map(findingRow)));
  parts.push(el("h3", {}, "Coverage of tests"));
  if (coverage === undefined) parts.push(el("p", {}, "There are no tests to measure."));
  else
    parts.push(
      el("p", {}, `${coverage.own.toFixed(1)} % of the author's own rules, ${coverage.percent.toFixed(1)} % of all.`),
      table(["file", "covered", "rows that no test made succeed"], coverage.files.map(coverageRow)),
    );
  return el("div", {}, parts);
}
