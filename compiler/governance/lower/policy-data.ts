/**
 * Model → the tables that the decision library reads at `data.portcullis.policy`. Its type is the contract between the
 * two: a table is an object whose keys are ids, so that a gate is a look-up, and a list is an array only where order counts.
 */

import { sortedEntries, type Value, valueAt } from "@portcullis/rego/value";
import type { PolicyApprovals } from "@portcullis/runtime/abi";
import {
  type Approver,
  type ArgumentRule,
  endOfDay,
  type HandoffAgents,
  type Interpreter,
  type LaneWrite,
  type Model,
  type Named,
  type PublicKey,
  resolveAllowlist,
  type Tool,
} from "../model/index.ts";
import { APPROVER, EXEC, HANDOFF, LANE, MANIFEST, ROLE, SETTINGS, TOOL } from "../sources/index.ts";
import { type AdapterData, adapterData } from "./adapter-data.ts";
import { type ArgumentData, argumentsData, Written } from "./argument-data.ts";
import { type DataOf, fieldData } from "./field-data.ts";
import { type LimitData, limitData, limitsOfTool } from "./limit-data.ts";
import { type NameFolds, nameFolds } from "./name-folds.ts";
import { writtenJson } from "./number-words.ts";
import { type OfferData, offerData } from "./offer-data.ts";
import { foldedPath, pathFolds } from "./path-folds.ts";
import { type Names, set, sharedNames, type Table, table, texts } from "./tables.ts";

/** The shape of `data.portcullis.policy`. */
export interface PolicyData {
  readonly settings: Pick<DataOf<typeof SETTINGS>, "subagents"> & {
    readonly lineage: DataOf<typeof SETTINGS.lineage.fields> & { readonly require: boolean };
    readonly call: { readonly lineage: "required" | "optional"; readonly unknown_agents: "allow" | "deny" };
    /** `version` of the lanes and roles files; null when they have none. */
    readonly versions: { readonly lanes: string | null; readonly roles: string | null };
  };
  readonly roles: Table<DataOf<typeof ROLE>>;
  /** `writes`: table → modes. */
  readonly lanes: Table<DataOf<typeof LANE> & { readonly writes: Table<Names> }>;
  readonly tools: Table<DataOf<typeof TOOL> & ArgumentsRow & LimitsRow>;
  /** By the name as written; absent where the policy has none. */
  readonly approvers?: Table<ApproverData> | undefined;
  /**
   * The policy under which bound approvals are given: a hash of this data without it, and of the Rego. Absent where no call needs
   * one.
   */
  readonly approval_revision?: string | undefined;
  /** Keys have `_` for every `-`. */
  readonly agents: Table<{
    readonly type: 0 | 1 | 2 | null;
    readonly allowlist: readonly string[];
    readonly delegated: readonly string[];
  }>;
  readonly manifests: Table<DataOf<typeof MANIFEST>>;
  /** The additions of `handoff.yaml` to the floor, which is the library's. */
  readonly handoff: DataOf<typeof HANDOFF> & {
    /** By agent; absent where the policy names none. */
    readonly agents?: Table<"master" | "sub"> | undefined;
  };
  readonly exec: DataOf<typeof EXEC> & {
    /** Absent where the policy names none. `exec run` reads it and `environment`; no gate does. */
    readonly interpreters?: Table<readonly string[]> | undefined;
  };
  /** Absent where the set has no limits. */
  readonly limits?: Table<LimitData> | undefined;
  /** Some tool says what its arguments may be; absent otherwise, which spares every call the question. */
  readonly arguments?: true | undefined;
  /** What characters of paths stand for; absent where no argument has `except`. */
  readonly path_folds?: Table<string> | undefined;
  /** How names of people are read; absent where no decision compares them. */
  readonly names?: NameFolds | undefined;
  /** Absent where the set maps no protocol. */
  readonly adapters?: AdapterData | undefined;
  /** Absent where the set does not say what servers may offer beside tools: nothing. */
  readonly offers?: OfferData | undefined;
  /** The authors' `must`: by decision and gate, the reason of a denial. Absent where they demand nothing. */
  readonly gates?: Table<Table<string>> | undefined;
}

interface ApproverData extends DataOf<typeof APPROVER> {
  /** For the host; no gate reads it. */
  readonly key?: PublicKey | undefined;
  /** The first millisecond after `until`, in UTC. */
  readonly until_ms?: number | undefined;
}

