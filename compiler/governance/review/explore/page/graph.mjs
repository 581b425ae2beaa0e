// A graph that was laid out when the page was made, and the same as a table.

import { changeMark, el, svg } from "./dom.mjs";

export function graphView({ title, verb, graph }) {
  const pieces = [el("h3", {}, title)];
  if (graph.nodes.length > 0)
    pieces.push(
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, picture(title, graph)),
    );
  else
    pieces.push(
      el(
        "p",
        {},
        graph.tooMany
          ? "There are too many for a picture that anybody could read; the table has them all."
          : "Nothing to draw.",
      ),
    );
  if (graph.edges.length > 0) {
    const rows = graph.edges
      .slice(0, 2_000)
      .map((e) => el("tr", {}, el("th", { scope: "row" }, e.from), el("td", {}, e.to, " ", changeMark(e.only))));
    const head = el("tr", {}, el("th", { scope: "col" }, "agent"), el("th", { scope: "col" }, verb));
    const more =
      graph.edges.length > rows.length ? el("p", {}, `The first ${rows.length} of ${graph.edges.length}.`) : undefined;
    pieces.push(
      el(
        "details",
        {},
        el("summary", {}, "As a table"),
        more,
        el("table", {}, el("thead", {}, head), el("tbody", {}, rows)),
      ),
    );
  }
  if (graph.alone.length > 0)
    pieces.push(
      el(
        "p",
        { class: "note" },
        `Without any: ${graph.alone
          .slice(0, 40)
          .map(([n]) => n)
          .join(", ")}${graph.alone.length > 40 ? ` and ${graph.alone.length - 40} more` : ""}.`,
      ),
    );
  return el("section", {}, pieces);
}

function picture(title, { width, height, nodes, edges }) {
  const image = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${title}: a picture of the table below`,
  });
  image.append(
    svg(
      "defs",
      {},
      svg(
        "marker",
        { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" },
        svg("path", { d: "M0 0L8 4L0 8z", class: "head" }),
      ),
    ),
  );
  for (const { points, only } of edges) {
    if (points.length < 4) continue;
    const d = points.map((v, i) => (i === 0 ? `M${v}` : i % 2 === 0 ? `L${v}` : v)).join(" ");
    image.append(svg("path", { d, class: `edge ${only ?? ""}`, "marker-end": "url(#arrow)" }));
  }
  for (const { id, x, y, w, only } of nodes) {
    const name = id.length > 38 ? `${id.slice(0, 37)}…` : id;
    const label = svg("text", { x: x + w / 2, y: y + 20, "text-anchor": "middle" });
    label.textContent = name;
    const tip = svg("title");
    tip.textContent = id;
    image.append(
      svg("g", { class: `node ${only ?? ""}` }, tip, svg("rect", { x, y, width: w, height: 30, rx: 6 }), label),
    );
  }
  return image;
}
