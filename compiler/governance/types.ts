/**
 * `generated/types.ts`: what a program that asks one policy set can know of it while it is compiled. Lists of its ids, types
 * and guards for them, what a scope may hold, and what its authors' rules deny with. An id that the policy does not know, and
 * a gate that it does not have, are then type errors.
 */

import { DECISION_KINDS } from "@portcullis/runtime/abi";
import type { AuthoredFacts } from "./checks/index.ts";

/** The parts of a model that the text needs; a Model has this shape. */
export interface PolicyNames {
  readonly roles: Ids;
  readonly lanes: ReadonlyMap<string, { readonly requires: readonly Name[]; readonly prohibits: readonly Name[] }>;
  readonly tools: ReadonlyMap<
    string,
    {
      readonly scopeKeys: readonly Name[];
      readonly prohibitedFlags: readonly Name[];
      /** Both as the policy's data has them; `undefined` where the tool does not say. */
      readonly said?: { readonly arguments?: unknown; readonly other_arguments?: unknown } | undefined;
    }
  >;
  readonly agents: ReadonlyMap<string, AgentNames>;
  readonly manifests: Ids;
  readonly exec: { readonly modes: readonly Name[] } | undefined;
}

interface AgentNames {
  readonly name: Name;
  readonly type: 0 | 1 | 2 | undefined;
  readonly allowlist: readonly Name[];
}

interface Name {
  readonly name: string;
}

type Ids = ReadonlyMap<string, unknown>;

/** Longer lists go one member a line. */
const LINE = 100;

/** The text of the file; the same names give the same bytes, whatever their order. */
export function generateTypes(policy: PolicyNames, facts: AuthoredFacts): string {
  const agents = [...policy.agents.values()];
  const personas = agents.filter((a) => a.type !== 2).map((a) => a.name.name);
  const subagents = agents.filter((a) => a.type === 2).map((a) => a.name.name);
  // A decision spells delegates as the allowlist does, which may differ from the file's name in `-` and `_`.
  const keys = new Set(subagents.map(key));
  const delegates = agents.flatMap((a) => a.allowlist.map((n) => n.name)).filter((n) => keys.has(key(n)));
  const modes = (policy.exec?.modes ?? []).map((m) => m.name);
  const lists = [
    list("Role", "roles", "Roles of roles.yaml.", policy.roles.keys()),
    list("Lane", "lanes", "Lanes of lanes.yaml.", policy.lanes.keys()),
    list("Tool", "tools", "Tools of tool_registry.yaml.", policy.tools.keys()),
    list("Persona", "personas", "Agents that a turn can be asked for: those that are not TYPE 2.", personas),
    list("Subagent", "subagents", "Agents that a persona may delegate to: those that are TYPE 2.", [
      ...subagents,
      ...delegates,
    ]),
    list("AgentType", "agentTypes", "Agent types of the spawn manifests.", policy.manifests.keys()),
    list("Mode", "modes", "Modes of exec.yaml.", modes),
  ];
  const denials = denialsType(facts);
  return [
    headerFor(denials),
    ...lists,
    scopeType(policy, facts),
    argsType(facts),
    toolArgsType(policy),
    denials,
    entrypointsType(facts),
    IDS,
  ].join("\n");
}

function key(name: string): string {
  return name.replace(/-/g, "_");
}

/** A list of ids, its type, and a guard for texts from outside. */
function list(type: string, name: string, comment: string, ids: Iterable<string>): string {
  const members = sorted(ids).map(quoted);
  const line = `export const ${name} = [${members.join(", ")}] as const;`;
  const text =
    line.length <= LINE ? line : `export const ${name} = [\n${members.map((m) => `  ${m},\n`).join("")}] as const;`;
  return `/** ${comment} */
${text}
export type ${type} = (typeof ${name})[number];
const every${type}: ReadonlySet<unknown> = /* @__PURE__ */ new Set(${name});
/** For a value from outside. */
export function is${type}(value: unknown): value is ${type} {
  return every${type}.has(value);
}
`;
}

function scopeType({ lanes, tools }: PolicyNames, { scope }: AuthoredFacts): string {
  const needed = new Set<string>();
  const flags = new Set<string>();
  const add = (names: Set<string>, list: readonly Name[]): void => {
    for (const { name } of list) names.add(name);
  };
  for (const { requires, prohibits } of lanes.values()) {
    add(needed, requires);
    add(flags, prohibits);
  }
  for (const { scopeKeys, prohibitedFlags } of tools.values()) {
    add(needed, scopeKeys);
    add(flags, prohibitedFlags);
  }
  const members = sorted([...needed, ...flags, ...(scope ?? [])]).map((name) => {
    if (needed.has(name)) return member("Lanes or tools need it.", name, "string | number");
    if (flags.has(name)) return member("A flag that lanes or tools prohibit.", name, "unknown");
    return member("Rules of the authors read it.", name, "unknown");
  });
  const any =
    scope === undefined ? ["  /** Rules of the authors may read any. */\n  readonly [key: string]: unknown;\n"] : [];
  return `/** What a request is about, by key. */\nexport type Scope = ${braced([...members, ...any])};\n`;
}

/** What a tool takes is the tool's: the type says what rules read, and lets everything else through. */
function argsType({ args }: AuthoredFacts): string {
  const members = sorted(args ?? []).map((name) => member("Rules of the authors read it.", name, "unknown"));
  const type = members.length === 0 ? "unknown" : `${braced(members)} | object | null`;
  return `/** A tool's own arguments. */\nexport type Args = ${type};\n`;
}