export function policyData(model: Model): PolicyData {
  const { settings, versions, exec, requiredGates: gates } = model;
  const adapters = adapterData(settings.adapters);
  const names = sharedNames();
  const excepted = exceptedPaths(model);
  const hasManifests = model.manifests.size > 0;
  const unknownAgents = settings.call.unknownAgents?.name ?? (hasManifests ? "deny" : "allow");
  return {
    settings: {
      ...fieldData(SETTINGS, settings),
      lineage: {
        ...fieldData(SETTINGS.lineage.fields, settings.lineage),
        require: settings.lineage.require ?? false,
      },
      call: {
        lineage: settings.call.lineage ?? (hasManifests ? "required" : "optional"),
        unknown_agents: unknownAgents === "allow" ? "allow" : "deny",
      },
      versions: { lanes: versions.lanes ?? null, roles: versions.roles ?? null },
    },
    roles: table(model.roles, (r) => fieldData(ROLE, r)),
    lanes: table(model.lanes, (l) => ({ ...fieldData(LANE, l, names), writes: writes(l.writes) })),
    tools: table(model.tools, (t) => withArguments(t, { ...fieldData(TOOL, t, names), ...limitsRow(model, t) })),
    approvers: model.approvers.size === 0 ? undefined : table(model.approvers, approverData),
    agents: table(model.agents, (a) => ({
      type: a.type ?? null,
      allowlist: texts(a.allowlist),
      delegated: texts(resolveAllowlist(model, a).flatMap((c) => (c.kind === "Delegate" ? [c.name] : []))),
    })),
    manifests: table(model.manifests, (m) => fieldData(MANIFEST, m, names)),
    handoff: {
      ...fieldData(HANDOFF, model.handoff, names),
      agents: model.handoff.agents && roles(model.handoff.agents),
    },
    exec: {
      ...fieldData(EXEC, exec, names),
      interpreters: exec && exec.interpreters.length > 0 ? commands(exec.interpreters) : undefined,
    },
    limits: policyLimits(model),
    arguments: [...model.tools.values()].some((tool) => tool.arguments !== undefined) ? true : undefined,
    path_folds: excepted.length === 0 ? undefined : pathFolds(excepted.map((path) => foldedPath(`${path}/`))),
    names: comparesNames(model) ? nameFolds(["AGENT_.md", ...agentNames(model).map(({ name }) => name)]) : undefined,
    adapters,
    offers: settings.mcp && offerData(settings.mcp),
    gates: gates.size === 0 ? undefined : table(gates, (reasons) => table(reasons, (reason) => reason)),
  };
}

function commands(interpreters: readonly Interpreter[]): Table<readonly string[]> {
  const table = Object.create(null) as { [extension: string]: readonly string[] };
  for (const { extension, command } of interpreters) table[extension] = command;
  return table;
}

function approverData(approver: Approver): ApproverData {
  const { key, until } = approver;
  return { ...fieldData(APPROVER, approver), key, until_ms: until && endOfDay(until.name) };
}

/** Whether some call needs an approval that an approver has signed. */
export function asksBoundApproval({ tools }: Model): boolean {
  return [...tools.values()].some(bindsCalls);
}

function bindsCalls(tool: Tool): boolean {
  return tool.approval === "bound" || rulesOf(tool).some((r) => r.approval?.isBound === true);
}

export function comparesNames({ settings, tools }: Model): boolean {
  return (
    settings.subagents.approvers === "human" ||
    [...tools.values()].some((tool) => tool.approval !== "none" || rulesOf(tool).some((r) => r.approval !== undefined))
  );
}

/** What limits.yaml says; `undefined` where it says nothing. */
export function policyLimits({ limits }: Model): Table<LimitData> | undefined {
  return limits.size === 0 ? undefined : table(limits, limitData);
}

interface LimitsRow {
  /** Ids of the limits that count or remember calls of the tool, in the order in which they are asked; absent where none does. */
  readonly limits?: readonly string[] | undefined;
}

function limitsRow({ limits }: Model, tool: Tool): LimitsRow {
  const ids = limitsOfTool(limits.values(), tool.id.name);
  return ids.length === 0 ? {} : { limits: ids };
}

/** Both are absent where the tool does not say. */
interface ArgumentsRow {
  readonly arguments?: Table<ArgumentData> | undefined;
  readonly other_arguments?: "deny" | "allow" | undefined;
  /** Some value of an argument needs an approval of the very call. */
  readonly bound_arguments?: true | undefined;
}

/** Members stay in the order of their names. */
function withArguments<Row extends object>({ arguments: said }: Pick<Tool, "arguments">, row: Row): Row & ArgumentsRow {
  if (said === undefined) return row;
  const rules = [...said.byName.values()].flatMap((a) => (a.each === undefined ? [a] : [a, a.each]));
  const whole = {
    ...row,
    arguments: argumentsData(said, foldedPath),
    bound_arguments: rules.some((r) => r.approval?.isBound) ? true : undefined,
    other_arguments: said.others,
  };
  return Object.fromEntries(Object.entries(whole).sort(([a], [b]) => (a < b ? -1 : 1))) as Row & ArgumentsRow;
}

