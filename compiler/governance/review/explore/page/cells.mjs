// What a cell of a table is: asked of the policies, without a page. Keeps the answers that many cells share.

import { allows } from "./allows.mjs";
import { chainsOf } from "./chains.mjs";

export const SAYS = {
  allow: "allowed, whatever else the call says",
  request: "allowed if the rest of the call fits",
  person: "allowed if a person approves",
  deny: "denied",
  added: "allowed now, denied before",
  removed: "denied now, allowed before",
  changed: "allowed before and now, to others or on other conditions",
  wait: "not asked yet",
};

/** What a call has to meet. What it may write, and the chain that every call has, are told, and are no sign. */
const OF_REQUESTS = ["scope", "arguments", "limits", "gate"];

export function cellsOf(facts, policies) {
  const final = new Set(facts.final);
  const at = Object.fromEntries(
    ["tools", "lanes"].map((kind) => [kind, new Map(facts[kind].map(([id], i) => [id, i]))]),
  );
  const admitted = new Map();
  const places = new Map();
  const chains = { now: chainsOf(facts, policies, "now"), before: chainsOf(facts, policies, "before") };
  const sides = () => ["now", "before"].filter((which) => policies[which] !== undefined);

  /** The roles that a policy lets into a lane. */
  function rolesIn(which, lane) {
    const key = JSON.stringify([which, lane]);
    let roles = admitted.get(key);
    if (roles === undefined) {
      roles = facts.roles.map(([name]) => name).filter((name) => allows(policies[which].lane({ role: name, lane })));
      admitted.set(key, roles);
    }
    return roles;
  }

  /** The sentences on which an allow depends: those of the tool, of the lane if one is given, and of every call. */
  function conditionsOf(which, tool, lane) {
    const { texts, [which]: placed } = facts.conditions;
    const own = (kind, id) => (id === undefined ? [] : (placed[kind][at[kind].get(id)] ?? []));
    const all = [...own("tools", tool), ...own("lanes", lane), ...placed.everywhere];
    return all.map((place) => ({ kind: texts[place][0], says: texts[place][1], keys: texts[place][2] ?? [] }));
  }

  /** Who may use a tool in a lane: `granted` by the tables alone, `asked` if a gate that the rest of the call decides allows it. */
  function grantsOf(which, tool, lane, role = "") {
    const roles = role === "" ? rolesIn(which, lane) : [role];
    const granted = [];
    const asked = [];
    for (const name of roles) {
      const answer = policies[which].tool({ role: name, lane, tool });
      if (allows(answer)) granted.push(name);
      else if (!final.has(answer?.gate)) asked.push({ role: name, gate: answer?.gate, reason: answer?.reason });
    }
    return { granted, asked };
  }

  /** Lanes in which some role may use a tool, with those roles. */
  function placesOf(which, tool) {
    const key = JSON.stringify([which, tool]);
    let found = places.get(key);
    if (found === undefined) {
      found = facts.lanes.flatMap(([lane], i) => {
        if (!facts.laneTools[i].includes(at.tools.get(tool))) return [];
        const { granted, asked } = grantsOf(which, tool, lane);
        const roles = [...granted, ...asked.map(({ role }) => role)];
        return roles.length === 0 ? [] : [{ lane, roles }];
      });
      places.set(key, found);
    }
    return found;
  }

  function kindsOf(which, tool, lane, hasGate = false) {
    const kinds = new Set(conditionsOf(which, tool, lane).map(({ kind }) => kind));
    if (hasGate) kinds.add("gate");
    return kinds;
  }

  const signOf = (kinds) =>
    kinds.has("approvals") ? "person" : OF_REQUESTS.some((kind) => kinds.has(kind)) ? "request" : "allow";

  /** `sideOf` gives `{ sign, key }` for an allow, nothing for a denial; `key` is all that the sign stands for. */
  function compared(sideOf) {
    if (policies.now === undefined) return { state: "wait", kinds: new Set() };
    const now = sideOf("now");
    const before = policies.before === undefined ? now : sideOf("before");
    const kinds = (now ?? before)?.kinds ?? new Set();
    if (now === undefined) return { state: before === undefined ? "deny" : "removed", kinds };
    if (before === undefined) return { state: "added", kinds };
    return { state: now.key === before.key ? signOf(now.kinds) : "changed", kinds };
  }

  return {
    rolesIn,
    answerOf: (which, request) => policies[which].tool(request),
    laneAnswer: (which, request) => policies[which].lane(request),
    placesOf,
    conditionsOf,
    /** A call as its lane and its tool ask for it, by a chain that may: to be completed where more is asked. */
    exampleOf(role, lane, tool) {
      const said = conditionsOf("now", tool, lane);
      const keys = [...new Set(said.filter(({ kind }) => kind === "scope").flatMap((c) => c.keys))];
      const type = chains.now.types.find((one) => chains.now.to(tool, one).length > 0);
      const chain = type === undefined ? [] : chains.now.to(tool, type)[0];
      return {
        decision: "call",
        role,
        lane,
        tool,
        ...(keys.length > 0 && { scope: Object.fromEntries(keys.map((key) => [key, "…"])) }),
        ...(chain.length > 0 && { lineage: chain.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth })) }),
      };
    },
    grantsOf,
    sides,
    chains,
    toolInLane(tool, lane, role = "") {
      return compared((which) => {
        const { granted, asked } = grantsOf(which, tool, lane, role);
        if (granted.length + asked.length === 0) return undefined;
        const says = conditionsOf(which, tool, lane).map((c) => c.says);
        return {
          kinds: kindsOf(which, tool, lane, asked.length > 0),
          key: JSON.stringify([granted, asked, says.sort()]),
        };
      });
    },
    roleInLane(role, lane) {
      return compared((which) =>
        allows(policies[which].lane({ role, lane })) ? { kinds: new Set(), key: "" } : undefined,
      );
    },
    /** Whether chains of agents come to a type that may call the tool, which some role may use somewhere. */
    toolByType(tool, type) {
      return compared((which) => {
        const found = chains[which].to(tool, type);
        const where = found.length === 0 ? [] : placesOf(which, tool);
        if (where.length === 0) return undefined;
        const says = conditionsOf(which, tool).map((c) => c.says);
        return { kinds: kindsOf(which, tool), key: JSON.stringify([found, where, says.sort()]) };
      });
    },
  };
}
