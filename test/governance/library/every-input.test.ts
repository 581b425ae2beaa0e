/**
 * Every place of a request that a schema names or a rule reads, missing, null and of every other type: alone, and together
 * with every other place. So each gate meets all that its inputs can be, and the gates behind it meet that too.
 */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { FootprintNode } from "../../../runtime/abi/index.ts";
import { policySectionOf } from "../../../runtime/load/verify.ts";
import { sampled } from "../../campaign.ts";
import { decisionNames, statements } from "../../statements/index.ts";
import { field } from "../../statements/values.ts";
import { rightBoundCall } from "./approval-calls.ts";
import { combined } from "./combinations.ts";
import { disagreements } from "./disagreements.ts";
import { evaluators } from "./evaluators.ts";
import { libraryModules, librarySchemas } from "./library-modules.ts";
import { right } from "./right-requests.ts";
import { absent, placesOf, replaced } from "./spoiling.ts";

const types: readonly unknown[] = [absent, null, true, 1, "x", [], {}];

/** Every pair of places with every pair of types, which holds every place with every type; or a sample of them. */
function spoiledTwice(request: object): unknown[] {
  const places = placesOf(request);
  const spoils = places.flatMap((one, i) =>
    places.slice(i).flatMap((other) => types.flatMap((a) => types.map((b) => ({ one, a, other, b })))),
  );
  return sampled(spoils).map(({ one, a, other, b }) => replaced(replaced(request, other, b), one, a));
}

/**
 * A place without the indexes of lists, and without the paths of evidence: `/record/artifacts/*`, `/artifacts/*`. Any member
 * of an object is `*` as well, for rules that ask for names that the policy's data gives.
 */
function patterns(request: object): Set<string> {
  const places = placesOf(request).map((place) => place.replace(/\/(\d+|e~1a\.md)(?=\/|$)/g, "/*"));
  return new Set([...places, ...places.filter((place) => place !== "").map((place) => place.replace(/[^/]*$/, "*"))]);
}

interface Schema {
  readonly properties?: { readonly [key: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

function schemaPatterns(schema: Schema, at = ""): string[] {
  const open = typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
  return [
    at,
    ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => schemaPatterns(inner, `${at}/${key}`)),
    ...[...(schema.items === undefined ? [] : [schema.items]), ...open].flatMap((s) => schemaPatterns(s, `${at}/*`)),
    ...(schema.anyOf ?? []).flatMap((s) => schemaPatterns(s, at)),
  ];
}

function footprintPatterns(node: FootprintNode, at = ""): string[] {
  if (node === true) return [at];
  // Each member of an object is all of it.
  if ("each" in node) return node.each === true ? [at] : [at, ...footprintPatterns(node.each, `${at}/*`)];
  return [at, ...Object.entries(node.members).flatMap(([key, inner]) => footprintPatterns(inner, `${at}/${key}`))];
}

async function footprints(): Promise<Map<string, FootprintNode>> {
  const { compiled } = await compileModules({
    modules: libraryModules().map(({ name, text }) => new SourceFile(name, text)),
    schemas: librarySchemas(),
  });
  const section = policySectionOf(new WebAssembly.Module(compiled!.wasm as Uint8Array<ArrayBuffer>))!;
  return new Map(section.entrypoints.map((name, i) => [name, section.decide?.[i]?.footprint ?? true]));
}

/** No gate of ours reads these; `call` has them in its own request. */
const forAuthors = (decision: string, place: string): boolean =>
  decision !== "call" && ["/scope", "/args"].includes(place);

/** Places of the right request; those of a bound approval are asked by a suite of their own, each and in pairs. */
const heldBy = (decision: (typeof decisionNames)[number]): ReadonlySet<string> =>
  new Set([...patterns(right[decision]), ...(decision === "call" ? patterns(rightBoundCall) : [])]);

describe("the right requests", () => {
  it.each(decisionNames)("to %s are allowed", (decision) => {
    expect(field(statements[decision](combined, right[decision]), "allowed")).toBe(true);
  });

  it.each(decisionNames)("hold every place that the schema of %s names", (decision) => {
    const held = heldBy(decision);
    const named = schemaPatterns(librarySchemas().get(decision) as Schema);
    expect(named.filter((one) => !held.has(one) && !forAuthors(decision, one))).toEqual([]);
  });

  it("hold every place that a rule reads", async () => {
    const read = await footprints();
    for (const decision of decisionNames) {
      const node = read.get(`portcullis/${decision}/decision`);
      expect(node, decision).toBeDefined();
      const held = heldBy(decision);
      expect(
        footprintPatterns(node!).filter((one) => !held.has(one)),
        decision,
      ).toEqual([]);
    }
  });
});

describe.each(evaluators)("by $name, with values missing, null and of every type", (evaluator) => {
  it.each(decisionNames)("%s answers as its gates say", async (decision) => {
    const all = spoiledTwice(right[decision]);
    // A new process each 5,000 requests, and a millisecond each: the oracle is asked some.
    const asked = evaluator.name === "opa" ? all.filter((_, i) => i % 7 === 0) : all;
    const batches = [{ policy: combined, inputs: asked }];
    const answers = await evaluator.decide(decision, batches);
    expect(answers[0]).toHaveLength(asked.length);
    expect(disagreements(batches, answers, decision)).toEqual([]);
  });
});
