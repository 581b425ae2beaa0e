/** One scenario with one host, and what became of it. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder, write } from "../cli/terminal.ts";
import { configuredHook, type Files, run } from "./configured.ts";
import type { AgentHost, HostText, Place } from "./hosts.ts";
import { type Model, type ScriptedCall, scriptedModel } from "./model.ts";
import { MARK, type Scenario, TEXT } from "./scenarios.ts";

export const WRONG = "NOT OBEYED";

/** Folders for one run, outside of which nothing is written. */
export interface Folders {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  /** What the call of the model makes. */
  readonly made: string;
}

export function foldersIn(folder: string): Folders {
  const at = { folder, home: join(folder, "home"), project: join(folder, "project"), made: join(folder, "made") };
  for (const path of [at.home, at.project, join(folder, "policy/approvals")]) mkdirSync(path, { recursive: true });
  execFileSync("git", ["init", "-q", at.project]);
  return at;
}

/** What a host did: `obeyed`, or what went wrong. */
export async function outcome(host: AgentHost, version: string, scenario: Scenario): Promise<string> {
  const text = scenario.text === undefined ? undefined : host[scenario.text];
  if ((scenario.text !== undefined && text === undefined) || (scenario.isFed && host.feed === undefined))
    return "no such tool";
  const at = foldersIn(temporaryFolder());
  const script = scriptOf(host, scenario, at);
  const model = await scriptedModel(script);
  try {
    const place: Place = { ...at, port: model.port };
    host.configure?.(place);
    if (scenario.agent !== undefined) host.writeAgent?.(place, scenario.agent, MARK);
    const words = wordsOf(host, scenario, (name) => join(at.folder, "policy", name));
    const configuring = { ...at, version, place, words };
    const bring = (): void => void (text && write(join(at.project, text.file), bodyOf(text, `touch ${at.made}`)));
    if (text?.runs === "unasked") {
      bring();
      if (!refusalOf(() => configuredHook(host, configuring)).includes(text.file)) return `${WRONG}, and not refused`;
      rmSync(join(at.project, text.file));
    }
    const configured = configuredHook(host, configuring);
    if (typeof configured === "string") return configured;
    bring();
    scenario.breaks?.(configured, place);
    await run(host, place, scenario.text === "typed" ? host.typed.args : host.args);
    const saw = { model, configured, made: existsSync(at.made) };
    return text === undefined ? called(host, scenario, script.length, saw) : read(text, scenario, script.length, saw);
  } finally {
    model.close();
    removeFolder(at.folder);
  }
}

/** What `init --for` says where it does not configure a host. */
function refusalOf(configure: () => unknown): string {
  try {
    configure();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

function wordsOf({ tool, skill }: AgentHost, { text, words }: Scenario, at: (name: string) => string): string[] {
  return [...words(tool, at), ...(text === "skill" && skill ? ["--map", `${skill.tool}=draft.create`] : [])];
}

/** The host would not say that a sub-agent calls: none is to start. */
const isBlindTo = (host: AgentHost, { agent }: Scenario): boolean => agent !== undefined && host.isBlind === true;

function scriptOf(host: AgentHost, scenario: Scenario, at: Folders): readonly ScriptedCall[] {
  const { agent, text, isFed } = scenario;
  const makes = `touch ${at.made}`;
  if (text !== undefined) return text === "skill" && host.skill ? [host.skill.call] : [];
  if (isFed && host.feed) return host.feed(makes);
  const calls = [...(scenario.before?.({ ...at, port: 0 }) ?? []), makes].map((command) => host.shell(command));
  if (agent === undefined) return calls;
  return [host.agent(agent), ...(isBlindTo(host, scenario) ? [] : calls.map((call) => ({ ...call, by: MARK })))];
}

function bodyOf({ body }: HostText, command: string): string {
  const front = "---\nname: make\ndescription: makes something\n---\n";
  return body?.(TEXT, command) ?? `${front}${TEXT}\n!\`${command}\`\n`;
}

interface Seen {
  readonly model: Model;
  readonly configured: Files;
  readonly made: boolean;
}

/** The cell for a call of a tool. */
function called(host: AgentHost, scenario: Scenario, calls: number, { model, configured, made }: Seen): string {
  const isBlind = isBlindTo(host, scenario);
  const isAlone = scenario.agent === undefined || isBlind || scenario.isUnstarted === true;
  if (model.called() !== (isAlone && scenario.agent !== undefined ? 1 : calls))
    return "the calls of the script were not made";
  if (scenario.isUnheard !== true && !existsSync(configured.heard)) return "the hook was not asked";
  if (made !== (scenario.made && !isBlind) || model.conversations() !== (isAlone ? 1 : 2)) return WRONG;
  return isBlind ? "denied by the hook" : "obeyed";
}

/** The cell for a command in a text. */
function read(
  { runs }: HostText,
  { made: allowed }: Scenario,
  calls: number,
  { model, configured, made }: Seen,
): string {
  const heard = existsSync(configured.heard);
  if (model.called() !== calls) return "the calls of the script were not made";
  if (runs === "asked") return heard && made === allowed ? "obeyed" : WRONG;
  if (runs === "unasked") return made && !heard ? "not held" : `${WRONG}, or it asks now`;
  if (made) return WRONG;
  return model.heard(TEXT) ? "no commands" : "not read";
}
