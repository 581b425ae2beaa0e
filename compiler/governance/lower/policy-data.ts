/**
 * Model → the tables that the decision library reads at `data.portcullis.policy`. Its type is the contract between the
 * two: a table is an object whose keys are ids, so that a gate is a look-up, and a list is an array only where order counts.
 */

import { sortedEntries, type Value } from "@portcullis/rego/value";
import { type HandoffAgents, type Interpreter, type LaneWrite, type Model, resolveAllowlist } from "../model/index.ts";
import { type AdapterData, adapterData } from "./adapter-data.ts";
import { type NameFolds, nameFolds } from "./name-folds.ts";
import { type Names, set, sharedNames, type Table, table, texts } from "./tables.ts";

/** The shape of `data.portcullis.policy`. */
export interface PolicyData {
  readonly settings: {
    readonly lineage: {
      readonly depth: "positional" | "reported";
      readonly max_chain: number;
      readonly require: boolean;
    };
    readonly call: { readonly lineage: "required" | "optional"; readonly unknown_agents: "allow" | "deny" };
    readonly subagents: { readonly approvers: "any" | "human" };
    /** `version` of the lanes and roles files; null when they have none. */
    readonly versions: { readonly lanes: string | null; readonly roles: string | null };
  };
  readonly roles: Table<{ readonly class?: string }>;
  readonly lanes: Table<{
    readonly roles: Names;
    readonly tools: Names;
    /** Table → modes. */
    readonly writes: Table<Names>;
    readonly requires: Names;
    readonly prohibits: Names;
  }>;
  readonly tools: Table<{
    readonly enabled?: boolean;
    readonly implementation_status?: string;
    /** `lanes` and `write_targets` are absent where the tool does not say, which is not the same as none. */
    readonly lanes?: Names;
    readonly scope_keys: Names;
    readonly prohibited_flags: Names;
    readonly write_targets?: Names;
    readonly approval: "required" | "none";
  }>;
  /** Keys have `_` for every `-`. */
  readonly agents: Table<{
    readonly type: 0 | 1 | 2 | null;
    readonly allowlist: readonly string[];
    readonly delegated: readonly string[];
  }>;
  readonly manifests: Table<{
    readonly can_spawn: Names;
    readonly max_spawn_depth: number;
    /** Absent where the manifest does not say. */
    readonly tools?: Names;
  }>;
  /** The additions of `handoff.yaml` to the floor, which is the library's. */
  readonly handoff: {
    readonly required_fields: readonly string[];
    readonly forbidden_mutations: Names;
    readonly placeholders: Names;
    /** By agent; absent where the policy names none. */
    readonly agents?: Table<"master" | "sub">;
    readonly forbidden_paths: Names;
  };
  readonly exec: {
    readonly modes: Names;
    readonly inline_modes: Names;
    readonly staging_root: string | null;
    readonly script_extensions: readonly string[];
    readonly hat_lifetime_seconds: number | null;
    /** Absent where the policy names none. `exec run` reads both; no gate does. */
    readonly interpreters?: Table<readonly string[]>;
    readonly environment?: readonly string[];
  };
  /** How names of people are read; absent where no decision compares them. */
  readonly names?: NameFolds;
  /** Absent where the set maps no protocol. */
  readonly adapters?: AdapterData;
}

const DEFAULT_INLINE_MODES: readonly string[] = ["mode-init", "break-glass"];
const DEFAULT_SCRIPT_EXTENSIONS: readonly string[] = [".py"];

