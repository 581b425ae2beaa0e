/** What an id is, in a few lines of Markdown: from the model, from the library's Rego, from annotations. */

import { unreachable } from "@portcullis/rego/diagnostics";
import { parseModule } from "@portcullis/rego/syntax";
import { DECISION_KINDS, GATES } from "@portcullis/runtime";
import { argumentWords, limitWords, toolTables } from "../../lower/index.ts";
import { type Model, requiredGates, requiringRules } from "../../model/index.ts";
import type { IdKind } from "./ids.ts";
import type { PolicySet } from "./policy-set.ts";
import { type ToolAnswers, toolAnswers } from "./tool-answers.ts";

/** At most this many names are listed. */
const MANY = 12;

export function describeId(set: PolicySet, kind: IdKind, name: string): string {
  const { model } = set.findings();
  const heading = `**${kind}** \`${name}\``;
  const lines = linesOf(set, model, kind, name);
  return [heading, ...lines].join("\n\n");
}

function linesOf(set: PolicySet, model: Model, kind: IdKind, name: string): string[] {
  switch (kind) {
    case "role": {
      const role = model.roles.get(name);
      if (role === undefined) return ["No file defines it: every request with it is denied."];
      const lanes = [...model.lanes.values()].filter((l) => l.roles.some((r) => r.name === name)).map((l) => l.id.name);
      return [...text(role.description), listed("may work in", lanes, "may work in no lane")];
    }
    case "lane": {
      const lane = model.lanes.get(name);
      if (lane === undefined) return ["No file defines it: every request with it is denied."];
      const roles = listed("roles:", namesOf(lane.roles), "no role may use it");
      return [...text(lane.purpose), roles, listed("tools:", namesOf(lane.tools), "no tool may be called in it")];
    }
    case "tool": {
      const tool = model.tools.get(name);
      if (tool === undefined) return ["The registry does not have it: every call is denied."];
      const lanes = [...model.lanes.values()].filter((l) => l.tools.some((t) => t.name === name)).map((l) => l.id.name);
      return [
        ...text(tool.description),
        ...verdictLines(toolAnswers(model, name)),
        listed("lanes:", lanes, "no lane lists it"),
        ...(tool.approval === "required" ? ["a person approves each call"] : []),
        ...argumentWords(toolTables(model), name).slice(0, MANY),
        ...limitWords(toolTables(model), name).map(({ limit, says }) => `limit ${limit}: ${says}`),
      ];
    }
    case "agent": {
      const agent = model.agents.get(name);
      if (agent === undefined) return ["There is no instruction file of this name."];
      const type = agent.type === undefined ? "its type is not declared" : `TYPE ${agent.type}`;
      return [type, listed("may delegate to", namesOf(agent.allowlist), "delegates to no agent")];
    }
    case "agent type": {
      const manifest = model.manifests.get(name);
      if (manifest === undefined) return ["It has no spawn manifest."];
      return [
        listed("may spawn", namesOf(manifest.canSpawn), "spawns nothing"),
        `children at depth ${manifest.maxSpawnDepth} at most`,
        manifest.tools === undefined ? "may call any tool" : listed("tools:", namesOf(manifest.tools), "no tools"),
      ];
    }
    case "gate":
      return gateLines(set, name);
    case "document":
      return documentLines(set, name);
    case "mode":
    case "table":
    case "write mode":
    case "scope key":
    case "flag":
    case "package": {
      const count = set.ids().placesOf({ kind, name }).length;
      return [count === 1 ? "used here only" : `used in ${count} places`];
    }
    default:
      return unreachable(kind);
  }
}

function namesOf(named: readonly { readonly name: string }[]): string[] {
  return named.map((n) => n.name);
}

function text(words: string | undefined): string[] {
  return words === undefined || words === "" ? [] : [words];
}

function listed(before: string, names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const shown = names.slice(0, MANY).map((n) => `\`${n}\``);
  const more = names.length > MANY ? ` and ${names.length - MANY} more` : "";
  return `${before} ${shown.join(", ")}${more}`;
}

/** What the tool decision says of the tool, lane by lane. */
function verdictLines({ allowed, denied }: ToolAnswers): string[] {
  const whys = [...new Set(denied.map(({ why }) => why))];
  if (denied.length === 0) return allowed.length === 0 ? [] : ["may be used in every lane that lists it"];
  if (allowed.length === 0) return [`**denied everywhere**: ${whys.join("; ")}`];
  return denied.map(({ lane, why }) => `denied in \`${lane}\`: ${why}`).slice(0, MANY);
}

/** By decision, what a gate asks, and the reasons of its denials. */
function gateLines(set: PolicySet, name: string): string[] {
  const lines = DECISION_KINDS.flatMap((kind) =>
    GATES[kind].flatMap(({ gate, rule, says }) => {
      if (gate !== name) return [];
      const reasons = Object.entries(says).map(([reason, sentence]) => `${kind}: \`${reason}\`: ${sentence}`);
      return [`${kind} asks: ${rule}`, ...reasons];
    }),
  );
  if (lines.length > 0) return lines;
  const required = requiredLines(set, name);
  return required.length > 0 ? required : ["a gate of your own: asked after the gates of the library"];
}

/** A gate that `must` rules demand: its reason, and what its rules say of themselves. */
function requiredLines(set: PolicySet, name: string): string[] {
  const files = new Set(
    set
      .ids()
      .definitionsOf({ kind: "gate", name })
      .map(({ span }) => span.file),
  );
  const modules = [...files].flatMap((file) => (file.name.endsWith(".rego") ? (parseModule(file).module ?? []) : []));
  const rules = modules.flatMap(requiringRules).filter(({ gate }) => gate === name);
  const reasons = [...requiredGates([...files])].flatMap(([kind, gates]) => {
    const reason = gates.get(name);
    return reason === undefined ? [] : [`${kind} denies with \`${reason}\` where no rule of this name holds`];
  });
  const abouts = modules.flatMap((module) =>
    module.annotations.flatMap(({ annotation: { target, description } }) => {
      const isOfRule = target.kind === "Rule" && rules.some(({ rule }) => rule === module.rules[target.index]);
      return isOfRule ? text(description) : [];
    }),
  );
  return reasons.length === 0
    ? []
    : ["a gate of your own: asked after the gates of the library", ...reasons, ...abouts];
}

/** A rule's annotation and how its head is written. */
function documentLines(set: PolicySet, name: string): string[] {
  for (const { span } of set.ids().definitionsOf({ kind: "document", name })) {
    if (!span.file.name.endsWith(".rego")) return ["a value of the policy's data"];
    const { module } = parseModule(span.file);
    const index = module?.rules.findIndex((r) => r.head.ref.head.span.start === span.start) ?? -1;
    const rule = module?.rules[index];
    if (module === undefined || rule === undefined) continue;
    const about = module.annotations.find(
      ({ annotation: { target } }) => target.kind === "Rule" && target.index === index,
    )?.annotation;
    const head = span.file.text.slice(rule.head.span.start, rule.head.span.end).split("\n", 3).join("\n");
    return [`\`\`\`rego\n${head}\n\`\`\``, ...text(about?.title), ...text(about?.description)];
  }
  return [];
}
