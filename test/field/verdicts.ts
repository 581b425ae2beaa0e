/** What `opa test` and `portcullis test` say of each test, in one form. */

/** `pass`, `fail`, `error` or `skip`, and the same of each case. Of twins there are several under one name. */
export type Verdicts = ReadonlyMap<string, readonly string[]>;

interface OpaResult {
  readonly package: string;
  readonly name: string;
  readonly fail?: boolean;
  readonly skip?: boolean;
  readonly error?: unknown;
  readonly sub_results?: OpaCases;
}
type OpaCases = Readonly<Record<string, { readonly fail?: boolean; readonly sub_results?: OpaCases }>>;

/** Verdicts from the JSON of `opa test`. Throws for anything else. */
export function opaVerdicts(json: string): Verdicts {
  const results = JSON.parse(json) as readonly OpaResult[];
  return byName(
    results.map((r) => {
      const outcome = r.skip ? "skip" : r.error ? "error" : r.fail ? "fail" : "pass";
      return [`${r.package}.${r.name.replace(/#\d+$/, "")}`, [outcome, ...opaCases(r.sub_results, "")].join(" ")];
    }),
  );
}

function opaCases(cases: OpaCases | undefined, at: string): string[] {
  return Object.keys(cases ?? {})
    .sort()
    .flatMap((name) => {
      const c = cases?.[name];
      return [`${at}/${name}=${c?.fail ? "fail" : "pass"}`, ...opaCases(c?.sub_results, `${at}/${name}`)];
    });
}

interface OurResult {
  readonly name: string;
  readonly outcome: string;
  readonly cases?: readonly OurCase[];
}
interface OurCase {
  readonly name: string;
  readonly outcome: string;
  readonly cases?: readonly OurCase[];
}

/** Verdicts from the JSON of `portcullis test`. Throws for anything else. */
export function ourVerdicts(json: string): Verdicts {
  const { results } = JSON.parse(json) as { readonly results: readonly OurResult[] };
  return byName(
    results.map((r) => [r.name.replace(/#\d+$/, ""), [r.outcome, ...ourCases(r.cases, "")].join(" ")] as const),
  );
}

function ourCases(cases: readonly OurCase[] | undefined, at: string): string[] {
  return [...(cases ?? [])]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((c) => [`${at}/${c.name}=${c.outcome}`, ...ourCases(c.cases, `${at}/${c.name}`)]);
}

function byName(pairs: readonly (readonly [string, string])[]): Verdicts {
  const verdicts = new Map<string, string[]>();
  for (const [name, verdict] of pairs) verdicts.set(name, [...(verdicts.get(name) ?? []), verdict].sort());
  return verdicts;
}

/** Every test of which the two do not say the same. */
export function differences(theirs: Verdicts, ours: Verdicts): string[] {
  return [...new Set([...theirs.keys(), ...ours.keys()])].sort().flatMap((name) => {
    const [a = [], b = []] = [theirs.get(name), ours.get(name)];
    if (a.join() === b.join()) return [];
    return [`${name}: opa ${a.join(", ") || "has no such test"}; portcullis ${b.join(", ") || "has no such test"}`];
  });
}
