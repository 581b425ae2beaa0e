/**
 * Policy sets of three sizes, as files for the compiler, the same for the same size. Shaped like real ones: a lane admits a
 * few roles and holds a few tools, one tool in ten is switched off or not implemented, one agent in four is a persona.
 */

import type { Host } from "../compiler/documents/host.ts";
import { type Random, randomOf } from "./random.ts";

export const SIZES = {
  S: { roles: 6, lanes: 6, tools: 20, agents: 40, modes: 4 },
  M: { roles: 50, lanes: 100, tools: 1_000, agents: 200, modes: 12 },
  L: { roles: 500, lanes: 2_000, tools: 100_000, agents: 2_000, modes: 40 },
} as const;

export type Size = keyof typeof SIZES;
export type Counts = { readonly [of in keyof (typeof SIZES)["S"]]: number };
const LANE_WRITES = "{table: drafts, mode: append}, {table: audit_ledger, mode: append}, {table: notes, mode: upsert}";
const TOOL_LIMITS =
  "required_scope_keys: [story_id, run_id], prohibited_flags: [external_publication, unsigned_release], write_targets: [drafts, audit_ledger, notes]";
/** What one tool in ten says of its arguments. */
const ARGUMENTS =
  "arguments: {amount_cents: {type: integer, min: 1, max: {default: 50000, ROLE_000000: 100000}}, file_path: {paths: {below: [docs, drafts], except: [docs/private]}}, mode: {one_of: [draft, final]}, note: {required: false, max_length: 80}}";
const SEED = 20_260_302;

/** Everything that a generated policy set consists of: path to text. */
export function generatePolicies(size: Size | Counts): ReadonlyMap<string, string> {
  const counts = typeof size === "string" ? SIZES[size] : size;
  const random = randomOf(SEED);
  const roles = names("ROLE", counts.roles);
  const lanes = names("LANE", counts.lanes);
  const lanesOfRole = new Map<string, string[]>(roles.map((role) => [role, []]));
  const toolsOfLane = new Map<string, string[]>(lanes.map((lane) => [lane, []]));
  const rolesOfLane = new Map<string, string[]>();
  lanes.forEach((lane, index) => {
    const admitted = distinct(3, () => random.pick(roles), roles[index % roles.length] as string);
    rolesOfLane.set(lane, admitted);
    for (const role of admitted) lanesOfRole.get(role)?.push(lane);
  });
  const tools = names("tool", counts.tools).map((name, index) => {
    const allowed = distinct(2, () => random.pick(lanes), lanes[index % lanes.length] as string);
    for (const lane of allowed) toolsOfLane.get(lane)?.push(name);
    const state = index % 10;
    const approval = index % 5 === 0 ? "required" : "none";
    const said = state === 3 ? `, ${ARGUMENTS}` : "";
    return {
      said,
      name,
      allowed,
      approval,
      enabled: state !== 7,
      status: state === 8 ? "not_implemented" : "implemented",
    };
  });
  return new Map([
    [
      "portcullis.yaml",
      `version: bench\nlineage:\n  depth: positional\n  max_chain: 64\n  roots: [${rootsOf(counts.agents)}]\n`,
    ],
    [
      "roles.yaml",
      `version: bench\nroles:\n${roles.map((r) => `  - {role_id: ${r}, class: agent, privileges: {lanes: [${lanesOfRole.get(r)}]}}\n`).join("")}`,
    ],
    [
      "lanes.yaml",
      `version: bench\nlanes:\n${lanes
        .map(
          (l) =>
            `  - {lane_id: ${l}, allowed_callers: {roles: [${rolesOfLane.get(l)}]}, allowed_actions: {tools: [${toolsOfLane.get(l)}], writes: [${LANE_WRITES}]}, scope: {requires: [story_id, run_id], prohibits: [external_publication]}}\n`,
        )
        .join("")}`,
    ],
    [
      "tool_registry.yaml",
      `version: bench\ntools:\n${tools
        .map(
          (t) =>
            `  - {tool_name: ${t.name}, enabled: ${t.enabled}, implementation_status: ${t.status}, allowed_lanes: [${t.allowed}], approval: ${t.approval}, ${TOOL_LIMITS}${t.said}}\n`,
        )
        .join("")}`,
    ],
    [
      "exec.yaml",
      `version: bench\nmodes: [${names("mode", counts.modes)}, mode-init, break-glass]\ninline_modes: [mode-init, break-glass]\nstaging_root: /srv/bench/exec_queue\nscript_extensions: [.py, .sh]\nhat_lifetime_seconds: 28800\n`,
    ],
    [
      "handoff.yaml",
      "version: bench\nrequired_fields: [story_id, reviewed_by]\nforbidden_mutations: [style_book, corrections_policy]\nplaceholders: [tba, asap, soon]\n",
    ],
    ...agentFiles(counts.agents, random),
  ]);
}

/** A Host over generated files; they lie in one folder, whatever it is called. */
export function hostOf(files: ReadonlyMap<string, string>): Host {
  const utf8 = new TextEncoder();
  return {
    listFiles: () => [...files.keys()],
    readFile: (_, path) => {
      const text = files.get(path);
      if (text === undefined) throw new Error(`no such file: ${path}`);
      return utf8.encode(text);
    },
  };
}

/** Agents of the last half may spawn one another in this many steps, so that there are chains of ten. */
const RUNGS = 8;

/** The first agents are roots; the others are spawned by agents before them, up to ten levels deep. */
function agentFiles(count: number, random: Random): [string, string][] {
  const agents = names("AGENT", count);
  const types = names("agent", count);
  const files: [string, string][] = [];
  const personas = count >> 2;
  agents.forEach((name, index) => {
    const persona = index < personas;
    const allowed = persona ? distinct(3, () => agents[personas + random.below(count - personas)] as string) : [];
    const front = persona ? `---\nsubagents: [${allowed}]\n---\n` : "";
    const kind = persona ? "PERSONA" : "TASK";
    files.push([
      `agents/AGENT_${name}.md`,
      `${front}# ${name}\n\nAGENT_TYPE: ${persona ? 1 : 2}\n\n| **AGENT_CLASS** | ${kind} |\n`,
    ]);
  });
  const half = count >> 1;
  types.forEach((type, index) => {
    // Roots may start the middle third, these the last half; every type but a root is started by something.
    const [from, to] = index < personas ? [personas, half] : index < half ? [half, count] : [0, 0];
    const share = index < personas ? personas : half - personas;
    const spawned: string[] = [];
    const own = index < personas ? index : index - personas;
    for (let i = from + own; i < to; i += share) spawned.push(types[i] as string);
    const next = index + Math.floor((count - half) / RUNGS);
    if (index >= half && next < count) spawned.push(types[next] as string);
    files.push([`manifests/${type}.yaml`, `agent_type: ${type}\ncan_spawn: [${spawned}]\nmax_spawn_depth: 12\n`]);
  });
  return files;
}

function rootsOf(count: number): string[] {
  return names("agent", count).slice(0, count >> 2);
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}_${String(i).padStart(6, "0")}`);
}

function distinct(count: number, draw: () => string, first?: string): string[] {
  const found = new Set<string>(first === undefined ? [] : [first]);
  for (let tries = 0; found.size < count && tries < 50; tries++) found.add(draw());
  return [...found];
}
