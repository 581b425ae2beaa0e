/**
 * Whatever parses can be analysed: a policy that keeps its promises, or findings that have a place and no made-up name in
 * them. Modules are those of the corpora with their words moved, doubled, dropped and exchanged, and wholly made-up ones.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { builtins } from "../../../compiler/rego/syntax/builtins.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { campaign, runs } from "../../campaign.ts";
import { readCases } from "./corpus.ts";
import { where } from "./helpers.ts";
import { brokenPromises } from "./invariants.ts";

const conformance = fileURLToPath(new URL("../../../../shared/conformance/rego-v1/", import.meta.url));

function conformanceModules(): string[] {
  if (!existsSync(conformance)) return [];
  return readdirSync(conformance).flatMap((folder) =>
    readdirSync(conformance + folder).flatMap((file) => {
      const { cases } = JSON.parse(readFileSync(`${conformance}${folder}/${file}`, "utf8")) as {
        cases: { modules?: string[] }[];
      };
      return cases.flatMap((c) => c.modules ?? []);
    }),
  );
}

const texts = [...readCases().flatMap((c) => c.modules.map((m) => m.text)), ...conformanceModules()].filter(
  (t) => t.length < 1_500,
);
const allowNondeterministic = [...builtins().keys()];

/** Analyses a text if it parses, and says whether it did. */
function survives(modules: readonly string[], strict: boolean): boolean {
  const parsed = modules.map((text, i) => parseModule(new SourceFile(`${i}.rego`, text)).module);
  if (parsed.some((m) => m === undefined)) return false;
  const { policy, diagnostics } = analyze(
    parsed.flatMap((m) => m ?? []),
    { strict, allowNondeterministic },
  );
  for (const d of diagnostics) {
    if (/#\d|__local0__#|undefined$|\[object [A-Z]/.test(d.message)) throw new Error(where(d));
    if (!d.span || d.span.start > d.span.end || d.span.end > d.span.file.text.length)
      throw new Error(`no place: ${where(d)}`);
  }
  if ((policy === undefined) !== diagnostics.some((d) => d.severity === "error"))
    throw new Error("a policy with errors, or none without");
  const broken = policy ? brokenPromises(policy) : [];
  if (broken.length > 0) throw new Error(broken.join("\n"));
  return true;
}

const words = (text: string): string[] => text.match(/"(?:[^"\\\n]|\\.)*"|`[^`]*`|\w+|\s+|[^\w\s]/g) ?? [];

interface Change {
  readonly kind: "drop" | "double" | "swap" | "exchange" | "rename";
  readonly at: number;
  readonly other: number;
}

function change(list: string[], { kind, at, other }: Change, pool: readonly string[]): void {
  if (list.length === 0) return;
  const i = at % list.length;
  const j = other % list.length;
  const [a = "", b = ""] = [list[i], list[j]];
  if (kind === "drop") list.splice(i, 1);
  else if (kind === "double") list.splice(i, 0, a, " ");
  else if (kind === "swap") [list[i], list[j]] = [b, a];
  else if (kind === "exchange") list[i] = pool[other % pool.length] ?? a;
  else if (/^[a-z_]\w*$/.test(a) && /^[a-z_]\w*$/.test(b)) list[i] = b;
}

const changes = fc.array(
  fc.record({
    kind: fc.constantFrom(
      "drop" as const,
      "double" as const,
      "swap" as const,
      "exchange" as const,
      "rename" as const,
      "rename" as const,
    ),
    at: fc.nat(10_000),
    other: fc.nat(10_000),
  }),
  { maxLength: 4 },
);

describe("analysis survives", () => {
  it("changed modules", () => {
    let analysed = 0;
    fc.assert(
      fc.property(fc.nat(texts.length - 1), fc.nat(texts.length - 1), changes, fc.boolean(), (i, j, list, strict) => {
        const tokens = words(texts[i] as string);
        const pool = words(texts[j] as string).filter((w) => w.trim() !== "");
        for (const c of list) change(tokens, c, pool);
        if (survives([tokens.join("")], strict)) analysed++;
      }),
      campaign(3_000),
    );
    expect(analysed).toBeGreaterThan(runs(3_000) / 10);
  });

  it("pairs of modules", () => {
    let analysed = 0;
    fc.assert(
      fc.property(fc.nat(texts.length - 1), fc.nat(texts.length - 1), fc.boolean(), (i, j, strict) => {
        if (survives([texts[i] as string, texts[j] as string], strict)) analysed++;
      }),
      campaign(1_000),
    );
    expect(analysed).toBeGreaterThan(runs(1_000) / 3);
  });

  it("made-up modules", () => {
    let analysed = 0;
    fc.assert(
      fc.property(module, fc.boolean(), (text, strict) => {
        if (survives([text], strict)) analysed++;
      }),
      campaign(3_000),
    );
    expect(analysed).toBeGreaterThan(runs(3_000) / 3);
  });
});

// ---- made-up modules ----

