/**
 * Requests that meet the rules of the house. The tables do not say what those ask for: a request that they alone deny is varied by
 * what they read and the constants that they hold, until it is allowed.
 */

import { parseModule, type Rule } from "@portcullis/rego/syntax";
import { GATES } from "@portcullis/runtime";
import { bundleModules } from "../bundle-modules.ts";
import type { Answer } from "../decision-space.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { type ReadInputs, readInputs, variedInputs } from "./rego-inputs.ts";
import type { Question } from "./templates.ts";

/** Denied requests that are varied, and how often each. */
const MOST_VARIED = 4;
const MOST_TRIED = 600;
/** What a question is about stays as it is. */
const IDS = new Set(["role", "lane", "tool", "lineage"]);

/** Gives a request that some policy allows, like one of those that only rules of the house deny; `undefined` where none is found. */
export type Meeting = (denied: readonly Question[]) => Question | undefined;

/** What the rules of the house read, in any of the policies. */
export function houseReads(policies: readonly OpenedPolicy[]): ReadInputs {
  const { paths, constants } = readInputs(
    policies.flatMap(authoredRules),
    policies.map(({ data: { portcullis: _, ...authored } }) => authored),
  );
  return { paths: paths.filter(([first = ""]) => !IDS.has(first)), constants };
}

export function meetingHouse(read: ReadInputs, answersTo: (question: Question) => readonly Answer[]): Meeting {
  return (denied) => {
    if (read.paths.length === 0) return undefined;
    const isTheirs = (question: Question): boolean =>
      answersTo(question).some(({ allowed, gate }) => !allowed && !isOfLibrary(question.kind, gate));
    for (const start of denied.filter(isTheirs).slice(0, MOST_VARIED))
      for (const question of variedInputs([start], read, MOST_TRIED))
        if (answersTo(question).some(({ allowed }) => allowed)) return question;
    return undefined;
  };
}

function isOfLibrary(kind: Question["kind"], gate: string): boolean {
  return GATES[kind].some((described) => described.gate === gate);
}

/** Rules that are not the library's. */
function authoredRules(opened: OpenedPolicy): Rule[] {
  return bundleModules(opened).flatMap((file) =>
    file.name.replace(/^\//, "").startsWith("portcullis/") ? [] : [...(parseModule(file).module?.rules ?? [])],
  );
}
