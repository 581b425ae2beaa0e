/** What is wrong with a hook that is configured, or is about to be: each problem is a way past it. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, sep } from "node:path";
import type { StatePlace } from "@portcullis/enforcement/state";
import { type OpenedPolicy, openBundle } from "@portcullis/governance/review";
import type { FactPolicy } from "@portcullis/runtime";
import { readCaller } from "../../caller-options.ts";
import { readBytes } from "../../commands/read.ts";
import { fileProblem, orFail } from "../../exit.ts";
import { loadOptions } from "../../hook/bundle.ts";
import { demandAbsolute, HOOK_OPTIONS, type HookFlags, readHookFlags } from "../../hook/options.ts";
import { demandHostData } from "../../host-data.ts";
import { flagOf, isUrl, pathOf } from "../../option-words.ts";
import { loadWithBuiltins } from "../../policy/load-policy.ts";
import { refusing } from "../../policy/refusing.ts";
import { openState, placeOf } from "../../state.ts";
import { unknownIds } from "../../unknown-ids.ts";
import type { AgentHost, Hook } from "./agent-host.ts";
import { placesOn } from "./places-on.ts";

export interface Surroundings {
  /** Folders that the agent may write, by their canonical paths. */
  readonly projects: readonly string[];
  /** Takes a hook that verifies no signature. */
  readonly unsigned: boolean;
}

export interface Examined {
  readonly problems: readonly string[];
  /** What no configuration can hold. */
  readonly notes: readonly string[];
}

/** Never rejects. */
export async function examineHook(host: AgentHost, hook: Hook, around: Surroundings): Promise<Examined> {
  const { timeout, node, program, words, seconds } = hook.command;
  const problems = [...new Set([timeout, node, program])].flatMap((path) => [
    ...fileProblems(path, around),
    ...(path === program || isExecutable(path) ? [] : [`\`${path}\` is no program that can be started`]),
  ]);
  const notes: string[] = [];
  try {
    const flags = readHookFlags(words);
    demandAbsolute(flags);
    const root = flags.root === undefined ? [] : [realpathSync.native(flags.root)];
    const places = { ...around, projects: [...around.projects, ...root] };
    problems.push(...flagProblems(host, flags, around), ...pathProblems(flags, places));
    const deadline = Number(flags.deadline);
    if (!(seconds > deadline))
      problems.push(`the hook is killed after ${seconds} s, before its own deadline of ${deadline} s`);
    if (!(hook.seconds > seconds))
      problems.push(`${host.title} waits ${hook.seconds} s, and the hook may take ${seconds} s`);
    const opened = await openPolicy(flags);
    problems.push(...(await policyProblems(flags, opened)));
    problems.push(...endProblems(host, hook, opened.policy));
    notes.push(...ownNotes(flags), ...endNotes(host, hook));
  } catch (error) {
    problems.push(messageOf(error));
  }
  return { problems: [...new Set(problems)], notes };
}

function flagProblems(host: AgentHost, flags: HookFlags, { unsigned }: Surroundings): string[] {
  const given = flags as unknown as Readonly<Record<string, unknown>>;
  const refused = Object.entries(host.refuses).filter(([name]) => given[flagOf(name)] === true);
  return [
    ...refused.map(([name, reason]) => `${host.title} does not obey \`--${name}\`: ${reason}`),
    ...(flags.format === host.id ? [] : [`\`--format ${flags.format}\` is not \`${host.id}\``]),
    ...(flags.verificationKey.length === 0 && !unsigned
      ? ["nothing is verified: give `--verification-key`, or say `--unsigned`"]
      : []),
  ];
}

/** What the hook makes itself, in a folder that is there. */
const WRITTEN: ReadonlySet<string> = new Set(["decision-log", "history"]);

/** Files that the hook reads exist, and one that it writes has a folder. The agent works in `--root`. */
function pathProblems(flags: HookFlags, around: Surroundings): string[] {
  const { root } = flags;
  if (root !== undefined && !statSync(root, { throwIfNoEntry: false })?.isDirectory())
    return [`\`--root ${root}\` is not a folder`];
  return namedPaths(flags).flatMap(([name, path]) =>
    WRITTEN.has(name) && statSync(path, { throwIfNoEntry: false }) === undefined
      ? fileProblems(dirname(path), around)
      : fileProblems(path, around),
  );
}

function namedPaths(flags: HookFlags): [name: string, path: string][] {
  const given = flags as unknown as Readonly<Record<string, unknown>>;
  return HOOK_OPTIONS.filter(({ isPath, name }) => isPath && name !== "root").flatMap(({ name, mayBeUrl, isMany }) => {
    const paths = [given[flagOf(name)]].flat().filter((path) => typeof path === "string");
    const files = paths.filter((path) => !(mayBeUrl && isUrl(path)));
    return files.map((path): [string, string] => [name, isMany ? pathOf(path) : path]);
  });
}

