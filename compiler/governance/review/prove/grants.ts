/** The grants that the data lists, and the data without one of them. Nothing is decided here. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import type { SpaceName } from "../decision-space.ts";
import { segment } from "../diff/contents.ts";
import { agentKey, keys, member, texts } from "../policy-ids.ts";

/** Whether the tables list the grants of the question: a necessary condition of an allow, not a sufficient one. */
export function isListed(tables: JsonObject, space: SpaceName, ids: readonly string[]): boolean {
  const [first = "", second = "", third = "", fourth = ""] = ids;
  const at = (...path: string[]): unknown => path.reduce<unknown>(member, tables);
  switch (space) {
    case "lane":
      return at("roles", first) !== undefined && at("lanes", second, "roles", first) === true;
    case "tool":
      return (
        isListed(tables, "lane", ids) &&
        at("lanes", second, "tools", third) === true &&
        at("tools", third, "enabled") === true
      );
    case "subagent":
      // What is handed over comes from what the author wrote.
      return ["allowlist", "delegated"].every((list) =>
        texts(at("agents", agentKey(first), list))
          .map(agentKey)
          .includes(agentKey(second)),
      );
    case "approval":
    case "limit":
      return isListed(tables, "tool", ids);
    case "spawn":
      return at("manifests", first, "can_spawn", second) === true;
    case "call": {
      // A manifest without `allowed_tools` leaves them to the lane.
      const isBounded = at("manifests", fourth, "tools") !== undefined;
      const isGiven = !isBounded || at("manifests", fourth, "tools", third) === true;
      return isListed(tables, "tool", ids) && at("manifests", fourth) !== undefined && isGiven;
    }
  }
}

/** A place in the tables whose presence grants something: a member, or an element of a list. */
export interface Grant {
  /** `lanes.RESEARCH.roles.WRITER` */
  readonly name: string;
  /** The paths of what is there for it alone; an element of a list stands under its text. */
  readonly places: readonly (readonly string[])[];
  /** The tables without it. */
  remove(tables: JsonObject): JsonObject;
}

export function grantsOf(tables: JsonObject): Grant[] {
  const members = (table: string, ...inner: string[]): Grant[] =>
    keys(tables[table]).flatMap((id) => [
      grant([table, id]),
      ...inner.flatMap((list) =>
        keys(member(member(tables[table], id), list)).map((name) => grant([table, id, list, name])),
      ),
    ]);
  const delegations = keys(tables["agents"]).flatMap((id) =>
    texts(member(member(tables["agents"], id), "allowlist")).map((name) => delegation(tables, id, name)),
  );
  return [
    ...members("roles"),
    ...members("lanes", "roles", "tools"),
    ...members("tools"),
    ...members("agents"),
    ...delegations,
    ...members("manifests", "can_spawn", "tools"),
  ];
}

function grant(path: readonly string[]): Grant {
  const name = path.map((key, i) => (i === 0 ? key : segment(key))).join("");
  return { name, places: [path], remove: (tables) => without(tables, path) };
}

/** An allowlist entry stands in two lists: as it was written, and as it was resolved. */
function delegation(tables: JsonObject, agent: string, name: string): Grant {
  const lists = ["allowlist", "delegated"].map((list) => ["agents", agent, list]);
  const isOne = (other: string): boolean => agentKey(other) === agentKey(name);
  const listed = (path: readonly string[]): string[] => texts(path.reduce<unknown>(member, tables));
  return {
    name: `agents${segment(agent)}.allowlist: ${name}`,
    places: lists.flatMap((path) =>
      listed(path)
        .filter(isOne)
        .map((text) => [...path, text]),
    ),
    remove: (from) =>
      lists.reduce(
        (current, path) => changed(current, path, (value) => texts(value).filter((other) => !isOne(other))),
        from,
      ),
  };
}

function without(object: JsonObject, path: readonly string[]): JsonObject {
  const last = path.at(-1) as string;
  const parent = path.slice(0, -1);
  const drop = (value: unknown): unknown =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== last)) : value;
  return parent.length === 0 ? (drop(object) as JsonObject) : changed(object, parent, drop);
}

function changed(object: JsonObject, path: readonly string[], change: (value: unknown) => unknown): JsonObject {
  const [key, ...rest] = path;
  return Object.fromEntries(
    Object.entries(object).map(([k, value]) => {
      if (k !== key) return [k, value];
      return [k, rest.length === 0 || !isJsonObject(value) ? change(value) : changed(value, rest, change)];
    }),
  );
}
