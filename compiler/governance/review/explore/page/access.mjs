// Who may do what: tools by lanes, roles by lanes. Every cell is asked of the policy.

import { el, number } from "./dom.mjs";
import { grid } from "./grid.mjs";
import { allows } from "./policies.mjs";

const SAYS = {
  allow: "allowed",
  deny: "denied",
  added: "allowed now, denied before",
  removed: "denied now, allowed before",
  wait: "not asked yet",
};

export function accessView(facts, policies, ask) {
  let role = "";
  let pivot = "tools";
  const admitted = new Map();
  const lower = Object.fromEntries(
    ["roles", "lanes", "tools"].map((k) => [k, facts[k].map(([name]) => name.toLowerCase())]),
  );
  const laneAt = new Map(facts.lanes.map(([name], i) => [name, i]));

  /** Which tools some lanes list, by their places. */
  function listedIn(lanes) {
    const listed = new Uint8Array(facts.tools.length);
    for (const [lane] of lanes) for (const at of facts.laneTools[laneAt.get(lane)]) listed[at] = 1;
    return listed;
  }
  const listedAnywhere = listedIn(facts.lanes);

  /** The roles that a policy lets into a lane. */
  function rolesIn(which, lane) {
    const key = JSON.stringify([which, lane]);
    let roles = admitted.get(key);
    if (roles === undefined) {
      const policy = policies[which];
      roles = facts.roles.map(([name]) => name).filter((name) => allows(policy.lane({ role: name, lane })));
      admitted.set(key, roles);
    }
    return roles;
  }

  function isAllowed(which, row, lane) {
    const policy = policies[which];
    if (pivot === "roles") return allows(policy.lane({ role: row, lane }));
    const roles = role === "" ? rolesIn(which, lane) : [role];
    return roles.some((name) => allows(policy.tool({ role: name, lane, tool: row })));
  }

  function cell([row], [lane]) {
    if (policies.now === undefined) return { state: "wait", label: SAYS.wait };
    const now = isAllowed("now", row, lane);
    const before = policies.before === undefined ? now : isAllowed("before", row, lane);
    const state = now === before ? (now ? "allow" : "deny") : now ? "added" : "removed";
    return { state, label: SAYS[state] };
  }

  const table = grid({
    label: "Who may do what",
    cell,
    open: ([row], [lane]) => {
      if (pivot === "roles") ask({ decision: "lane", role: row, lane });
      else
        ask({ decision: "tool", role: role || rolesIn("now", lane)[0] || facts.roles[0]?.[0] || "", lane, tool: row });
    },
  });
  const counts = el("p", { class: "counts", role: "status" });
  const search = (label) => {
    const input = el("input", {
      type: "search",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "any",
      oninput: () => update(),
    });
    return { input, node: el("label", { class: "field" }, el("span", {}, label), input) };
  };
  const rowSearch = search("Tool contains");
  const laneSearch = search("Lane contains");
  const roleChoice = el(
    "select",
    { onchange: () => update() },
    el("option", { value: "" }, "any role"),
    facts.roles.map(([n]) => el("option", { value: n }, n)),
  );
  const show = el(
    "select",
    { onchange: () => update() },
    el("option", { value: "tools" }, "Tools × lanes"),
    el("option", { value: "roles" }, "Roles × lanes"),
  );
  const onlyListed = el("input", { type: "checkbox", onchange: () => update() });
  onlyListed.checked = true;
  const onlyChanged = el("input", { type: "checkbox", onchange: () => update() });
  const roleField = el("label", { class: "field" }, el("span", {}, "As role"), roleChoice);
  const listedField = el("label", { class: "tick" }, onlyListed, "Only tools that a shown lane lists");

  function update() {
    pivot = show.value;
    role = roleChoice.value;
    const isTools = pivot === "tools";
    roleField.hidden = !isTools;
    listedField.hidden = !isTools;
    rowSearch.node.firstChild.textContent = isTools ? "Tool contains" : "Role contains";
    const wanted = rowSearch.input.value.trim().toLowerCase();
    const wantedLane = laneSearch.input.value.trim().toLowerCase();
    let lanes = facts.lanes.filter((_, i) => wantedLane === "" || lower.lanes[i].includes(wantedLane));
    if (isTools && role !== "" && policies.now !== undefined)
      lanes = lanes.filter(([lane]) =>
        [policies.now, policies.before].some((p) => p !== undefined && allows(p.lane({ role, lane }))),
      );
    const all = isTools ? facts.tools : facts.roles;
    const names = isTools ? lower.tools : lower.roles;
    const isAll = lanes.length === facts.lanes.length;
    const listed = isTools && onlyListed.checked ? (isAll ? listedAnywhere : listedIn(lanes)) : undefined;
    let places = [];
    for (let at = 0; at < all.length; at++)
      if ((listed === undefined || listed[at] === 1) && (wanted === "" || names[at].includes(wanted))) places.push(at);
    let rows = places.map((at) => all[at]);
    if (onlyChanged.checked && policies.before !== undefined) {
      ({ rows, lanes } = changedOnly(rows, lanes));
      const kept = new Set(rows);
      places = places.filter((at) => kept.has(all[at]));
    }
    // A lane without any of the shown tools is an empty column.
    if (isTools && (wanted !== "" || role !== "") && rows.length <= 2_000) {
      const shown = new Uint8Array(facts.tools.length);
      for (const at of places) shown[at] = 1;
      const used = lanes.filter(([lane]) => facts.laneTools[laneAt.get(lane)].some((at) => shown[at] === 1));
      if (used.length > 0) lanes = used;
    }
    const what = isTools ? "tools" : "roles";
    counts.textContent = `${rows.length === 0 ? "nothing matches: " : ""}${number(rows.length)} of ${number(facts[what].length)} ${what} · ${number(lanes.length)} of ${number(facts.lanes.length)} lanes`;
    table.show(rows, lanes, isTools ? "tool \\ lane" : "role \\ lane");
  }

  /** Only rows and columns in which an answer changed. Of tools, those that a lane lists: others are denied before and after. */
  function changedOnly(rows, lanes) {
    const changed = (row, lane) => ["added", "removed"].includes(cell(row, lane).state);
    const keep = new Set();
    const columns = lanes.filter((lane) => {
      const listed =
        pivot === "tools" ? new Set(facts.laneTools[laneAt.get(lane[0])].map((at) => facts.tools[at][0])) : undefined;
      const found = rows.filter((row) => (listed === undefined || listed.has(row[0])) && changed(row, lane));
      for (const row of found) keep.add(row);
      return found.length > 0;
    });
    return { rows: rows.filter((row) => keep.has(row)), lanes: columns };
  }

  const legend = el(
    "ul",
    { class: "legend", "aria-label": "Signs" },
    (facts.against ? ["allow", "deny", "added", "removed"] : ["allow", "deny"]).map((state) =>
      el("li", {}, el("span", { class: `cell ${state}`, "aria-hidden": "true" }), SAYS[state]),
    ),
  );
  const filters = el(
    "div",
    { class: "filters" },
    el("label", { class: "field" }, el("span", {}, "Show"), show),
    rowSearch.node,
    laneSearch.node,
    roleField,
    listedField,
    facts.against ? el("label", { class: "tick" }, onlyChanged, "Only what changed") : undefined,
  );
  const node = el("div", {}, filters, el("div", { class: "bar" }, counts, legend), table.node);
  return {
    node,
    update,
    loaded: update,
    print: () => table.table(),
  };
}
