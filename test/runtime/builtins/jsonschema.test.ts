import { fromJson, fromText, type HostBuiltin, isArray, type JsonLike, toText } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonschema } from "../../../runtime/builtins/jsonschema/index.ts";
import { campaign } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { argumentsOf, builtinsOf, orGivesUp, recordedCalls, title } from "./recorded.ts";

const schema = builtinsOf(jsonschema);
const match = schema["json.match_schema"] as HostBuiltin;
const verify = schema["json.verify_schema"] as HostBuiltin;
const value = (json: unknown): JsonLike => fromJson(JSON.stringify(json)) as JsonLike;

/**
 * OPA walks Go maps, in no order: findings are compared as a set, and which of several errors of a schema it reports is
 * compared only where the schema is small enough to have one.
 */
function comparable(result: JsonLike | undefined, small: boolean): unknown {
  if (!isArray(result)) return undefined;
  const [valid, findings] = result;
  return isArray(findings) ? [valid, findings.map(toText).sort()] : small ? [valid, findings] : [valid];
}

describe("json schema", () => {
  it.each(recordedCalls("jsonschema").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const small = call.args.length < 150;
    const got = comparable(schema[call.name]?.(argumentsOf(call)), small);
    const want = comparable(call.result === undefined ? undefined : fromText(call.result), small);
    expect(got).toEqual(want);
  });

  it("refuses a reference that leaves the text", () => {
    const remote = value({ $ref: "http://schemas.example/a.json" });
    expect(toText(verify([remote]) as JsonLike)).toContain("[false,");
    expect(match([value({}), remote])).toBeUndefined();
  });

  it("gives up on a schema that refers to itself without end, or asks without end", () => {
    expect(() => match([value({}), value({ $ref: "#" })])).toThrow("too long to check");
    const definitions: Record<string, unknown> = { d0: {} };
    for (let i = 1; i < 40; i++) {
      const below = { $ref: `#/definitions/d${i - 1}` };
      definitions[`d${i}`] = { allOf: [below, below] };
    }
    const started = cpuMs();
    expect(() => match([value({}), value({ $ref: "#/definitions/d39", definitions })])).toThrow("too long to check");
    expect(cpuMs() - started).toBeLessThan(5000);
  });

  it("takes names of the prototype as ordinary names", () => {
    const rules = fromJson(
      '{"properties": {"__proto__": {"type": "string"}}, "required": ["constructor"]}',
    ) as JsonLike;
    const document = fromJson('{"__proto__": 1}') as JsonLike;
    expect(toText(match([document, rules]) as JsonLike)).toMatch(/constructor is required.*__proto__: Invalid type/);
  });

  it("never throws, whatever it is given", () => {
    const keywords = [
      "type",
      "$ref",
      "items",
      "properties",
      "allOf",
      "format",
      "enum",
      "required",
      "minimum",
      "$id",
      "if",
      "const",
    ];
    const anySchema = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue({ maxDepth: 2 }),
        fc.dictionary(
          fc.constantFrom(...keywords),
          fc.oneof(tie("node"), fc.array(tie("node"), { maxLength: 3 }), fc.constantFrom("#", "string", "#/items")),
        ),
      ),
    })).node;
    fc.assert(
      fc.property(anySchema, fc.jsonValue(), (rules, document) => {
        verify([value(rules)]);
        orGivesUp(() => match([JSON.stringify(document), value(rules)]));
      }),
      campaign(1000),
    );
  });
});
