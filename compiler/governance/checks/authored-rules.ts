/** The limits of authors' Rego: an extension package has requirements and denials only. */

import type { CheckedPolicy, RuleGroup } from "@portcullis/rego/analyze";
import { type Diagnostic, meaning, nearest, slipOf } from "@portcullis/rego/diagnostics";
import type { Rule } from "@portcullis/rego/syntax";
import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime/abi";
import { notDeny, pipelineDiagnostic } from "./codes.ts";
import { checkCertain } from "./inputs/check-certain.ts";
import { checkDataRefs, type KnownData } from "./inputs/check-data.ts";
import { checkDenials } from "./inputs/check-denials.ts";
import { checkInputs, inputOf } from "./inputs/check-inputs.ts";
import { checkMet } from "./inputs/check-met.ts";
import { checkSilence, type Restate } from "./inputs/check-silence.ts";
import { MeantBodies } from "./inputs/meant-bodies.ts";
import { Restater } from "./inputs/restate.ts";
import { Rows } from "./inputs/rows.ts";
import type { KnownInputs } from "./inputs/rule-inputs.ts";
import { checkAnswers } from "./own-answers.ts";
import { checkRequirements } from "./requirements.ts";

const DECISIONS: ReadonlySet<string> = new Set(DECISION_KINDS);

/** What a decision asks of an extension. */
const ASKED: ReadonlySet<string> = new Set(["must", "deny"]);

/** What a governed policy set knows of its requests and its data. */
export interface KnownFacts extends KnownInputs, KnownData {}

/** `isAuthored` tells a rule of the author's from one of the library's. Without `facts`, the set is an author's plain Rego. */
export function checkAuthoredRules(
  policy: CheckedPolicy,
  isAuthored: (rule: Rule) => boolean,
  facts: KnownFacts | undefined,
): Diagnostic[] {
  const limits = checkLimits(policy, isAuthored);
  if (facts === undefined) return limits;
  const missing = checkDataRefs(policy, isAuthored, facts);
  return [
    ...limits,
    ...unaskedDenials(policy, isAuthored),
    ...certainRules(policy, isAuthored, facts),
    ...checkAnswers(policy.modules, ({ rules: [rule] }) => rule !== undefined && isAuthored(rule)),
    ...silentDenials(policy, isAuthored, facts),
    ...missing,
    ...checkInputs(
      policy,
      isAuthored,
      facts,
      missing.flatMap(({ span }) => span ?? []),
    ),
  ];
}

