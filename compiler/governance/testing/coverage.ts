/**
 * Coverage: the rules of the bundle whose bodies succeeded in at least one test. The tests run once more for this, on a module
 * of its own that reports every success: the module that is tested is the one that is shipped.
 */

import type { Span } from "@portcullis/rego/diagnostics";
import { type LoadOptions, load, type Policy } from "@portcullis/runtime";
import type { CoveringModule } from "./compile-tests.ts";

/** Which rules the tests made succeed, in OPA's format, with a second percentage for the author's own. */
export interface Coverage {
  readonly files: { readonly [file: string]: FileCoverage };
  readonly covered_rules: number;
  readonly not_covered_rules: number;
  /** Percent of all rules, the library's included. */
  readonly coverage: number;
  /** Percent of the author's own rules; 100 without rules. */
  readonly own_coverage: number;
  /** Lines of the author's own files, as OPA counts them: heads of rules that succeeded, and expressions that were evaluated. */
  readonly covered_lines: number;
  readonly not_covered_lines: number;
  /** Percent of them; 100 without lines. */
  readonly line_coverage: number;
}

/** The coverage of one Rego file. */
export interface FileCoverage {
  /** Rows of rules, and of their `else`s, that succeeded at least once. */
  readonly covered: readonly number[];
  readonly not_covered: readonly number[];
  readonly coverage: number;
  /** How often each line was reached, by row; 0 for those that were not. */
  readonly lines: { readonly [row: string]: number };
  /** True for a rule of the author's, false for one of the decision library. */
  readonly own: boolean;
}

/** Runs the tests on the reporting module. */
export async function measureCoverage(
  covering: CoveringModule,
  run: (policy: Policy) => unknown,
  options: LoadOptions,
): Promise<Coverage> {
  const hits = new Map<number, number>();
  const reached = new Map<number, number>();
  const counting = (counts: Map<number, number>) => (args: readonly unknown[]) => {
    const number = Number(args[0]);
    counts.set(number, (counts.get(number) ?? 0) + 1);
    return true;
  };
  const policy = await load(covering.wasm, {
    ...options,
    builtins: [
      ...(options.builtins ?? []),
      { [covering.builtin]: counting(hits), [covering.reached]: counting(reached) },
    ],
  });
  run(policy);
  return coverageOf(covering, hits, reached);
}

type Counts = ReadonlyMap<number, number>;

function coverageOf({ rules, expressions, isAuthored }: CoveringModule, hits: Counts, reached: Counts): Coverage {
  const placed = rules.map(({ file, start }, number) => {
    return { file: file.name, row: file.positionAt(start).line, own: isAuthored(file), hit: hits.has(number) };
  });
  const files = [...new Set(placed.map((p) => p.file))].sort().map((file) => {
    const inside = placed.filter((p) => p.file === file).sort((a, b) => a.row - b.row);
    const rows = (hit: boolean): number[] => inside.filter((p) => p.hit === hit).map((p) => p.row);
    const own = inside.some((p) => p.own);
    const lines = linesOf(file, [
      [rules, hits],
      [expressions, reached],
    ]);
    return [file, { covered: rows(true), not_covered: rows(false), coverage: percent(inside), lines, own }] as const;
  });
  const ownLines = files.flatMap(([, { lines, own }]) =>
    own ? Object.values(lines).map((n) => ({ hit: n > 0 })) : [],
  );
  const covered = ownLines.filter((line) => line.hit).length;
  return {
    files: Object.fromEntries(files),
    covered_rules: placed.filter((p) => p.hit).length,
    not_covered_rules: placed.filter((p) => !p.hit).length,
    coverage: percent(placed),
    own_coverage: percent(placed.filter((p) => p.own)),
    covered_lines: covered,
    not_covered_lines: ownLines.length - covered,
    line_coverage: percent(ownLines),
  };
}

/** By row, the most that one of the places in it was reached. */
function linesOf(file: string, all: readonly (readonly [readonly Span[], Counts])[]): { [row: string]: number } {
  const lines = new Map<number, number>();
  for (const [places, counts] of all)
    for (const [i, { file: source, start }] of places.entries()) {
      if (source.name !== file) continue;
      const row = source.positionAt(start).line;
      lines.set(row, Math.max(lines.get(row) ?? 0, counts.get(i) ?? 0));
    }
  return Object.fromEntries([...lines].sort(([a], [b]) => a - b));
}

/** Rounded down to two places, so that 100 is said of nothing less. */
function percent(rules: readonly { readonly hit: boolean }[]): number {
  return rules.length === 0 ? 100 : Math.floor((rules.filter((r) => r.hit).length / rules.length) * 10_000) / 100;
}
