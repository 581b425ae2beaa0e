/** The properties that every policy set has, each asked of the compiled policy over everything there is to ask. */

import type { JsonObject } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import { Asker, questionCount, questions, type Space } from "../decision-space.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { NOT_OWN } from "../own-module.ts";
import { type Grant, grantsOf, isListed } from "./grants.ts";
import { type Property, Witnesses } from "./property.ts";
import { faultOfNothing } from "./told.ts";

/** Names and values other than ids are denied, in every place of every question. */
export function unknownIsDenied(policy: Policy, spaces: readonly Space[]): Property {
  const witnesses = new Witnesses();
  const asker = new Asker(policy);
  for (const space of spaces) {
    // Which subagent is meant is no part of the request: the decision lists those that a turn is handed.
    const axes = space.name === "subagent" ? [0] : space.axes.map((_, axis) => axis);
    for (const axis of axes) {
      for (const stranger of strangersTo(space.ids[axis] as readonly string[])) {
        const varied = { ...space, ids: space.ids.map((ids, i) => (i === axis ? [stranger as string] : ids)) };
        varied.size = varied.ids.reduce((product, ids) => product * ids.length, 1);
        for (const ids of questions(varied)) {
          witnesses.asked++;
          const answer = asker.ask(space, ids);
          if (answer.allowed)
            witnesses.add(requestOf(space, ids), answer, `the policy has no such ${space.axes[axis]}`);
        }
      }
    }
  }
  return witnesses.property("names and values that are not ids, near misses among them, are denied in every place");
}

/** Names that are not among the ids, near misses included, and values that are not texts. */
function strangersTo(ids: readonly string[]): unknown[] {
  const first = ids[0] ?? "id";
  const names = ["", "*", "no such id", "__proto__", "constructor", `${first} `, `${first}x`, first.slice(0, -1)];
  return [...names.filter((name) => !ids.includes(name)), null, true, 1, [first], { [first]: true }];
}

/** A request that asks for nothing is denied by every decision and adapter of the library, and told nothing that it might use. */
export function nothingIsDenied(policy: Policy, tables: JsonObject): Property {
  const witnesses = new Witnesses();
  for (const entrypoint of policy.entrypoints.filter((e) => e.startsWith("portcullis/"))) {
    const faultOf = faultOfNothing(entrypoint);
    for (const input of [undefined, null, {}, [], "", "allow", 0, 1, true, false]) {
      // An absent lineage is a valid one: an agent that a person starts has no parents.
      if (entrypoint === "portcullis/lineage/decision" && isEmptyObject(input)) continue;
      witnesses.asked++;
      const fault = faultOf(policy, tables, policy.evaluate(entrypoint, input));
      if (fault !== undefined) witnesses.add({ entrypoint, input }, undefined, fault);
    }
  }
  return witnesses.property("a request that asks for nothing is denied");
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** An allow needs a grant: whatever is allowed is listed in the data. */
export function allowsAreListed(opened: OpenedPolicy, tables: JsonObject, space: Space, step: () => void): Property {
  const witnesses = new Witnesses();
  const asker = new Asker(opened.policy);
  let allowed = 0;
  for (const ids of questions(space)) {
    step();
    witnesses.asked++;
    const answer = asker.ask(space, ids);
    if (!answer.allowed) continue;
    allowed++;
    if (!isListed(tables, space.name, ids))
      witnesses.add(requestOf(space, ids), answer, "the data lists no such grant");
  }
  return witnesses.property(`${space.name}: all ${allowed.toLocaleString("en-US")} allows are grants of the data`);
}

/**
 * The module answers as its Rego does with its data beside it; the next property uses this. `isOwn`: it is made of nothing else,
 * which holds for requests beyond the questions, too.
 */
export function moduleIsItsRego(
  { policy, rego, isOwn }: { readonly policy: Policy; readonly rego: Policy; readonly isOwn: boolean },
  spaces: readonly Space[],
  step: () => void,
): Property {
  const witnesses = new Witnesses();
  if (!isOwn) witnesses.unsure("policy.wasm", undefined, NOT_OWN);
  const [compiled, other] = [new Asker(policy), new Asker(rego)];
  for (const space of spaces) {
    for (const ids of questions(space)) {
      step();
      witnesses.asked++;
      const [a, b] = [compiled.ask(space, ids), other.ask(space, ids)];
      if (a.allowed !== b.allowed || a.gate !== b.gate || a.reason !== b.reason)
        witnesses.add(requestOf(space, ids), a, `the Rego answers ${b.gate} ${b.reason}`);
    }
  }
  return witnesses.property("the module answers as the Rego and data in the bundle do");
}

/** How many questions the removals of grants would take, all of them. */
export function removalQuestions(tables: JsonObject, spaces: readonly Space[]): number {
  return grantsOf(tables).length * questionCount(spaces);
}

/** Taking a grant away turns no denial into an allow. `rego` is set to other data, and left with it. */
export function removalAllowsNothing(
  opened: OpenedPolicy,
  rego: Policy,
  tables: JsonObject,
  spaces: readonly Space[],
  budget: number,
  step: () => void,
): Property {
  const witnesses = new Witnesses();
  const grants = grantsOf(tables);
  const each = Math.max(1, questionCount(spaces));
  const chosen = spread(grants, Math.max(1, Math.floor(budget / each)));
  const [full, reduced] = [new Asker(opened.policy), new Asker(rego)];
  for (const grant of chosen) {
    rego.setData(withTables(opened.data, grant.remove(tables)));
    reduced.forget();
    for (const space of spaces) {
      for (const ids of questions(space)) {
        step();
        witnesses.asked++;
        const answer = reduced.ask(space, ids);
        if (answer.allowed && !full.ask(space, ids).allowed)
          witnesses.add(requestOf(space, ids), answer, `denied, but allowed without ${grant.name}`);
      }
    }
  }
  const isSample = chosen.length < grants.length;
  const some = isSample
    ? `each of ${chosen.length} among ${grants.length} grants`
    : `any one of ${grants.length} grants`;
  const sampled = isSample ? `${chosen.length} of ${grants.length} grants` : undefined;
  return witnesses.property(`taking away ${some} allows nothing new`, sampled);
}

/** Evenly over the list, the first always among them. */
function spread(grants: readonly Grant[], most: number): readonly Grant[] {
  if (grants.length <= most) return grants;
  return Array.from({ length: most }, (_, i) => grants[Math.floor((i * grants.length) / most)] as Grant);
}

/** The data with other tables. */
export function withTables(data: JsonObject, policy: JsonObject): JsonObject {
  return { ...data, portcullis: { ...(data["portcullis"] as JsonObject), policy } };
}

export function requestOf(space: Space, ids: readonly unknown[]): unknown {
  return Object.fromEntries(space.axes.map((axis, i) => [axis, ids[i]]));
}
