/**
 * Queries against `opa eval`: values, bindings and their order, what is undefined, and errors. The modules, data and inputs are those
 * of OPA's own cases; beside the query of a case, one is made for its package.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtins } from "@portcullis/builtins";
import { describe, expect, it } from "vitest";
import { type QueryResult, query } from "../../compiler/rego/index.ts";
import { type Case, readCases } from "../conformance/cases.ts";
import { exceptions, releaseExceptions } from "../conformance/exceptions.ts";
import { cachedOpaModule, evaluationCases } from "../conformance/opa-release.ts";
import { hasOpa } from "./opa.ts";

/** The part of the cases that is asked: one of this many. */
const EVERY = Number(process.env["PORTCULLIS_QUERIES"] ?? 12);

const module = cachedOpaModule();
/** What has an answer of its own each time, and `rego.parse_module`, which no host of ours has. */
const NOT_COMPARED =
  /rego\.parse_module|time\.now|rand\.intn|uuid\.|http\.send|opa\.runtime|net\.lookup|internal\.|sleep/;

/** Queries over a package, each for another case. */
const MADE: readonly ((pkg: string) => string)[] = [
  (pkg) => pkg,
  (pkg) => `x := ${pkg}`,
  (pkg) => `${pkg}[name]`,
  (pkg) => `some name, value in ${pkg}; value != true`,
  (pkg) => `not ${pkg}.p`,
  (pkg) => `${pkg}.p == true`,
  (pkg) => `${pkg}.p = x; y := {"p": x}`,
  (pkg) => `count(${pkg}.p, n)`,
  (pkg) => `count(${pkg}); 1 == 1; 2 > 1`,
  (pkg) => `walk(${pkg}, [path, value]); count(path) > 1`,
  (pkg) => `every name, value in ${pkg} { name != ""; value != 7 }`,
  (pkg) => `[name | ${pkg}[name]]; x := input`,
  (pkg) => `${pkg}.p with input as {"x": 1}`,
  (pkg) => `z := ${pkg}.p[_]`,
  (pkg) => `unsafe > ${pkg}.p`,
];

interface Asked {
  readonly note: string;
  readonly text: string;
  readonly case: Case;
}

function asked(): Asked[] {
  if (module === undefined) return [];
  const cases = readCases(evaluationCases(module))
    .map(({ case: c }) => c)
    .filter((c) => !exceptions.has(c.note) && !releaseExceptions.has(c.note))
    .filter((c) => c.input_term === undefined && !NOT_COMPARED.test(JSON.stringify([c.query, c.modules])));
  return cases
    .filter((_, i) => i % EVERY === 0)
    .flatMap((c, i) => {
      const [, name] = /^package\s+(\S+)/m.exec(c.modules?.[0] ?? "") ?? [];
      const make = MADE[i % MADE.length] as (pkg: string) => string;
      const texts = [c.query, ...(name === undefined ? [] : [make(`data.${name}`)])];
      return texts.map((text) => ({ note: c.note, text, case: c }));
    });
}

type Answer =
  | { readonly solutions: readonly unknown[]; readonly error?: undefined }
  | { readonly solutions?: undefined; readonly error: string };

async function ours({ text, case: c }: Asked): Promise<Answer> {
  const modules = Object.fromEntries((c.modules ?? []).map((m, i) => [`m${i}.rego`, m]));
  const { result, diagnostics, fault }: QueryResult = await query({
    ...{ query: text, modules, input: c.input, load: { builtins } },
    ...(c.data === undefined || c.data === null ? {} : { data: c.data as Record<string, unknown> }),
  });
  if (result !== undefined) return { solutions: result };
  const first = diagnostics.find((d) => d.severity === "error");
  return {
    error: first?.opa ?? (fault?.code === "conflict" ? "eval_conflict_error" : `${fault?.code ?? first?.code}`),
  };
}

function theirs({ text, case: c }: Asked): Answer {
  const dir = mkdtempSync(join(tmpdir(), "query-"));
  try {
    const args = ["eval", "--format", "json"];
    const file = (name: string, content: string): string => {
      writeFileSync(join(dir, name), content);
      return name;
    };
    for (const [i, m] of (c.modules ?? []).entries()) args.push("-d", file(`m${i}.rego`, m));
    if (c.data !== undefined && c.data !== null) args.push("-d", file("data.json", JSON.stringify(c.data)));
    if (c.input !== undefined) args.push("-i", file("input.json", JSON.stringify(c.input)));
    const { stdout } = spawnSync("opa", [...args, text], { cwd: dir, encoding: "utf8", maxBuffer: 1 << 30 });
    const { result, errors } = JSON.parse(stdout) as { result?: unknown[]; errors?: { code: string }[] };
    return errors === undefined ? { solutions: result ?? [] } : { error: errors[0]?.code ?? "" };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** With members in one order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
}

describe.skipIf(!hasOpa || module === undefined)("queries, beside `opa eval`", () => {
  const all = asked();

  it(`answers ${all.length} of them alike`, async () => {
    expect(all.length).toBeGreaterThan(50);
    const differing: string[] = [];
    for (const one of all) {
      const [mine, other] = [await ours(one), theirs(one)].map((a) => JSON.stringify(canonical(a)));
      if (mine !== other) differing.push(`${one.note}: ${one.text}\n  ours ${mine}\n  opa  ${other}`);
    }
    expect(differing).toEqual([]);
  });
});
