/**
 * Denials that prove nothing. A question has ids alone: an author's rule that reads more - a member of the scope, host data, the
 * clock - may deny what it allows to a request that says more, and so may a gate of the library that depends on more than data.
 */

import { builtin, children, type Node, type Ref, type Var } from "@portcullis/rego/syntax";
import type { JsonObject } from "@portcullis/rego/value";
import { GATES, type GateDescription, type Policy } from "@portcullis/runtime";
import { type Answer, ASKED, Asker, DECISION_OF, type Space, type SpaceName } from "../decision-space.ts";
import { edited } from "../explain/edit.ts";
import { type IndexedRule, RegoIndex, referencesIn } from "../explain/rego-index.ts";
import { hostDataPolicy, regoOf } from "../host-data-policy.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { member, texts } from "../policy-ids.ts";

/** Why a denial proves nothing about other requests with the ids of its question; `undefined` where it stands for them all. */
export type OpenDenial = (space: Space, ids: readonly string[], answer: Answer) => string | undefined;

function describedGate(space: SpaceName, gate: string): GateDescription | undefined {
  return GATES[DECISION_OF[space]].find((described) => described.gate === gate);
}

/** What a denial of the library alone depends on beside ids and data. */
function dependsOn(space: SpaceName, gate: string): string | undefined {
  const described = describedGate(space, gate);
  if (described === undefined || described.depends === "data") return undefined;
  const what = described.depends === "request" ? "what a request says besides" : "what the host finds out";
  return `only ${gate} denies it, which depends on ${what}`;
}

/** The extensions that have a say about a space. */
const EXTENSIONS: { readonly [S in SpaceName]: readonly string[] } = {
  lane: ["lane"],
  tool: ["tool", "lane"],
  subagent: ["subagent"],
  spawn: ["lineage"],
  call: ["call", "tool", "lane", "lineage"],
  approval: ["call", "tool", "lane", "lineage"],
  limit: ["call", "tool", "lane", "lineage"],
};

