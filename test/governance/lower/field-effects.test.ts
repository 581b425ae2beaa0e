/**
 * What the schemas say of every field of a policy file: one that decides turns an answer when it is changed, any other none.
 * A field that sounds like a rule and decides nothing is worse than none.
 */

import { isDeepStrictEqual } from "node:util";
import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { type Field, fieldsOf, type Schema } from "../../../compiler/build/reference/fields.ts";
import { FORMATS } from "../../../compiler/build/reference/file-formats.ts";
import { lowerToData } from "../../../compiler/governance/lower/index.ts";
import { buildModel } from "../../../compiler/governance/model/index.ts";
import { loadSources, SCHEMAS } from "../../../compiler/governance/sources/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { adapterModules, libraryModules, librarySchemas } from "../library/library-modules.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { adapted, type Documents, documents, requests } from "./full-set.ts";

let policy: Policy;
beforeAll(async () => {
  const modules = [...libraryModules(), ...adapterModules()].map(({ name, text }) => new SourceFile(name, text));
  const { compiled } = await compileModules({ modules, schemas: librarySchemas() });
  policy = await load(compiled?.wasm as Uint8Array);
});

/** The answers to all requests under these files. Findings do not matter here: a changed id leaves references to it. */
function answers(files: Documents): unknown[] {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === "string" ? content : JSON.stringify(content),
  ]);
  const { set } = loadSources(virtualHost({ policy: Object.fromEntries(texts) }), ["policy"]);
  const { text } = lowerToData(buildModel(set).model, set.data);
  policy.setData(JSON.parse(text));
  const ask = (answer: unknown): unknown => {
    expect(policy.lastFault).toBeUndefined();
    return answer;
  };
  return [
    ...requests.map(([decision, request]) => ask(policy[decision](request as never))),
    ...adapted.map(([entrypoint, request]) => ask(policy.evaluate(entrypoint, request))),
  ];
}

/** Other values of a field, each of which might turn an answer. */
function others(value: unknown, { enum: values }: Schema): unknown[] {
  if (values !== undefined) return values.filter((one) => one !== value);
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [1, value + 1];
  // The lane prohibits the last one.
  if (Array.isArray(value)) return [[], [...value, "added"], [...value, "loud"]];
  if (typeof value === "object") return [{}];
  return ["added"];
}

/** The parts of a document that a path like `lanes[].scope.requires` names: the object that has the member, and its key. */
function places(at: unknown, path: readonly string[]): [object, string][] {
  const [key, ...rest] = path as [string, ...string[]];
  const isList = key.endsWith("[]");
  const name = isList ? key.slice(0, -2) : key;
  if (typeof at === "object" && at !== null && key === "*")
    return Object.keys(at as object).flatMap((one) => places(at, [one, ...rest]));
  if (typeof at !== "object" || at === null || !(name in at)) return [];
  if (rest.length === 0) return [[at, name]];
  const inside: unknown = Reflect.get(at, name);
  return isList && Array.isArray(inside) ? inside.flatMap((one) => places(one, rest)) : places(inside, rest);
}

/** Every set of files in which this field has another value in one place. */
function variants(file: string, { path, schema }: Field): Documents[] {
  const count = places(documents[file], path.split(".")).length;
  return Array.from({ length: count }, (_, i) => i).flatMap((i) => {
    const place = (files: Documents): [object, string] => places(files[file], path.split("."))[i] as [object, string];
    const [object, key] = place(documents);
    return others(Reflect.get(object, key), schema).map((value) => {
      const files = structuredClone(documents);
      const [changed, name] = place(files);
      Reflect.set(changed, name, value);
      return files;
    });
  });
}

const FILES: Readonly<Record<string, readonly string[]>> = {
  settings: ["portcullis.yaml"],
  roles: ["roles.yaml"],
  lanes: ["lanes.yaml"],
  tool_registry: ["tool_registry.yaml"],
  approvers: ["approvers.yaml"],
  manifest: ["manifests/a.yaml", "manifests/b.yaml"],
  handoff: ["handoff.yaml"],
  exec: ["exec.yaml"],
  limits: ["limits.yaml"],
};

describe.each(FORMATS)("%s", (format) => {
  it.each(fieldsOf(SCHEMAS[format] as Schema).map((field) => [field.path, field] as const))("%s", (_, field) => {
    const changed = (FILES[format] as readonly string[]).flatMap((file) => variants(file, field));
    expect(changed.length, "the full set lacks this field").toBeGreaterThan(0);
    const before = answers(documents);
    const turned = changed.some((files) => !isDeepStrictEqual(answers(files), before));
    expect(turned).toBe(field.effect === "Decides");
  });
});

it("asks requests that are allowed, and one at least to every decision", () => {
  const allowed = answers(documents).map((answer) => {
    const { allowed: isAllowed, decision } = answer as { allowed?: boolean; decision?: boolean };
    return isAllowed ?? decision;
  });
  const rightOnes = requests.filter(([, , wanted]) => wanted);
  expect(allowed).toEqual([...requests.map(([, , wanted]) => wanted), ...adapted.map(() => true)]);
  expect(new Set(rightOnes.map(([decision]) => decision)).size).toBe(8);
});
