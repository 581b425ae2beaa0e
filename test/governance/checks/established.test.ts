/**
 * What schemas say that gates have established: no request that a decision lets through has anything else there. Authors' gates are
 * asked of such requests alone, and what is established proves their orders.
 */

import { describe, expect, it } from "vitest";
import { argumentSchemas } from "../../../compiler/governance/checks/inputs/argument-schemas.ts";
import { isRequired, kindsAt } from "../../../compiler/governance/checks/inputs/schema-kinds.ts";
import { valueOfJson } from "../../../compiler/rego/value/index.ts";
import { sampled } from "../../campaign.ts";
import { type DecisionName, decisionNames, statements } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { field } from "../../statements/values.ts";
import { argumentCalls, argumentPolicy } from "../library/argument-calls.ts";
import { combined } from "../library/combinations.ts";
import { librarySchemas } from "../library/library-modules.ts";
import { right, rightRecord } from "../library/right-requests.ts";
import { absent, placesOf, replaced, spoiledOnce, valueAt } from "../library/spoiling.ts";

const types: readonly unknown[] = [absent, null, true, 1, "x", [], {}];

/** A policy that asks for as little as settings let it. */
const lenient: PolicyData = {
  ...combined,
  settings: {
    ...combined.settings,
    call: { lineage: "optional", unknown_agents: "allow" },
    subagents: { approvers: "any" },
  },
} as PolicyData;

/** Requests that are let through early, besides those that pass every gate. */
const short: Partial<Record<DecisionName, readonly object[]>> = {
  call: [
    { ...right.call, tool: "open", lineage: null },
    {
      role: "R",
      lane: "L",
      tool: "open",
      scope: { k: "c-1", m: 1 },
      args: { n: 3 },
      facts: field(right.call, "facts"),
    },
  ],
  exec: [{ ...right.exec, mode: "init", kind: "inline" }],
  close: [
    { ...right.close, contract: "unsigned" },
    { ...right.close, changed_files: [] },
  ],
  handoff: [
    { record: { ...rightRecord, severity: "low" }, artifacts: (right.handoff as { artifacts: object }).artifacts },
  ],
};

function spoiledTwice(request: object): unknown[] {
  const places = placesOf(request);
  const spoils = places.flatMap((one, i) =>
    places.slice(i).flatMap((other) => types.flatMap((a) => types.map((b) => ({ one, a, other, b })))),
  );
  return sampled(spoils, 1 / 4).map(({ one, a, other, b }) => replaced(replaced(request, other, b), one, a));
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function schemaOf(decision: DecisionName): unknown {
  return librarySchemas().get(decision);
}

describe.each(decisionNames)("%s", (decision) => {
  const bases = [right[decision], ...(short[decision] ?? [])];
  const asked = bases.flatMap((base) => [...spoiledOnce(base), ...spoiledTwice(base)]);
  const allowed = [combined, lenient].flatMap((policy) =>
    asked.filter((request) => field(statements[decision](policy, request), "allowed") === true),
  );
  const schema = schemaOf(decision);

  it("lets nothing else through", () => {
    for (const base of bases)
      expect(
        [combined, lenient].some((policy) => field(statements[decision](policy, base), "allowed") === true),
        JSON.stringify(base),
      ).toBe(true);
    const seen = new Set<string>();
    for (const request of allowed) {
      for (const pointer of placesOf(request)) {
        const path = pointer
          .split("/")
          .slice(1)
          .map((part) => (/^\d+$/.test(part) ? undefined : part));
        const kinds = kindsAt(schema, path, "established");
        if (kinds === undefined) continue;
        seen.add(path.join("/"));
        expect([...kinds], `${pointer} of ${JSON.stringify(request)}`).toContain(kindOf(valueAt(request, pointer)));
      }
    }
    expect(seen.size).toBeGreaterThan(0);
  });

  it("lets nothing through that lacks what is required", () => {
    const named = [...new Set(bases.flatMap((base) => placesOf(base)))].filter((place) => !/\/\d+(\/|$)/.test(place));
    const sure = named.filter((place) => place !== "" && isRequired(schema, place.split("/").slice(1)));
    for (const request of allowed)
      for (const place of sure)
        expect(valueAt(request, place), `${place} of ${JSON.stringify(request)}`).not.toBeUndefined();
    expect(sure.length).toBeGreaterThanOrEqual(decision === "lineage" ? 0 : 1);
  });
});

describe("arguments", () => {
  const schemas = argumentSchemas((path) => {
    const found = path.slice(2).reduce(memberOf, argumentPolicy as unknown);
    return found === undefined ? undefined : valueOfJson(found);
  });
  const allowed = argumentCalls().filter((call) => field(statements.call(argumentPolicy, call), "allowed") === true);

  it("are of the types that their tool says", () => {
    const seen = new Set<string>();
    for (const call of allowed as { tool: string; args?: unknown }[]) {
      const schema = schemas(call.tool);
      for (const pointer of placesOf(call.args).filter((place) => place !== "")) {
        const path = `/args${pointer}`
          .split("/")
          .slice(1)
          .map((part) => (/^\d+$/.test(part) ? undefined : part));
        const kinds = kindsAt(schema, path, "established");
        if (kinds === undefined) continue;
        for (const kind of kinds) seen.add(kind);
        expect([...kinds], `${pointer} of ${JSON.stringify(call)}`).toContain(kindOf(valueAt(call.args, pointer)));
      }
    }
    expect([...seen].sort()).toEqual(["array", "boolean", "null", "number", "object", "string"]);
  });

  it("are there where they are required", () => {
    let sure = 0;
    for (const { tool, args } of allowed as { tool: string; args?: object }[]) {
      for (const name of Object.keys(argumentPolicy.tools[tool]?.arguments ?? {})) {
        if (!isRequired(schemas(tool), ["args", name])) continue;
        sure++;
        expect(valueAt(args, `/${name}`) ?? null, JSON.stringify(args)).not.toBeNull();
      }
    }
    expect(sure).toBeGreaterThan(0);
  });
});

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
