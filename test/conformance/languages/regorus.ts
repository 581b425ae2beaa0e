/** The cases of regorus' interpreter and of its virtual machine: https://github.com/microsoft/regorus/tree/main/tests */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { convertModule } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { jsonOf, type Value, valueOfJson } from "../../../compiler/rego/value/index.ts";
import type { Asked, Want } from "./asked.ts";

interface RegorusCase {
  readonly note: string;
  readonly modules: readonly string[];
  readonly data?: unknown;
  readonly input?: unknown;
  readonly query: string;
  readonly want_result?: unknown;
  /** The interpreter's. */
  readonly error?: string;
  /** The machine's. */
  readonly want_error?: string;
  readonly rego_v0?: boolean;
  /** Answers of several rules at once. */
  readonly want_results?: unknown;
  /** The machine alone refuses it. */
  readonly allow_interpreter_success?: boolean;
  readonly skip?: boolean;
}

/** Not of the language: Azure's targets, limits of the engine, an operator of its own, and answers that a host gives later. */
const OTHER = /^(?:target|limits|rego-extensions)\/|host_await|regex_size_limit/;

export function regorusCases(checkout: string): Asked[] {
  const tests = join(checkout, "tests");
  return [
    // As the interpreter's runner tells the two versions of Rego apart.
    ...casesOf("interpreter", join(tests, "interpreter/cases"), (file) => !file.endsWith("bindings.yaml")),
    ...casesOf("rvm", join(tests, "rvm/rego/cases"), (_, { rego_v0 }) => rego_v0 === true),
  ];
}

function casesOf(suite: string, dir: string, isV0: (file: string, c: RegorusCase) => boolean): Asked[] {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml") && !OTHER.test(file))
    .sort();
  return files.flatMap((file) => {
    const { cases } = yamlOf(join(dir, file));
    const seen = new Map<string, number>();
    return cases.filter(isOfTheLanguage).map((c) => {
      const nth = (seen.get(c.note) ?? 0) + 1;
      seen.set(c.note, nth);
      const name = nth === 1 ? c.note : `${c.note} (${nth})`;
      return asked(`regorus/${suite}/${file.replace(/\.yaml$/, "")}/${name}`, c, isV0(file, c));
    });
  });
}

/** A list over several lines is indented here as its key is, which YAML does not allow: it becomes one line. */
function yamlOf(path: string): { readonly cases: readonly RegorusCase[] } {
  const text = readFileSync(path, "utf8");
  return parseYaml(text.replace(/set!: \[\n[^[\]{}]*\]/g, (list) => list.replace(/\s*\n\s*/g, " ")));
}

function isOfTheLanguage({ skip, want_results, allow_interpreter_success }: RegorusCase): boolean {
  return skip !== true && want_results === undefined && allow_interpreter_success !== true;
}

function asked(note: string, c: RegorusCase, isV0: boolean): Asked {
  const texts = c.modules.map((text, i) => [`module-${i}.rego`, isV0 ? converted(text) : text] as const);
  return {
    note,
    modules: Object.fromEntries(texts),
    data: c.data,
    inputs: c.input === undefined ? [] : many(c.input),
    query: c.query,
    want: wanted(c),
  };
}

/** A module that cannot be converted stays as it is, and is refused. */
function converted(text: string): string {
  return convertModule(new SourceFile("module.rego", text)).text ?? text;
}

function wanted(c: RegorusCase): Want {
  if (c.error !== undefined || c.want_error !== undefined) return { kind: "error" };
  // Without a result the query is undefined.
  const results =
    c.want_result === undefined
      ? []
      : many(c.want_result)
          .filter((result) => result !== "#undefined")
          .map((result) => jsonOf(toValue(result)));
  return { kind: "solutions", solutions: results };
}

const many = (value: unknown): readonly unknown[] => {
  const all = (value as { readonly "many!"?: readonly unknown[] } | null)?.["many!"];
  return all ?? [value];
};

/** `set!: […]` is a set, `object!: […]` an object with keys of any kind. */
function toValue(yaml: unknown): Value {
  if (Array.isArray(yaml)) return { kind: "array", items: yaml.map(toValue) };
  if (typeof yaml !== "object" || yaml === null) return valueOfJson(yaml);
  const { "set!": set, "object!": members } = yaml as Record<string, unknown>;
  if (Array.isArray(set)) return { kind: "set", items: set.map(toValue) };
  const entries = Array.isArray(members)
    ? members.map(({ key, value }) => [toValue(key), toValue(value)] as const)
    : Object.entries(yaml).map(([key, value]) => [valueOfJson(key), toValue(value)] as const);
  return { kind: "object", entries };
}