/** Why a file is not out of the agent's reach. */
function fileProblems(path: string, { projects }: Surroundings): string[] {
  if (!isAbsolute(path)) return [`\`${path}\` is relative: hosts run a hook where the agent changed to last`];
  let real: string;
  let places: readonly string[];
  try {
    real = realpathSync.native(path);
    places = placesOn(path);
  } catch (error) {
    return [`\`${path}\`: ${fileProblem(error)}`];
  }
  const reached = projects.filter((project) => {
    const inside = project === sep ? sep : project + sep;
    return real === project || places.some((place) => place.startsWith(inside));
  });
  const problems = reached.map((project) => `\`${path}\` lies in \`${project}\`, where the agent may write`);
  if (/[\\/]_npx[\\/]/.test(real))
    problems.push(`\`${path}\` lies in npm's cache, and goes with it: install the package`);
  for (let at = real; ; at = dirname(at)) {
    const { mode } = statSync(at);
    // In a sticky folder others write files of their own, and no one else's.
    if ((mode & 0o002) !== 0 && (mode & constants.S_IFMT) === constants.S_IFREG)
      problems.push(`everybody may write \`${at}\``);
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0 && (mode & constants.S_IFMT) === constants.S_IFDIR)
      problems.push(`everybody may write in \`${at}\``);
    if (at === dirname(at)) return problems;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Throws for a bundle that is refused. */
export async function openPolicy(flags: HookFlags): Promise<OpenedPolicy> {
  const options = loadOptions(flags);
  const opened = orFail(
    await refusing(flags.policy, () => openBundle(flags.policy, readBytes(flags.policy), options, loadWithBuiltins)),
  );
  demandHostData(opened.policy, flags.data);
  return opened;
}

/** Ids that the policy does not have, and what it needs and is not given: every call would be denied, or each that is counted. */
async function policyProblems(flags: HookFlags, opened: OpenedPolicy): Promise<string[]> {
  const isKept = flags.state !== undefined;
  if (opened.policy.limits !== undefined && flags.history === undefined && !isKept)
    return [
      "the policy has limits: give `--history`, a folder outside of the project, or `--state`, or what they count is denied",
    ];
  const lacking = (["approvals", "history"] as const).filter((name) => flags[name] === undefined && !isKept);
  if (opened.policy.approvals !== undefined && lacking.length > 0)
    return [
      `calls need approvals of their own: give ${lacking.map((name) => `\`--${name}\``).join(" and ")}, outside of the project, or they are denied`,
    ];
  const ids = await unknownIds(opened, flags, (await readCaller(flags)).tools);
  return [...ids, ...(flags.state === undefined ? [] : await stateProblems(flags, opened.policy))];
}

/** Whether the state is there, takes the token and serves this policy. Throws CliError for flags that do not go together. */
async function stateProblems(flags: HookFlags, policy: FactPolicy): Promise<string[]> {
  const { history } = await openState(flags, policy);
  try {
    await (await history?.reserve({ limits: [] }))?.release();
    return [];
  } catch (error) {
    return [`without its state every call that is counted is denied: ${messageOf(error)}`];
  }
}

function ownNotes(flags: HookFlags): string[] {
  const mine = namedPaths(flags).filter(([, path]) => isOwn(path));
  const paths = named(mine.map(([, path]) => path));
  const isStateOwn = mine.some(([name]) => name === "history" || name === "approvals");
  return [
    ...(mine.length === 0
      ? []
      : [`what an allowed shell runs can replace files of this user: ${paths}; give them to another user`]),
    ...(isStateOwn
      ? ["history and approvals are as safe as those: `--state` keeps them with a `portcullis serve` of another user"]
      : []),
    ...(flags.state === undefined ? [] : stateNotes(placeOf(flags.state))),
  ];
}

const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Ids of the policy's limits that wait for a success. */
export function waitingLimits({ limits = {} }: FactPolicy): string[] {
  return Object.keys(limits).filter((id) => limits[id]?.only_after !== undefined);
}

/** A hook that hears of no end knows of no success. */
function endProblems({ title }: AgentHost, { hearsEnds }: Hook, policy: FactPolicy): string[] {
  const waiting = waitingLimits(policy);
  return waiting.length === 0 || hearsEnds
    ? []
    : [
        `${named(waiting)} waits for a success, and ${title} does not tell this hook of any, so that what it is about is denied: write the hook anew`,
      ];
}

function endNotes({ title, untold }: AgentHost, { hearsEnds }: Hook): string[] {
  return untold === undefined || !hearsEnds
    ? []
    : [`${title} does not say ${untold} whether they succeeded: for limits with \`only_after\` they have not`];
}

/** Who else could answer there, and allow what was used up. */
function stateNotes(place: StatePlace): string[] {
  if ("socketPath" in place) {
    const folder = dirname(place.socketPath);
    return isOwn(folder) || isOwn(place.socketPath)
      ? [`\`${folder}\` or its socket is this user's, who can answer in place of the state: give it to another user`]
      : [];
  }
  return place.port < 1024
    ? []
    : [
        `every program can listen on port ${place.port} while the state is not served, and answer in its place: take a port below 1024, or a socket in a folder of another user`,
      ];
}

function isOwn(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
