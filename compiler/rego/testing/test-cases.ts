/** The cases of a test: what its object says, and those that its body began and did not end. */

import { type JsonLike, toJson } from "@portcullis/runtime/host";
import type { TestCase } from "./test-result.ts";

interface Case {
  fails: boolean;
  readonly cases: Map<string, Case>;
}

/** `value` is the test's object; `begun` are the names of every case that its body reached. */
export function casesOf(value: unknown, begun: readonly (readonly string[])[]): readonly TestCase[] {
  const root = caseOf(value);
  for (const names of begun) add(root.cases, names);
  return listed(root.cases);
}

/** The names of a case, from the argument of `internal.test_case`: texts as they are, anything else as JSON. */
export function caseNames(names: readonly JsonLike[]): string[] {
  return names.map((name) => (typeof name === "string" ? name : toJson(name)));
}

function caseOf(value: unknown): Case {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { fails: value !== true, cases: new Map() };
  const cases = new Map(Object.entries(value).map(([name, inner]) => [name, caseOf(inner)]));
  return { fails: [...cases.values()].some((c) => c.fails), cases };
}

/** Says whether the case fails: one that the object does not have began and did not end. */
function add(cases: Map<string, Case>, names: readonly string[]): boolean {
  const [name, ...rest] = names as [string, ...string[]];
  let found = cases.get(name);
  if (found === undefined) {
    found = { fails: true, cases: new Map() };
    cases.set(name, found);
  }
  if (rest.length > 0 && add(found.cases, rest)) found.fails = true;
  return found.fails;
}

function listed(cases: ReadonlyMap<string, Case>): TestCase[] {
  return [...cases]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { fails, cases: inner }]) => ({
      name,
      outcome: fails ? "fail" : "pass",
      ...(inner.size === 0 ? {} : { cases: listed(inner) }),
    }));
}