const name = fc.constantFrom("x", "y", "z", "p", "q", "f", "_", "input", "data.t.p", "data.t");
const { term } = fc.letrec<{ term: string; body: string; statement: string }>((tie) => {
  const t = tie("term");
  const b = tie("body");
  const many = fc.array(t, { maxLength: 2 });
  return {
    term: fc.oneof(
      { maxDepth: 4, depthIdentifier: "term" },
      fc.oneof(name, fc.constantFrom("1", '"a"', "true", "null", "[]", "{}", "set()")),
      many.map((l) => `[${l.join(", ")}]`),
      fc.array(t, { minLength: 1, maxLength: 2 }).map((l) => `{${l.join(", ")}}`),
      fc.tuple(t, t).map(([k, v]) => `{${k}: ${v}}`),
      fc.tuple(fc.constantFrom("x", "y", "p", "input", "data.t", "f(1)", "[1, 2]"), t).map(([h, k]) => `${h}[${k}]`),
      fc
        .tuple(fc.constantFrom("f", "count", "plus", "abs", "object.get", "print", "walk"), many)
        .map(([f, l]) => `${f}(${l.join(", ")})`),
      fc.tuple(t, fc.constantFrom("+", "==", "<", "|", "in"), t).map(([l, o, r]) => `(${l} ${o} ${r})`),
      fc.tuple(t, b).map(([x, body]) => `[${x} | ${body}]`),
      fc.tuple(t, b).map(([x, body]) => `{${x} | ${body}}`),
      fc.tuple(t, t, b).map(([k, v, body]) => `{${k}: ${v} | ${body}}`),
      t.map((x) => `$"a {${x}}"`),
    ),
    statement: fc.oneof(
      { maxDepth: 3, depthIdentifier: "statement" },
      t,
      fc.tuple(t, fc.constantFrom(":=", "=", "=="), t).map(([l, o, r]) => `${l} ${o} ${r}`),
      fc.tuple(fc.constantFrom("x", "y", "z"), t).map(([l, r]) => `${l} := ${r}`),
      t.map((x) => `not ${x}`),
      fc.tuple(t, t).map(([x, xs]) => `some ${x} in ${xs}`),
      fc.tuple(t, t, t).map(([k, x, xs]) => `some ${k}, ${x} in ${xs}`),
      fc.constantFrom("some x", "some x, y"),
      fc.tuple(t, b).map(([xs, body]) => `every x in ${xs} { ${body} }`),
      fc.tuple(t, b).map(([xs, body]) => `every k, x in ${xs} { ${body} }`),
      fc
        .tuple(t, fc.constantFrom("input", "input.a", "data.t.p", "f", "count", "data.u", "x"), t)
        .map(([x, target, v]) => `${x} with ${target} as ${v}`),
    ),
    body: fc.array(tie("statement"), { minLength: 1, maxLength: 3 }).map((l) => l.join("; ")),
  };
});
const body = fc.letrec<{ term: string; body: string; statement: string }>(() => ({
  term,
  body: term,
  statement: term,
})).body;
const statements = fc
  .array(
    fc.oneof(
      term,
      fc.tuple(term, fc.constantFrom(":=", "=", "=="), term).map(([l, o, r]) => `${l} ${o} ${r}`),
      fc.tuple(fc.constantFrom("x", "y", "z"), term).map(([l, r]) => `${l} := ${r}`),
      term.map((x) => `not ${x}`),
      fc.tuple(term, term).map(([x, xs]) => `some ${x} in ${xs}`),
      fc.tuple(term, body).map(([xs, b]) => `every x in ${xs} { ${b} }`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((l) => l.join("\n\t"));
const rule = fc.oneof(
  fc.tuple(fc.constantFrom("p", "q", "r.s", "p.q"), term).map(([n, v]) => `${n} := ${v}`),
  fc.tuple(fc.constantFrom("p", "q", "r.s"), term, statements).map(([n, v, s]) => `${n} := ${v} if {\n\t${s}\n}`),
  fc
    .tuple(fc.constantFrom("p", "s", "r[x]"), term, statements)
    .map(([n, v, s]) => `${n} contains ${v} if {\n\t${s}\n}`),
  fc.tuple(term, term, statements).map(([k, v, s]) => `o[${k}] := ${v} if {\n\t${s}\n}`),
  fc.tuple(term, term, statements).map(([k, v, s]) => `o.a[${k}].b := ${v} if {\n\t${s}\n}`),
  fc.tuple(term, term, statements).map(([a, v, s]) => `f(${a}) := ${v} if {\n\t${s}\n}`),
  fc
    .tuple(term, statements, term, statements)
    .map(([v, s, w, u]) => `e := ${v} if {\n\t${s}\n} else := ${w} if {\n\t${u}\n}`),
  fc.constantFrom("default p := 1", "default f(_) := 2", "default o.a.c := 3"),
);
const module = fc.array(rule, { minLength: 1, maxLength: 3 }).map((rules) => `package t\n${rules.join("\n")}\n`);