/** Cost: one compilation of the bundle's Rego, where it has extensions. */
export async function openDenials(opened: OpenedPolicy): Promise<OpenDenial> {
  const files = regoOf(opened);
  const index = new RegoIndex(files.ok ? files.value : []);
  const rules = extensionsIn(index);
  if (rules.length === 0) return ({ name }, _, { gate }) => dependsOn(name, gate);
  // Where the library cannot be asked alone, no denial is known to be its own.
  const alone = await libraryAlone(opened);
  const library = alone === undefined ? undefined : new Asker(alone);
  return (space, ids, { gate }) => {
    const answer = library?.ask(space, ids);
    if (answer?.allowed === false) return dependsOn(space.name, answer.gate);
    const own = rules.filter(({ name }) => EXTENSIONS[space.name].includes(name.split("/")[2] ?? ""));
    // A gate of the library tells that another decision denied, and not by which of its rules.
    const isLibrarys = describedGate(space.name, gate) !== undefined;
    const named = isLibrarys ? [] : own.filter(({ rule }) => [undefined, gate].includes(gateOf(rule)));
    const denying = (named.length > 0 ? named : own).map(({ rule }) => rule);
    const paths = readsBeyond(index, denying, space.axes, opened);
    if (paths.length === 0) return undefined;
    return `only a rule of your own denies it, which reads ${paths.map((path) => `\`${path}\``).join(", ")} besides`;
  };
}

/**
 * The policy without the author's extensions, which only deny: itself where it has none. `undefined` where the rest does not
 * compile without them.
 */
export async function libraryAlone(opened: OpenedPolicy): Promise<Policy | undefined> {
  const files = regoOf(opened);
  const rules = extensionsIn(new RegoIndex(files.ok ? files.value : []));
  if (files.ok && rules.length === 0) return opened.policy;
  const extensions = new Set(rules.map(({ rule }) => rule.module.file.name));
  const data = undemanding(opened.data);
  const loaded = await hostDataPolicy(opened, { only: ASKED, without: extensions, data });
  return loaded.ok ? loaded.value : undefined;
}

function extensionsIn(index: RegoIndex): { readonly name: string; readonly rule: IndexedRule }[] {
  return [...index.groups].flatMap(([name, { rules, defaults }]) =>
    name.startsWith("portcullis/ext/") ? [...rules, ...defaults].map((rule) => ({ name, rule })) : [],
  );
}

/** The data under which nothing is demanded: what the rules that are left out would have to meet. */
function undemanding(data: JsonObject): JsonObject {
  return edited(data, ["portcullis", "policy", "gates"], undefined) as JsonObject;
}

/** The gate that a requirement or a denial names; `undefined` where only an evaluation tells. */
function gateOf({ rule: { head } }: IndexedRule): string | undefined {
  if (head.key?.kind === "String") return head.key.value;
  const entries = head.key?.kind === "Object" ? head.key.entries : [];
  const gate = entries.find(([key]) => key.kind === "String" && key.value === "gate")?.[1];
  return gate?.kind === "String" ? gate.value : undefined;
}

/** What rules read, with the rules that they refer to, and is neither an id of the question nor in the bundle. */
function readsBeyond(
  index: RegoIndex,
  start: readonly IndexedRule[],
  axes: readonly string[],
  { data, files }: OpenedPolicy,
): string[] {
  const beyond = new Set<string>();
  const roots = rootsOf(files);
  const seen = new Set(start);
  // Rules are appended while the loop runs.
  for (const rule of seen) {
    for (const source of sourcesIn(index, rule)) beyond.add(source);
    for (const { root, fixed } of referencesIn(index, rule, [rule.rule])) {
      const path = [root, ...fixed].join(".");
      if (root === "input") {
        if (fixed.length !== 1 || !axes.includes(fixed[0] as string)) beyond.add(path);
        continue;
      }
      const reached = groupsAt(index, fixed);
      // A head says the name of its own rules, which do not refer to each other.
      for (const group of reached) if (!group.includes(rule)) for (const other of group) seen.add(other);
      // Beside what a bundle has below a path that is not its own, a host may put data.
      const isOwned = roots.some((own) => own.every((part, i) => part === fixed[i]));
      const isThere = reached.length > 0 || fixed.reduce<unknown>(member, data) !== undefined;
      if (!isOwned || !isThere) beyond.add(path);
    }
  }
  return [...beyond].sort();
}

/** The paths below which a host can put no data. */
function rootsOf(files: OpenedPolicy["files"]): string[][] {
  const manifest: unknown = JSON.parse(new TextDecoder().decode(files.get(".manifest")) || "{}");
  const roots = member(manifest, "roots");
  return (roots === undefined ? [""] : texts(roots)).map((root) => root.split("/").filter((part) => part !== ""));
}

/** The builtins that answer otherwise another time: the clock, chance, a network, and whatever a host supplies. */
function sourcesIn(index: RegoIndex, rule: IndexedRule): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.kind === "Call" || node.kind === "Ref") {
      const term = node.kind === "Call" ? node.operator : node;
      const name = nameOf(term);
      const isOther = node.kind === "Call" && builtin(name) === undefined && index.resolve(rule, term) === undefined;
      if (isOther || builtin(name)?.nondeterministic === true) found.push(name);
    }
    children(node).forEach(visit);
  };
  visit(rule.rule);
  return found;
}

function nameOf(term: Ref | Var): string {
  const parts = term.kind === "Ref" ? [term.head, ...term.args] : [term];
  return parts.map((part) => (part.kind === "Var" ? part.name : part.kind === "String" ? part.value : "")).join(".");
}

/** The rules above and below a path, together by their name. */
function groupsAt(index: RegoIndex, path: readonly string[]): IndexedRule[][] {
  return [...index.groups].flatMap(([name, { rules, defaults }]) => {
    const isNear = name.split("/").every((part, i) => i >= path.length || path[i] === part);
    return isNear ? [[...rules, ...defaults]] : [];
  });
}