/** What the arguments of a tool may be, and their elements. */
function rulesOf(tool: Tool): ArgumentRule[] {
  return [...(tool.arguments?.byName.values() ?? [])].flatMap((a) => (a.each === undefined ? [a] : [a, a.each]));
}

/** What the host has to know of approvals that are bound; `undefined` where no call needs one. */
export function boundApprovals(model: Model, data: Value): PolicyApprovals | undefined {
  const revision = valueAt(data, ["portcullis", "policy", "approval_revision"]);
  if (revision?.kind !== "string") return undefined;
  const approvers = [...model.approvers].flatMap(([name, { key, tools, until }]) => {
    if (key === undefined) return [];
    const end = until && endOfDay(until.name);
    return [[name, { key, ...(tools && { tools: { ...set(texts(tools)) } }), ...(end && { until_ms: end }) }] as const];
  });
  const tools = [...model.tools.values()].filter((tool) => bindsCalls(tool)).map(({ id }) => id.name);
  return { revision: revision.value, approvers: Object.fromEntries(approvers), tools: tools.sort() };
}

/** By tool, the arguments whose files the host says where they lie; `undefined` where no tool has one. */
export function pathArguments({ tools }: Model): { readonly [tool: string]: readonly string[] } | undefined {
  const isAsked = ({ members, approval }: ArgumentRule): boolean =>
    [members, ...(approval?.kind === "Matching" ? [approval.members] : [])].some((m) => m.paths?.resolve === "host");
  const found = [...tools].flatMap(([tool, { arguments: said }]) => {
    const names = [...(said?.byName.values() ?? [])].filter((a) => isAsked(a) || (a.each && isAsked(a.each)));
    return names.length === 0 ? [] : [[tool, names.map(({ name }) => name.name).sort()] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** What tools say of their arguments, and the limits of their calls, as JSON: for words and types. */
export function toolTables(model: Model): { readonly tools: { readonly [tool: string]: object } } {
  const rows = table(model.tools, (tool) => ({
    ...(tool.arguments === undefined ? {} : withArguments({ arguments: tool.arguments }, {})),
    ...limitsRow(model, tool),
  }));
  return writtenJson(dataValue({ tools: rows, limits: policyLimits(model) })) as ReturnType<typeof toolTables>;
}

function exceptedPaths({ tools }: Model): readonly string[] {
  return [...tools.values()]
    .flatMap(rulesOf)
    .flatMap(({ members, approval }) => [
      ...(members.paths?.except ?? []),
      ...(approval?.kind === "Matching" ? (approval.members.paths?.except ?? []) : []),
    ]);
}

/** Every name that is an agent's. */
export function agentNames({ roles, agents, manifests, handoff }: Model): Named[] {
  return [
    ...[...roles.values()].map(({ id }) => id),
    ...[...agents.values()].map(({ name }) => name),
    ...[...manifests.values()].map(({ type }) => type),
    ...(handoff.agents?.master ?? []),
    ...(handoff.agents?.sub ?? []),
  ];
}

function writes(items: readonly LaneWrite[]): Table<Names> {
  const modes = Object.create(null) as { [name: string]: { [mode: string]: true } };
  for (const { table: written, mode } of items) (modes[written.name] ??= Object.create(null))[mode.name] = true;
  return modes;
}

function roles({ master, sub }: HandoffAgents): Table<"master" | "sub"> {
  const result = Object.create(null) as { [agent: string]: "master" | "sub" };
  for (const { name } of master) result[name] = "master";
  for (const { name } of sub) result[name] = "sub";
  return result;
}

/**
 * JavaScript data as a value, its keys sorted, one for the same object or text; members that are undefined are left out. Numbers are
 * integers here, so their text is exact; others are `Written`.
 */
export function dataValue(data: unknown): Value {
  const known = new Map<unknown, Value>();
  const share = (item: unknown): Value => {
    let value = known.get(item);
    if (value === undefined) {
      value = newValue(item, share);
      known.set(item, value);
    }
    return value;
  };
  return share(data);
}

/** `part` makes the values inside. */
function newValue(data: unknown, part: (item: unknown) => Value): Value {
  if (data === null) return { kind: "null" };
  if (typeof data === "boolean") return { kind: "boolean", value: data };
  if (typeof data === "number") return { kind: "number", text: String(data) };
  if (typeof data === "string") return { kind: "string", value: data };
  if (Array.isArray(data)) return { kind: "array", items: data.map(part) };
  if (data instanceof Written) return data.value;
  const object = data as { readonly [key: string]: unknown };
  const written = Object.keys(object).filter((key) => object[key] !== undefined);
  const entries = written.map((key) => [part(key), part(object[key])] as const);
  return { kind: "object", entries: sortedEntries(entries) };
}
