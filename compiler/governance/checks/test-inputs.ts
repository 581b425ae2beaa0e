/** Members of the requests of decision tests, held against the schemas of requests: one that is misspelt is not read. */

import { type Diagnostic, didYouMean, type Span } from "@portcullis/rego/diagnostics";
import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { entryOf, type SourceDocument, type SourceNode } from "../sources/index.ts";
import { pipelineDiagnostic } from "./codes.ts";

/** Names that look like a member which the request lacks. Others are somebody's point: a test may ask anything. */
export function testInputs(tests: readonly SourceDocument[], schemas: ReadonlyMap<string, unknown>): Diagnostic[] {
  return tests.flatMap(({ root }) => {
    const common = entryOf(root, "decision")?.value;
    return ["cases", "matrices"].flatMap((key) => {
      const list = entryOf(root, key)?.value;
      return (list?.kind === "Sequence" ? list.items : []).flatMap((test) => {
        const decision = entryOf(test, "decision")?.value ?? common;
        if (decision?.kind !== "String") return [];
        const schema = schemas.get(decision.value);
        const axes = entryOf(test, "axes")?.value;
        const named = (axes?.kind === "Mapping" ? axes.entries : []).map((e) => ({
          name: e.key.split(".")[0] as string,
          span: e.keySpan,
        }));
        return misspelt(decision.value, schema, entryOf(test, "input")?.value, named);
      });
    });
  });
}

/** Members of a request that look like one which it lacks. `axes`: further members, by the first part of their names. */
export function misspelt(
  decision: string,
  schema: unknown,
  node: SourceNode | undefined,
  axes: readonly { readonly name: string; readonly span: Span }[] = [],
): Diagnostic[] {
  if (node?.kind === "Sequence") {
    const items = formsOf(schema).flatMap((form) => form["items"] ?? []);
    return items.length === 1 ? node.items.flatMap((item) => misspelt(decision, items[0], item)) : [];
  }
  const properties = propertiesOf(schema);
  if (properties === undefined) return [];
  const entries = node?.kind === "Mapping" ? node.entries : [];
  const written = [...entries.map((e) => ({ name: e.key, span: e.keySpan })), ...axes];
  const missing = Object.keys(properties).filter((name) => !written.some((w) => w.name === name));
  const found = written.flatMap(({ name, span }) => {
    if (Object.hasOwn(properties, name)) return [];
    const near = didYouMean(name, missing);
    return near.meant === undefined
      ? []
      : [pipelineDiagnostic("pipeline/misspelt-input", { decision, key: name }, span, near)];
  });
  return [...found, ...entries.flatMap((e) => misspelt(decision, properties[e.key], e.value))];
}

/** The members of an object that has these and no others; beside it, `null` and other values may stand. */
function propertiesOf(schema: unknown): { readonly [name: string]: unknown } | undefined {
  const [object, ...others] = formsOf(schema).filter((form) => form["type"] === "object" || "properties" in form);
  if (object === undefined || others.length > 0 || "additionalProperties" in object) return undefined;
  const { properties } = object;
  return isJsonObject(properties) ? properties : undefined;
}

function formsOf(schema: unknown): readonly JsonObject[] {
  const forms = isJsonObject(schema) && Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema];
  return forms.filter(isJsonObject);
}