/** By tool; a tool whose others are not denied may have any besides. */
function toolArgsType({ tools }: PolicyNames): string {
  const rows = [...tools].flatMap(([tool, { said }]) =>
    said?.arguments === undefined
      ? []
      : [`  readonly ${quoted(tool)}: ${argsOf(said.arguments, said.other_arguments)};\n`],
  );
  return `/** Arguments of the tools that say what these may be. */
export type ToolArgs = ${braced(sorted(rows))};

/** What a tool takes: \`ArgsOf<"publish">\`. */
export type ArgsOf<T extends Tool> = T extends keyof ToolArgs ? ToolArgs[T] : Args;\n`;
}

function argsOf(said: unknown, others: unknown): string {
  const members = Object.entries(said as object).map(([name, rule]: [string, unknown]) => {
    const [isRequired, each] = [partOf(rule, "required") === true, partOf(rule, "each")];
    const type = each === undefined ? typeOf(rule) : `readonly ${bracketed(typeOf(each))}[]`;
    return `readonly ${memberName(name)}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | null"}`;
  });
  const any = others === "allow" ? ["readonly [name: string]: unknown"] : [];
  return members.length + any.length === 0 ? "Record<never, never>" : `{ ${[...sorted(members), ...any].join("; ")} }`;
}

function bracketed(type: string): string {
  return type.includes(" | ") ? `(${type})` : type;
}

function typeOf(rule: unknown): string {
  const type = partOf(rule, "type");
  // Values that are allowed alone, or with a person's approval.
  const ways = ["alone", "approved"].flatMap((way) => partOf(rule, way) ?? []).map((way) => partOf(way, "one_of"));
  if (type === "string" && ways.length > 0 && ways.every(Array.isArray)) {
    const texts = sorted(ways.flat().flatMap((value) => (typeof value === "string" ? [quoted(value)] : [])));
    return texts.length === 0 ? "never" : texts.join(" | ");
  }
  switch (type) {
    case "integer":
      return "number";
    case "list":
      return "readonly unknown[]";
    case "any":
      return "unknown";
    default:
      return String(type);
  }
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;
}

function memberName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function denialsType({ denials }: AuthoredFacts): string {
  const members = DECISION_KINDS.flatMap((kind) => {
    const answers = denials.get(kind) ?? [];
    if (answers.length === 0) return [];
    const text = (value: string | undefined): string => (value === undefined ? "AuthoredText" : quoted(value));
    const types = answers.map(({ gate, reason }) => `Denied<${text(gate)}, ${text(reason)}>`);
    return [`  readonly ${kind}: ${sorted(types).join(" | ")};\n`];
  });
  return `/** What the rules of the authors deny with, by decision. */\nexport type Denials = ${braced(members)};\n`;
}

function entrypointsType({ entrypoints }: AuthoredFacts): string {
  const members = entrypoints.map((path) => `  readonly ${quoted(path)}: unknown;\n`);
  return `/** The authors' own entrypoints, by path. */\nexport type Entrypoints = ${braced(members)};\n`;
}

function member(comment: string, name: string, type: string): string {
  return `  /** ${comment} */\n  readonly ${memberName(name)}?: ${type};\n`;
}

function braced(members: readonly string[]): string {
  return members.length === 0 ? "Record<never, never>" : `{\n${members.join("")}}`;
}

function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort();
}

/** A text as a literal. Characters that end a line, or are invisible, are escaped. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (!/[\u007f-\uffff]/.test(json)) return json;
  return json.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The package that the generated file imports; this one does not. */
const RUNTIME = "@portcullis/runtime";

/** Imports only the runtime types that are used: consumers may forbid unused imports. */
function headerFor(denials: string): string {
  const named = ["AuthoredText", "Denied"].filter((type) => denials.includes(type));
  return `// Made by \`portcullis build\` from the policy set; do not edit.
//
//   const policy = await load<typeof ids>(bundle);

import type { ${["DecisionKind", "DecisionKinds", "PolicyIds", ...named].sort().join(", ")} } from ${JSON.stringify(RUNTIME)};
`;
}

const IDS = `/** What is known of the policy set: \`load<typeof ids>(…)\`, \`Policy<Ids>\`. */
export interface Ids extends PolicyIds {
  readonly roles: typeof roles;
  readonly lanes: typeof lanes;
  readonly tools: typeof tools;
  readonly personas: typeof personas;
  readonly subagents: typeof subagents;
  readonly agentTypes: typeof agentTypes;
  readonly modes: typeof modes;
  readonly scope?: Scope;
  readonly args?: Args;
  readonly denials?: Denials;
  readonly entrypoints?: Entrypoints;
}
export const ids: Ids = { roles, lanes, tools, personas, subagents, agentTypes, modes };

/** What a decision takes. */
export type RequestOf<Kind extends DecisionKind> = DecisionKinds<Ids>[Kind]["request"];
/** What a decision answers. */
export type DecisionOf<Kind extends DecisionKind> = DecisionKinds<Ids>[Kind]["decision"];

export type LaneRequest = RequestOf<"lane">;
export type ToolRequest = RequestOf<"tool">;
export type SubagentRequest = RequestOf<"subagent">;
export type LineageRequest = RequestOf<"lineage">;
export type HandoffRequest = RequestOf<"handoff">;
export type ExecRequest = RequestOf<"exec">;
export type CloseRequest = RequestOf<"close">;
export type CallRequest = RequestOf<"call">;

export type LaneDecision = DecisionOf<"lane">;
export type ToolDecision = DecisionOf<"tool">;
export type SubagentDecision = DecisionOf<"subagent">;
export type LineageDecision = DecisionOf<"lineage">;
export type HandoffDecision = DecisionOf<"handoff">;
export type ExecDecision = DecisionOf<"exec">;
export type CloseDecision = DecisionOf<"close">;
export type CallDecision = DecisionOf<"call">;
`;
