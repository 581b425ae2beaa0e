// One cell, beside its table: who may, on what it depends, and the way to ask it.

import { conditionLists } from "./conditions.mjs";
import { el } from "./dom.mjs";

const list = (names) => names.flatMap((name, i) => [i > 0 ? ", " : "", el("code", {}, name)]);

export function detailPane(facts, cells, ask) {
  const place = el("div", { class: "detail", role: "region", "aria-label": "The chosen cell", "aria-live": "polite" });
  const when = (which) => (facts.against ? (which === "now" ? " now" : " before") : "");

  function empty() {
    const legend =
      "Choose a cell: by a click, or by the arrow keys and Enter. Who may, and on what it depends, stands here.";
    place.replaceChildren(el("p", { class: "note" }, legend));
  }

  function show(title, parts, request) {
    place.replaceChildren(
      el("h3", {}, ...title),
      ...parts.flat(),
      ...(request === undefined
        ? []
        : [el("p", {}, el("button", { type: "button", class: "plain", onclick: () => ask(request) }, "Ask it"))]),
    );
  }

  /** The gates of the house, which are asked of every call, and what is known of one that denies a call that says no more. */
  function houseGates() {
    const asked = facts.houseGates.filter(({ decision }) => ["lane", "tool", "call"].includes(decision));
    if (asked.length === 0) return [];
    const names = [...new Set(asked.map(({ gate }) => gate ?? "one whose name is computed"))];
    return [
      el(
        "div",
        { class: "condition gates-of-house" },
        el("h4", {}, "Gates of the house, asked of every call"),
        el("p", {}, ...list(names), ": what they say stands under Rules."),
      ),
    ];
  }

  function conditions(tool, lane) {
    const sides = cells.sides();
    const of = (which) => cells.conditionsOf(which, tool, lane);
    return conditionLists(of(sides[0]), of(sides.at(-1)));
  }

  empty();
  return {
    node: place,
    empty,
    tool(tool, lane, role) {
      const rows = cells.sides().map((which) => {
        const { granted, asked } = cells.grantsOf(which, tool, lane, role);
        if (granted.length + asked.length === 0) {
          const [first = role || facts.roles[0]?.[0] || ""] = cells.rolesIn(which, lane);
          return denied(which, cells.answerOf(which, { role: role || first, lane, tool }));
        }
        const gates = asked.map(({ role: name, gate, reason }) =>
          el("p", { class: "who" }, ...list([name]), " if ", el("code", {}, `${gate} ${reason}`), " does not deny"),
        );
        const may = el("p", { class: "who" }, el("strong", {}, `May${when(which)}: `), ...list(granted));
        return [...(granted.length > 0 ? [may] : []), ...gates];
      });
      const isGranted = cells.toolInLane(tool, lane, role).state !== "deny";
      const types = facts.types.length === 0 || !isGranted ? [] : byTypes(tool);
      const more = isGranted ? [...conditions(tool, lane), ...types, ...houseGates()] : [];
      const [one] = cells.sides().flatMap((which) => cells.grantsOf(which, tool, lane, role).granted);
      const [other] = cells.sides().flatMap((which) => cells.rolesIn(which, lane));
      const asks = role || one || other || facts.roles[0]?.[0] || "";
      show(
        [el("code", {}, tool), " in ", el("code", {}, lane)],
        [...rows, more],
        facts.entrypoints.includes("portcullis/call/decision")
          ? cells.exampleOf(asks, lane, tool)
          : { decision: "tool", role: asks, lane, tool },
      );
    },
    role(role, lane) {
      const rows = cells.sides().map((which) => {
        const answer = cells.laneAnswer(which, { role, lane });
        if (answer?.allowed !== true) return denied(which, answer);
        const tools = facts.laneTools[facts.lanes.findIndex(([name]) => name === lane)].map((at) => facts.tools[at][0]);
        const may = tools.filter((tool) => {
          const { granted, asked } = cells.grantsOf(which, tool, lane, role);
          return granted.length + asked.length > 0;
        });
        return [
          el("p", { class: "who" }, el("strong", {}, `May use there${when(which)}: `), ...list(may.slice(0, 200))),
        ];
      });
      show([el("code", {}, role), " in ", el("code", {}, lane)], rows, { decision: "lane", role, lane });
    },
    type(tool, type) {
      const rows = cells.sides().map((which) => {
        const chains = cells.chains[which].to(tool, type);
        const alone = cells.chains[which].alone(tool, type);
        const by = chains.map((chain) =>
          el("li", {}, ...list(chain.slice(0, 1)), ...chain.slice(1).flatMap((one) => [" → ", el("code", {}, one)])),
        );
        const root = `An agent of this type that stands alone ${alone ? "may" : "may not"} be given it.`;
        return [
          el(
            "p",
            { class: "who" },
            el("strong", {}, `${chains.length > 0 ? "By these chains" : "By no chain"}${when(which)}`),
          ),
          ...(by.length > 0 ? [el("ul", {}, by)] : []),
          el("p", { class: "note" }, root),
        ];
      });
      const places = cells.placesOf("now", tool);
      const where = el(
        "p",
        {},
        el("strong", {}, "Where: "),
        places.length === 0 ? "in no lane" : "",
        ...places
          .slice(0, 50)
          .flatMap(({ lane, roles }, i) => [i > 0 ? "; " : "", el("code", {}, lane), " as ", ...list(roles)]),
      );
      show([el("code", {}, tool), " by ", el("code", {}, type)], [...rows, where, conditions(tool)]);
    },
  };

  function byTypes(tool) {
    const which = cells.sides()[0];
    const types = cells.chains[which].types.filter((type) => cells.chains[which].to(tool, type).length > 0);
    const said = types.length === 0 ? ["no type, by any chain"] : list(types.slice(0, 100));
    return [el("div", { class: "condition" }, el("h4", {}, "Agent types that may be given it"), el("p", {}, ...said))];
  }

  function denied(which, answer) {
    const why = `${answer?.gate ?? "no answer"} ${answer?.reason ?? ""}`;
    return [el("p", { class: "who" }, el("strong", {}, `Denied${when(which)}: `), el("code", {}, why))];
  }
}
