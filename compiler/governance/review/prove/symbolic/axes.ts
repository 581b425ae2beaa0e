/** What requests say of the axes of questions - role, lane, tool and agent - in formulas, and in requests. */

import type { JsonObject } from "@portcullis/rego/value";
import { questions, type Space } from "../../decision-space.ts";
import { keys, member, policyIds } from "../../policy-ids.ts";
import type { Given } from "./cases.ts";
import type { Encoding } from "./encoding.ts";
import type { Formula } from "./formula.ts";
import type { Unknown } from "./unknowns.ts";

/** The name of the unknown that an axis is. */
export const nameOf = (axis: string): string => `input[${JSON.stringify(axis)}]`;

/** The request is one of those that the formulas are about. */
export function isGiven(encoding: Encoding, given: Given): Formula {
  const { formulas } = encoding.unknowns;
  return formulas.and(
    ...[...given].map(([name, texts]) => {
      const axis = JSON.parse(name.slice("input[".length, -1)) as string;
      return "oneOf" in texts
        ? isOneOf(encoding, axis, texts.oneOf)
        : formulas.not(isOneOf(encoding, axis, [...texts.noneOf]));
    }),
  );
}

/** An axis of a request is one of some ids. */
export function isOneOf({ unknowns }: Encoding, axis: string, ids: readonly string[]): Formula {
  const { formulas } = unknowns;
  const isText = (unknown: Unknown, scalar: string): Formula => formulas.atom({ says: "is", of: unknown.id, scalar });
  if (axis !== "agent") return formulas.or(...ids.map((id) => isText(unknowns.member(unknowns.input, axis), id)));
  // The agent at the end of the chain calls.
  const chain = unknowns.member(unknowns.input, "lineage");
  unknowns.bounded.set(chain.name, chain);
  const lengths = Array.from({ length: unknowns.bound }, (_, i) => i + 1);
  return formulas.or(
    ...lengths.map((length) => {
      const type = unknowns.member(unknowns.element(chain, length - 1), "agent_type");
      const isOne = formulas.or(...ids.map((name) => isText(type, name)));
      const [isLong, isLonger] = [unknowns.isLong(chain, length), unknowns.isLong(chain, length + 1)];
      return formulas.and(unknowns.is(chain, "array"), isLong, formulas.not(isLonger), isOne);
    }),
  );
}

/** Ids of an axis, of which a request says one. */
export interface AskedIds {
  readonly axis: string;
  readonly ids: readonly string[];
}

/** The axes of which a part is asked about, with the ids. */
export function narrowed(about: Space, all: Space): AskedIds[] {
  return about.axes.flatMap((axis, i) => {
    const [ids = [], known = []] = [about.ids[i], all.ids[i]];
    return ids.length === known.length ? [] : [{ axis, ids }];
  });
}

/** The member of a request that says an id of an axis. */
export const memberOf = (axis: string): string => (axis === "agent" ? "lineage" : axis);

/** Requests that say ids, and nothing else. */
export function* requestsOfIds(asked: readonly AskedIds[]): Generator<JsonObject> {
  const ids = asked.map((one) => one.ids);
  for (const chosen of questions({ ids, size: ids.reduce((product, of) => product * of.length, 1) }))
    yield Object.fromEntries(
      asked.map(({ axis }, i) => [
        memberOf(axis),
        axis === "agent" ? [{ agent_type: chosen[i] }] : (chosen[i] as string),
      ]),
    ) as JsonObject;
}

/** Whether a request says one of the ids of each axis. */
export function says(request: JsonObject, asked: readonly AskedIds[]): boolean {
  return asked.every(({ axis, ids }) => ids.includes(idIn(request, axis) ?? ""));
}

/** What a request says of an axis. */
function idIn(request: JsonObject, axis: string): string | undefined {
  const chain = request["lineage"];
  const said =
    axis === "agent" ? (Array.isArray(chain) ? member(chain.at(-1), "agent_type") : undefined) : request[axis];
  return typeof said === "string" ? said : undefined;
}

interface Granted {
  readonly lane: string;
  readonly roles: readonly string[];
  /** Absent where no tool is asked about. */
  readonly tools?: readonly string[];
}

/** By lane, what the data lists there. */
export function grantsIn(tables: JsonObject, kind: "lane" | "tool"): Granted[] {
  const { roles, lanes } = policyIds(tables);
  return lanes.map((lane) => {
    const row = member(tables["lanes"], lane);
    const admitted = keys(member(row, "roles")).filter((role) => roles.includes(role));
    if (kind === "lane") return { lane, roles: admitted };
    const tools = keys(member(row, "tools")).filter((tool) => {
      const registered = member(tables["tools"], tool);
      const isReady = member(registered, "implementation_status") === "implemented";
      return isReady && member(registered, "enabled") === true;
    });
    return { lane, roles: admitted, tools };
  });
}