export function policyData(model: Model): PolicyData {
  const { settings, versions, exec } = model;
  const adapters = adapterData(settings.adapters);
  const names = sharedNames();
  const hasManifests = model.manifests.size > 0;
  const unknownAgents = settings.call.unknownAgents?.name ?? (hasManifests ? "deny" : "allow");
  return {
    settings: {
      lineage: {
        depth: settings.lineage.depth,
        max_chain: settings.lineage.maxChain,
        require: settings.lineage.require ?? false,
      },
      call: {
        lineage: settings.call.lineage ?? (hasManifests ? "required" : "optional"),
        unknown_agents: unknownAgents === "allow" ? "allow" : "deny",
      },
      subagents: { approvers: settings.subagents.approvers },
      versions: { lanes: versions.lanes ?? null, roles: versions.roles ?? null },
    },
    roles: table(model.roles, (r) => (r.class === undefined ? {} : { class: r.class })),
    // Rows of large tables have their keys in order, so that they need not be sorted later.
    lanes: table(model.lanes, (l) => ({
      prohibits: names(l.prohibits),
      requires: names(l.requires),
      roles: names(l.roles),
      tools: names(l.tools),
      writes: writes(l.writes),
    })),
    tools: table(model.tools, (t) => ({
      approval: t.approval,
      ...(t.enabled === undefined ? {} : { enabled: t.enabled }),
      ...(t.implementationStatus === undefined ? {} : { implementation_status: t.implementationStatus }),
      ...(t.lanes === undefined ? {} : { lanes: names(t.lanes) }),
      prohibited_flags: names(t.prohibitedFlags),
      scope_keys: names(t.scopeKeys),
      ...(t.writeTargets === undefined ? {} : { write_targets: names(t.writeTargets) }),
    })),
    agents: table(model.agents, (a) => ({
      type: a.type ?? null,
      allowlist: texts(a.allowlist),
      delegated: texts(resolveAllowlist(model, a).flatMap((c) => (c.kind === "Delegate" ? [c.name] : []))),
    })),
    manifests: table(model.manifests, (m) => ({
      can_spawn: names(m.canSpawn),
      max_spawn_depth: m.maxSpawnDepth,
      ...(m.tools === undefined ? {} : { tools: names(m.tools) }),
    })),
    handoff: {
      required_fields: texts(model.handoff.requiredFields),
      forbidden_mutations: names(model.handoff.forbiddenMutations),
      placeholders: names(model.handoff.placeholders),
      ...(model.handoff.agents === undefined ? {} : { agents: roles(model.handoff.agents) }),
      forbidden_paths: names(model.handoff.forbiddenPaths),
    },
    exec: {
      modes: names(exec?.modes ?? []),
      inline_modes: exec?.inlineModes === undefined ? set(DEFAULT_INLINE_MODES) : names(exec.inlineModes),
      staging_root: exec?.stagingRoot?.name ?? null,
      script_extensions:
        exec?.scriptExtensions === undefined ? DEFAULT_SCRIPT_EXTENSIONS : texts(exec.scriptExtensions),
      hat_lifetime_seconds: exec?.hatLifetimeSeconds ?? null,
      ...(exec === undefined || exec.interpreters.length === 0 ? {} : { interpreters: commands(exec.interpreters) }),
      ...(exec?.environment === undefined ? {} : { environment: texts(exec.environment) }),
    },
    ...(comparesNames(model) ? { names: nameFolds(agentNames(model)) } : {}),
    ...(adapters === undefined ? {} : { adapters }),
  };
}

function commands(interpreters: readonly Interpreter[]): Table<readonly string[]> {
  const table = Object.create(null) as { [extension: string]: readonly string[] };
  for (const { extension, command } of interpreters) table[extension] = command;
  return table;
}

function comparesNames({ settings, tools }: Model): boolean {
  return settings.subagents.approvers === "human" || [...tools.values()].some((tool) => tool.approval === "required");
}

/** Every name that is an agent's. */
function agentNames({ roles, agents, manifests, handoff }: Model): string[] {
  const acting = handoff.agents === undefined ? [] : [...texts(handoff.agents.master), ...texts(handoff.agents.sub)];
  return ["AGENT_.md", ...roles.keys(), ...agents.keys(), ...manifests.keys(), ...acting];
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

/** JavaScript data as a value, its keys sorted, one for the same object or text. Numbers are integers here, so their text is exact. */
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
  const object = data as { readonly [key: string]: unknown };
  const entries = Object.keys(object).map((key) => [part(key), part(object[key])] as const);
  return { kind: "object", entries: sortedEntries(entries) };
}
