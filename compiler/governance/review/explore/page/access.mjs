// Who may do what: tools by lanes, roles by lanes, tools by agent types. Every cell is asked of the policy.

import { allows } from "./allows.mjs";
import { SAYS } from "./cells.mjs";
import { detailPane } from "./detail.mjs";
import { el, number } from "./dom.mjs";
import { grid } from "./grid.mjs";

const PIVOTS = {
  tools: { title: "Tools × lanes", rows: "tools", columns: "lanes", words: ["tool", "lane"] },
  roles: { title: "Roles × lanes", rows: "roles", columns: "lanes", words: ["role", "lane"] },
  types: { title: "Tools × agent types", rows: "tools", columns: "types", words: ["tool", "agent type"] },
};
const DEPENDS = {
  approvals: "an approval",
  arguments: "arguments",
  limits: "limits",
  scope: "the scope",
  gate: "a gate of the house",
};

export function accessView(facts, policies, cells, ask) {
  let pivot = PIVOTS.tools;
  let role = "";
  const lower = Object.fromEntries(
    ["roles", "lanes", "tools", "types"].map((k) => [k, facts[k].map(([name]) => name.toLowerCase())]),
  );
  const laneAt = new Map(facts.lanes.map(([name], i) => [name, i]));

  /** Which tools some lanes list, by their places. */
  function listedIn(lanes) {
    const listed = new Uint8Array(facts.tools.length);
    for (const [lane] of lanes) for (const at of facts.laneTools[laneAt.get(lane)]) listed[at] = 1;
    return listed;
  }
  const listedAnywhere = listedIn(facts.lanes);

  function asked([row], [column]) {
    if (pivot === PIVOTS.roles) return cells.roleInLane(row, column);
    return pivot === PIVOTS.types ? cells.toolByType(row, column) : cells.toolInLane(row, column, role);
  }

  function cell(row, column) {
    const { state, kinds } = asked(row, column);
    const on = Object.keys(DEPENDS).filter((kind) => kinds.has(kind) && state !== "deny");
    return { state, label: on.length === 0 ? SAYS[state] : `${SAYS[state]}: ${on.map((k) => DEPENDS[k]).join(", ")}` };
  }

  const detail = detailPane(facts, cells, ask);
  const table = grid({
    label: "Who may do what",
    cell,
    open: ([row], [column]) => {
      if (policies.now === undefined) return;
      if (pivot === PIVOTS.roles) detail.role(row, column);
      else if (pivot === PIVOTS.types) detail.type(row, column);
      else detail.tool(row, column, role);
    },
  });
  const counts = el("p", { class: "counts", role: "status" });
  const search = () => {
    const input = el("input", {
      type: "search",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "any",
      oninput: () => update(),
    });
    return { input, node: el("label", { class: "field" }, el("span", {}), input) };
  };
  const [rowSearch, columnSearch] = [search(), search()];
  const choice = (title, options) => {
    const select = el(
      "select",
      { onchange: () => update() },
      options.map(([value, text]) => el("option", { value }, text)),
    );
    return { select, node: el("label", { class: "field" }, el("span", {}, title), select) };
  };
  const shown = Object.entries(PIVOTS).filter(([, { columns }]) => facts[columns].length > 0);
  const show = choice(
    "Show",
    shown.map(([key, { title }]) => [key, title]),
  );
  const asRole = choice("As role", [["", "any role"], ...facts.roles.map(([n]) => [n, n])]);
  const depends = choice("Depends on", [["", "anything"], ...Object.entries(DEPENDS)]);
  const tick = (text) => {
    const input = el("input", { type: "checkbox", onchange: () => update() });
    return { input, node: el("label", { class: "tick" }, input, text) };
  };
  const onlyListed = tick("Only tools that a shown lane lists");
  onlyListed.input.checked = true;
  const onlyChanged = tick("Only what changed");

  function update() {
    pivot = PIVOTS[show.select.value] ?? PIVOTS.tools;
    role = pivot === PIVOTS.tools ? asRole.select.value : "";
    asRole.node.hidden = pivot !== PIVOTS.tools;
    onlyListed.node.hidden = pivot !== PIVOTS.tools;
    depends.node.hidden = pivot === PIVOTS.roles;
    const [rowWord, columnWord] = pivot.words.map((word) => word[0].toUpperCase() + word.slice(1));
    rowSearch.node.firstChild.textContent = `${rowWord} contains`;
    columnSearch.node.firstChild.textContent = `${columnWord} contains`;
    const wanted = rowSearch.input.value.trim().toLowerCase();
    const wantedColumn = columnSearch.input.value.trim().toLowerCase();
    let columns = facts[pivot.columns].filter(
      (_, i) => wantedColumn === "" || lower[pivot.columns][i].includes(wantedColumn),
    );
    if (role !== "" && policies.now !== undefined)
      columns = columns.filter(([lane]) =>
        cells.sides().some((which) => allows(cells.laneAnswer(which, { role, lane }))),
      );
    const places = placesOf(wanted, columns);
    let rows = places.map((at) => facts[pivot.rows][at]);
    const kind = depends.node.hidden ? "" : depends.select.value;
    if (policies.now !== undefined && kind !== "")
      ({ rows, columns } = only(rows, columns, ({ kinds, state }) => kinds.has(kind) && state !== "deny"));
    if (policies.before !== undefined && onlyChanged.input.checked)
      ({ rows, columns } = only(rows, columns, ({ state }) => ["added", "removed", "changed"].includes(state)));
    // A lane without any of the shown tools is an empty column.
    if (pivot === PIVOTS.tools && (wanted !== "" || role !== "") && rows.length <= 2_000) {
      const names = new Set(rows.map(([name]) => name));
      const used = columns.filter(([lane]) =>
        facts.laneTools[laneAt.get(lane)].some((at) => names.has(facts.tools[at][0])),
      );
      if (used.length > 0) columns = used;
    }
    const of = (list, what, word) =>
      `${number(list.length)} of ${number(facts[what].length)} ${word}${facts[what].length === 1 ? "" : "s"}`;
    counts.textContent = `${rows.length === 0 ? "nothing matches: " : ""}${of(rows, pivot.rows, pivot.words[0])} · ${of(columns, pivot.columns, pivot.words[1])}`;
    table.show(rows, columns, pivot.words.join(" \\ "));
    detail.empty();
  }

  function placesOf(wanted, columns) {
    const names = lower[pivot.rows];
    const isAll = columns.length === facts[pivot.columns].length;
    const isListed = pivot === PIVOTS.tools && onlyListed.input.checked;
    const listed = isListed ? (isAll ? listedAnywhere : listedIn(columns)) : undefined;
    const places = [];
    for (let at = 0; at < names.length; at++)
      if ((listed === undefined || listed[at] === 1) && (wanted === "" || names[at].includes(wanted))) places.push(at);
    return places;
  }

  /** Only rows and columns with such a cell. Of tools, those that a lane lists: others are denied before and after. */
  function only(rows, columns, isWanted) {
    const keep = new Set();
    const kept = columns.filter((column) => {
      const listed =
        pivot === PIVOTS.tools
          ? new Set(facts.laneTools[laneAt.get(column[0])].map((at) => facts.tools[at][0]))
          : undefined;
      const found = rows.filter((row) => (listed === undefined || listed.has(row[0])) && isWanted(asked(row, column)));
      for (const row of found) keep.add(row);
      return found.length > 0;
    });
    return { rows: rows.filter((row) => keep.has(row)), columns: kept };
  }

  const signs = ["allow", "request", "person", "deny", ...(facts.against ? ["added", "removed", "changed"] : [])];
  const legend = el(
    "ul",
    { class: "legend", "aria-label": "Signs" },
    signs.map((state) => el("li", {}, el("span", { class: `cell ${state}`, "aria-hidden": "true" }), SAYS[state])),
  );
  const filters = el(
    "div",
    { class: "filters" },
    show.node,
    rowSearch.node,
    columnSearch.node,
    asRole.node,
    depends.node,
    onlyListed.node,
    facts.against ? onlyChanged.node : undefined,
  );
  const body = el("div", { class: "access" }, table.node, detail.node);
  const node = el("div", {}, filters, el("div", { class: "bar" }, counts, legend), body);
  return {
    node,
    update,
    loaded: update,
    /** In place of a table that nothing would be asked for. */
    failed: (why) =>
      node.replaceChildren(
        el("p", { class: "verdict deny" }, el("strong", {}, "Nothing is decided here"), el("span", {}, why)),
      ),
    print: () => table.table(),
  };
}
