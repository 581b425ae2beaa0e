/**
 * Ids in the requests of decision tests, held against the policy: a misspelt one is denied for being unknown, and the test
 * that expects a denial passes for another reason than its own.
 */

import { type Diagnostic, meaning, nearest } from "@portcullis/rego/diagnostics";
import { entryOf, type SourceDocument, type SourceNode } from "../sources/index.ts";
import { pipelineDiagnostic } from "./codes.ts";
import { findInput, type InputPath } from "./inputs/input-schema.ts";
import type { Vocabularies } from "./inputs/vocabulary.ts";

/** `near`: only ids that look like one of the policy's are told. Others are the point of the test. */
interface Asked {
  readonly node: SourceNode;
  readonly path: readonly (string | undefined)[];
  readonly near: boolean;
  /** Ids that are asked for, too. What looks like one of them is no slip. */
  readonly besides?: ReadonlySet<string>;
}

/** One finding for each id that the policy does not hold, unless the test names the gate or the reason that it expects for it. */
export function testIds(
  tests: readonly SourceDocument[],
  schemas: ReadonlyMap<string, unknown>,
  vocabularies: Vocabularies,
): Diagnostic[] {
  return tests.flatMap(({ root }) => {
    const common = entryOf(root, "decision")?.value;
    const ask = (key: string, asked: (test: SourceNode) => readonly Asked[]): Diagnostic[] =>
      itemsOf(entryOf(root, key)?.value).flatMap((test) => {
        const decision = entryOf(test, "decision")?.value ?? common;
        const schema = decision?.kind === "String" ? schemas.get(decision.value) : undefined;
        return schema === undefined ? [] : asked(test).flatMap((a) => unknownIds(a, schema, vocabularies));
      });
    return [...ask("cases", askedByCase), ...ask("matrices", askedByMatrix)];
  });
}

function askedByCase(test: SourceNode): Asked[] {
  const node = entryOf(test, "input")?.value;
  const expect = entryOf(test, "expect")?.value;
  if (node === undefined || expect?.kind !== "Mapping") return [];
  const allowed = entryOf(expect, "allowed")?.value;
  const isAllowed = allowed?.kind === "Boolean" && allowed.value;
  // What else it expects says for what it is denied, and the test holds that.
  return !isAllowed && expect.entries.length > 1 ? [] : [{ node, path: [], near: false }];
}

/**
 * A matrix expects denials without saying of which gate, and strangers among its values are common: only a value that looks
 * like an id which the axis lacks is told. `every` lacks none.
 */
function askedByMatrix(test: SourceNode): Asked[] {
  const axes = entryOf(test, "axes")?.value;
  const input = entryOf(test, "input")?.value;
  return [
    ...(input === undefined ? [] : [{ node: input, path: [], near: true }]),
    ...(axes?.kind === "Mapping" ? axes.entries : []).flatMap(({ key, value }) => {
      const values = itemsOf(value);
      const besides = new Set(values.flatMap((node) => (node.kind === "String" ? [node.value] : [])));
      return values.map((node) => ({ node, path: key.split("."), near: true, besides }));
    }),
  ];
}

/** Ids in a part of a request that the policy does not hold. */
export function unknownIds(asked: Asked, schema: unknown, vocabularies: Vocabularies): Diagnostic[] {
  const { node, path, near, besides } = asked;
  if (node.kind === "Mapping")
    return node.entries.flatMap(({ key, value }) =>
      unknownIds({ ...asked, node: value, path: [...path, key] }, schema, vocabularies),
    );
  if (node.kind === "Sequence")
    return node.items.flatMap((item) =>
      unknownIds({ ...asked, node: item, path: [...path, undefined] }, schema, vocabularies),
    );
  if (node.kind !== "String") return [];
  const found = findInput(schema, path, vocabularies);
  if (found.kind !== "Texts" || found.vocabulary.ids.has(node.value)) return [];
  const { noun, ids, isOpen } = found.vocabulary;
  const like = nearest(node.value, ids);
  if (like === undefined ? near || isOpen : besides?.has(like)) return [];
  const hint =
    like === undefined
      ? { help: "where that is the point of the test, expect the `gate` or the `reason` too" }
      : meaning(like);
  return [
    pipelineDiagnostic("pipeline/unknown-test-id", { path: written(path), text: node.value, noun }, node.span, hint),
  ];
}

function written(path: InputPath): string {
  return ["input", ...path.map((part) => (part === undefined ? "[_]" : `.${part}`))].join("");
}

function itemsOf(node: SourceNode | undefined): readonly SourceNode[] {
  return node?.kind === "Sequence" ? node.items : [];
}
