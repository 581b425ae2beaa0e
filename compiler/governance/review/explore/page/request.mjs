// Asks the policy in the page, and shows its gates in their order.

import { allows } from "./allows.mjs";
import { conditionLists } from "./conditions.mjs";
import { el } from "./dom.mjs";

const AXES = { lane: ["role", "lane"], tool: ["role", "lane", "tool"], call: ["role", "lane", "tool"] };
/** Members of a call that are JSON; one that is left empty is left out. */
const PARTS = {
  call: {
    scope: '{"ticket": "T-1"}',
    args: '{"path": "notes.md"}',
    approval: '{"approved_by": "a person"}',
    lineage: '[{"agent_type": "desk", "spawn_depth": 0}]',
    facts: '{"now": 1767225600000}',
    flags: '["bulk"]',
    writes: '[{"table": "drafts", "mode": "append"}]',
  },
};
const NAMES = { role: "roles", lane: "lanes", tool: "tools" };
const EXAMPLES = {
  subagent: {
    persona: "",
    env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
    governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1" },
  },
  lineage: { lineage: [{ agent_type: "", spawn_depth: 0 }] },
};
/** Suggestions that are shown at once. */
const SUGGESTIONS = 30;

export function requestView(facts, policies, cells) {
  const kinds = facts.entrypoints.filter((e) => /^portcullis\/\w+\/decision$/.test(e)).map((e) => e.split("/")[1]);
  const order = ["lane", "tool", "call", "subagent", "lineage", "handoff", "exec", "close"].filter((k) =>
    kinds.includes(k),
  );
  const decision = el(
    "select",
    { id: "decision", onchange: () => fields() },
    order.map((k) => el("option", { value: k }, k)),
  );
  if (order.includes("tool")) decision.value = "tool";
  const inputs = {};
  const parts = {};
  const place = el("div", { class: "filters" });
  const json = el("textarea", { id: "json", rows: "9", spellcheck: "false", "aria-describedby": "json-note" });
  const answer = el("div", { class: "answer", "aria-live": "polite" });

  function suggest(axis, list, text) {
    const wanted = text.toLowerCase();
    const found = [];
    for (const [name] of facts[NAMES[axis]]) {
      if (name.toLowerCase().includes(wanted)) found.push(el("option", { value: name }));
      if (found.length === SUGGESTIONS) break;
    }
    list.replaceChildren(...found);
  }

  function fields() {
    place.replaceChildren();
    answer.replaceChildren();
    for (const axis of AXES[decision.value] ?? []) {
      const list = el("datalist", { id: `ids-${axis}` });
      const input = el("input", {
        list: `ids-${axis}`,
        autocomplete: "off",
        spellcheck: "false",
        value: inputs[axis]?.value ?? "",
        oninput: () => suggest(axis, list, input.value),
      });
      suggest(axis, list, input.value);
      inputs[axis] = input;
      place.append(el("label", { class: "field" }, el("span", {}, axis), input), list);
    }
    for (const [part, example] of Object.entries(PARTS[decision.value] ?? {})) {
      parts[part] ??= el("textarea", { rows: "2", spellcheck: "false", placeholder: example });
      place.append(el("label", { class: "field" }, el("span", {}, `${part}, as JSON`), parts[part]));
    }
    if (AXES[decision.value] === undefined) {
      json.value = JSON.stringify(EXAMPLES[decision.value] ?? {}, null, 2);
      place.append(el("label", { class: "field wide" }, el("span", {}, "request, as JSON"), json));
    }
  }

  function setPart(part, value) {
    const text = value === undefined ? "" : JSON.stringify(value, null, 1);
    parts[part].value = text;
    parts[part].rows = Math.min(10, Math.max(2, text.split("\n").length));
  }

  /** As JSON text, with every digit that was written. */
  function requestOf() {
    const axes = AXES[decision.value];
    if (axes === undefined) return checked("the request", json.value);
    const said = Object.keys(PARTS[decision.value] ?? {}).filter((part) => parts[part].value.trim() !== "");
    const members = [
      ...axes.map((axis) => [axis, JSON.stringify(inputs[axis].value)]),
      ...said.map((part) => [part, checked(part, parts[part].value)]),
    ];
    return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
  }

  function checked(what, text) {
    try {
      JSON.parse(text);
      return text;
    } catch (error) {
      throw new Error(`${what} is no JSON: ${error.message}`);
    }
  }

  function decide() {
    let request;
    try {
      request = requestOf();
    } catch (error) {
      return answer.replaceChildren(el("p", { class: "fault" }, error.message));
    }
    if (policies.now === undefined)
      return answer.replaceChildren(el("p", {}, policies.failed ?? "The policy is being loaded…"));
    const given = policies.now.evaluateJson(`portcullis/${decision.value}/decision`, request);
    const before = policies.before?.evaluateJson(`portcullis/${decision.value}/decision`, request);
    answer.replaceChildren(
      verdict(given, facts.against ? "now" : undefined),
      ...(policies.before === undefined ? [] : [verdict(before, "before")]),
      ...conditions(JSON.parse(request)),
      gates(decision.value, given),
      el(
        "details",
        {},
        el("summary", {}, "The whole answer"),
        el("pre", { tabindex: "0" }, JSON.stringify(given, null, 2) ?? "no answer"),
      ),
    );
  }

  function verdict(given, when) {
    const is = allows(given);
    return el(
      "p",
      { class: `verdict ${is ? "allow" : "deny"}` },
      el("strong", {}, is ? "Allowed" : "Denied"),
      when === undefined ? "" : ` ${when}`,
      el("code", {}, String(given?.gate ?? "no answer")),
      el("span", {}, String(given?.reason ?? "")),
    );
  }

  /** What the policy says of calls of a tool in its lane. */
  function conditions(request) {
    if (decision.value !== "tool" && decision.value !== "call") return [];
    const said = cells.conditionsOf("now", request?.tool, request?.lane);
    return conditionLists(said.filter(({ kind }) => kind !== "chain" || decision.value === "call"));
  }

  /** The chain asks its gates in order, so those before the one that denied held, and those behind it were not asked. */
  function gates(kind, given) {
    const chain = facts.gates[kind] ?? [];
    const denied = chain.findIndex(
      (g) => !g.allowed && g.of === undefined && g.gate === given?.gate && matches(g.reason, given?.reason),
    );
    const own = !allows(given) && denied < 0;
    const rows = chain
      .filter((g) => !g.allowed)
      .map((g) => {
        const at = chain.indexOf(g);
        const state =
          allows(given) || (denied >= 0 && at < denied) ? "held" : at === denied ? "denied" : own ? "—" : "not asked";
        return el(
          "tr",
          { class: state === "denied" ? "denied" : state === "held" ? "held" : "later" },
          el("td", {}, state),
          el("td", {}, el("code", {}, g.of === undefined ? g.gate : `gates of ${g.of}`)),
          el("td", {}, g.of === undefined ? g.reason : ""),
          el("td", {}, g.when.length === 0 ? "nothing above" : el("code", {}, g.when.join("\n"))),
        );
      });
    const note = own
      ? el(
          "p",
          {},
          "None of these gates gave the answer: it is that of another decision's gate, of a gate of the author's own, or a fault.",
        )
      : undefined;
    const head = el(
      "tr",
      {},
      ["state", "gate", "reason", "denies when"].map((h) => el("th", { scope: "col" }, h)),
    );
    return el(
      "div",
      {},
      el("h3", {}, "Gates, in the order in which they are asked"),
      note,
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Gates" },
        el("table", { class: "gates" }, el("thead", {}, head), el("tbody", {}, rows)),
      ),
    );
  }

  fields();
  const form = el(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        decide();
      },
    },
    el("label", { class: "field" }, el("span", {}, "Decision"), decision),
    place,
    el("p", {}, el("button", { type: "submit", class: "primary" }, "Decide")),
    el(
      "p",
      { id: "json-note", class: "note" },
      "The answer is that of the policy's own module, in this page. Nothing leaves it.",
    ),
  );
  return {
    node: el("div", { class: "request" }, form, answer),
    fill(request) {
      decision.value = request.decision;
      fields();
      for (const axis of AXES[request.decision] ?? []) inputs[axis].value = request[axis] ?? "";
      for (const part of Object.keys(PARTS[request.decision] ?? {})) setPart(part, request[part]);
      decide();
    },
  };
}

/** `…` in a reason stands for a text of the request. */
function matches(pattern, reason) {
  const parts = pattern.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return typeof reason === "string" && new RegExp(`^${parts.join(".*")}$`, "s").test(reason);
}
