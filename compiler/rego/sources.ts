/** What the verbs are asked about: texts by name, and what their meaning depends on. */

import type { TableOf } from "@portcullis/runtime/trust";
import { SourceFile } from "./diagnostics/index.ts";

import type { ModuleSources } from "./pipeline/index.ts";
import { checkAbi, readCapabilities, readLanguage } from "./syntax/index.ts";
import { isJsonObject, type JsonObject, type Value, valueOfJson } from "./value/index.ts";

/** Rego modules, and what they are compiled with. Only `modules` is needed. */
export interface Sources {
  /** The text of each module by a name of your own, which findings give as its file: `{ "authz.rego": "package authz …" }`. */
  readonly modules: { readonly [name: string]: string };
  /**
   * An object of JSON that is compiled in: what it holds is constant, and hosts cannot replace it. Data below other keys comes
   * from the host, with `setData`. Numbers are those of JavaScript.
   */
  readonly data?: JsonObject;
  /** What `opa capabilities` prints, parsed: the builtins and parts of the language that may be used. Default: all of OPA's. */
  readonly capabilities?: unknown;
  /**
   * JSON Schemas that annotations name as `schema.<name>`, for the type checker: `acme/input` is `schema.acme.input`, and `` is
   * the schema of the input of every rule. With any, an annotation that names another is an error.
   */
  readonly schemas?: { readonly [name: string]: unknown | undefined };
  /** Builtins without a fixed answer that the host promises to supply: `http.send`, `time.now_ns`, `rand.intn`, `opa.runtime`, … */
  readonly allowBuiltins?: readonly string[] | undefined;
}

export const SOURCES: TableOf<Sources> = {
  modules: "object",
  data: "any?",
  capabilities: "any?",
  schemas: "object?",
  allowBuiltins: "array?",
};

/** Throws CapabilitiesError for malformed capabilities, and TypeError for data that is not an object of JSON. */
export function moduleSources(sources: Sources): ModuleSources & { readonly data: Value } {
  const { modules, data, capabilities, schemas, allowBuiltins } = sources;
  if (capabilities !== undefined) checkAbi(capabilities);
  return {
    modules: Object.entries(modules).map(([name, text]) => new SourceFile(name, text)),
    data: dataValue(data),
    ...(schemas === undefined ? {} : { schemas: new Map(Object.entries(schemas)), requireSchemas: true }),
    allowBuiltins,
    ...(capabilities === undefined
      ? {}
      : { builtins: readCapabilities(capabilities), language: readLanguage(capabilities) }),
  };
}

/** As JSON.stringify writes it: `undefined` is no member, and NaN is `null`. */
function dataValue(data: JsonObject = {}): Value {
  const json: unknown = JSON.parse(JSON.stringify(data) ?? "null");
  if (!isJsonObject(json)) throw new TypeError("`data` is no object of JSON");
  return valueOfJson(json);
}