/** `package ext.tool`, `package call`: a word of the name is missing or misspelt, and no decision would ask the rule. */
function unaskedDenials(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Diagnostic[] {
  return policy.groups.flatMap(({ path, kind, definitions }) => {
    const rule = definitions[0]?.rule;
    const name = path.at(-1) ?? "";
    if (!ASKED.has(name) || path[0] === "portcullis" || rule === undefined || !isAuthored(rule)) return [];
    const meant = meantDecision(path.slice(0, -1));
    // Other tools ask a `deny` in any package. `must` is a word of these decisions alone.
    const isMeant = meant === undefined ? name === "must" && kind === "partial-set" : kind !== "function";
    if (!isMeant || isAsked(policy, path, rule)) return [];
    const { help } =
      meant === undefined
        ? { help: "requirements are asked in `package portcullis.ext.<decision>`" }
        : meaning(`package portcullis.ext.${meant}`);
    return [pipelineDiagnostic("pipeline/unasked-deny", { path: path.join(".") }, rule.head.span, { help })];
  });
}

/** The decision that a package looks like an extension of: by its name alone, or by `ext` before it. */
function meantDecision(names: readonly string[]): DecisionKind | undefined {
  const [first, ...rest] = names;
  const said = (first === "data" && rest.length > 0 ? rest : names)
    .join("")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  const isNear = (name: string): boolean => said === name || slipOf(said, [name]) !== undefined;
  return DECISION_KINDS.find((kind) => said === kind || isNear(`ext${kind}`) || isNear(`portcullisext${kind}`));
}

/** Whether another rule reads it, or it is an entrypoint. */
function isAsked({ groups, annotations, graph }: CheckedPolicy, path: readonly string[], rule: Rule): boolean {
  const isRead = groups.some(({ definitions, defaultRule }) =>
    [...definitions.map((d) => d.rule), ...(defaultRule === undefined ? [] : [defaultRule])].some(
      (reader) => reader !== rule && graph.references(reader).has(rule),
    ),
  );
  const isOfPath = (of: readonly string[]): boolean => of.every((part, i) => path[i] === part);
  return isRead || annotations.some((a) => a.entrypoint && isOfPath(a.path));
}

/** Denials that every request meets, and requirements. */
function certainRules(
  policy: CheckedPolicy,
  isAuthored: (rule: Rule) => boolean,
  { schemas }: KnownInputs,
): Diagnostic[] {
  return policy.groups.flatMap((group) => {
    const { path, definitions } = group;
    const [first, second, decision = "", name] = path;
    if (first !== "portcullis" || second !== "ext" || !DECISIONS.has(decision)) return [];
    if (name === "must") return checkMet(policy, group, schemas.get(decision));
    if (name !== "deny") return [];
    return definitions
      .filter((d) => isAuthored(d.rule))
      .flatMap((d) => checkCertain(policy, decision, d, schemas.get(decision)));
  });
}

function silentDenials(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean, facts: KnownFacts): Diagnostic[] {
  const restater = new Restater(policy, facts.schemas);
  const rows = new Rows(policy, facts);
  const all = policy.groups.flatMap((group) => {
    const [first, second, decision = "", name = ""] = group.path;
    if (first !== "portcullis" || second !== "ext" || !ASKED.has(name) || !DECISIONS.has(decision)) return [];
    const input = inputOf(decision as DecisionKind, facts);
    const bodies = new MeantBodies(policy, { data: facts.data, input, isAuthored });
    const rules = group.definitions.map(({ rule }) => rule).filter(isAuthored);
    const restate: Restate = (asked, at) => restater.restate(asked, at);
    const isOfLanes = decision === "tool" || decision === "call";
    return rules.flatMap((rule) => checkSilence(rule, group, bodies, restate, isOfLanes ? rows : undefined));
  });
  // Several denials may ask one rule.
  const first = new Map(
    all.toReversed().map((finding) => [`${finding.span?.file.name} ${finding.span?.start}`, finding]),
  );
  return all.filter((finding) => first.get(`${finding.span?.file.name} ${finding.span?.start}`) === finding);
}

function checkLimits(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Diagnostic[] {
  const found = policy.groups.flatMap((group) => {
    if (group.path[0] !== "portcullis" || group.path[1] !== "ext") return [];
    const rules = [
      ...group.definitions.map((d) => d.rule),
      ...(group.defaultRule === undefined ? [] : [group.defaultRule]),
    ];
    const found = rules.filter(isAuthored).flatMap((rule) => checkRule(group, rule));
    if (found.length > 0) return found;
    return group.path[3] === "must" ? checkRequirements(policy.modules, group) : checkDenials(group);
  });
  // That a package is no extension is told at its first rule, not at each.
  const told = new Set<string>();
  return found.filter(({ code, span }) => {
    const key = `${code} ${span?.file.name}`;
    const isAgain = told.has(key);
    told.add(key);
    return !isAgain || code !== "pipeline/unknown-extension";
  });
}

function checkRule(group: RuleGroup, rule: Rule): Diagnostic[] {
  const path = group.path.join(".");
  const [, , decision, name, ...rest] = group.path;
  if (decision === undefined || !DECISIONS.has(decision)) {
    const near = nearest(decision ?? "", DECISIONS);
    const known = DECISION_KINDS.map((kind) => `\`${kind}\``).join(", ");
    return [
      pipelineDiagnostic("pipeline/unknown-extension", { name: decision ?? "" }, rule.head.span, {
        ...(near === undefined ? { help: `decisions are ${known}` } : meaning(`portcullis.ext.${near}`)),
      }),
    ];
  }
  const isAsked = ASKED.has(name ?? "") && rest.length === 0 && group.kind === "partial-set" && !rule.isDefault;
  return isAsked ? [] : [notDeny(path, rule.head.span)];
}
