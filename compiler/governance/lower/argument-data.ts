/** What a tool's arguments may be → `data.portcullis.policy.tools[…].arguments`, which `arguments.rego` reads. */

import type { Value } from "@portcullis/rego/value";
import {
  type ArgumentRule,
  type ArgumentType,
  type CommandPattern,
  type HostEntry,
  type Limit,
  type Members,
  merged,
  type PathRule,
  type ToolArguments,
} from "../model/index.ts";
import { type Names, set, type Table, table } from "./tables.ts";

/** A value of the policy's file, as it stands in the data. */
export class Written {
  constructor(readonly value: Value) {}
}

interface RuleData {
  readonly type: ArgumentType;
  /** What is allowed without a person; absent where nothing is. */
  readonly alone?: MembersData | undefined;
  /** What is allowed with a person's approval; absent where `approval` names no members. */
  readonly approved?: MembersData | undefined;
  /** Values that need a person's approval, whatever else allows them; absent where `approval` is. */
  readonly asks?: MembersData | undefined;
  /** These need an approval of the very call. */
  readonly bound?: true | undefined;
}

export interface ArgumentData extends RuleData {
  readonly required: boolean;
  readonly each?: RuleData | undefined;
}

interface MembersData {
  readonly one_of?: readonly Written[] | undefined;
  /** RE2 of a whole text. */
  readonly pattern?: string | undefined;
  readonly max_length?: number | undefined;
  readonly min?: LimitData | undefined;
  readonly max?: LimitData | undefined;
  readonly paths?: PathData | undefined;
  readonly hosts?: HostData | undefined;
  readonly schemes?: Names | undefined;
  /** First word → patterns. */
  readonly commands?: Table<readonly CommandData[]> | undefined;
}

interface PathData {
  /** Places: a slash behind every segment, "" for the root. */
  readonly below: readonly string[];
  /** Folded places; absent where the rule names no exception. */
  readonly except?: readonly string[] | undefined;
  readonly resolve: "host" | "text";
}

interface HostData {
  /** Host → ports, "" for the scheme's own. */
  readonly literal: Table<Names>;
  /** What a host ends with → ports. */
  readonly below: Table<Names>;
}

interface CommandData {
  readonly words: CommandPattern["words"];
  readonly rest?: CommandPattern["rest"];
}

interface LimitData {
  readonly roles: Table<Written>;
  readonly default?: Written | undefined;
}

/** `fold`: as the library's `folded`, by the policy's own table. */
export function argumentsData({ byName }: ToolArguments, fold: (text: string) => string): Table<ArgumentData> {
  return table(byName, ({ required, each, ...rule }) => ({
    required,
    ...ruleData(rule, fold),
    each: each && ruleData(each, fold),
  }));
}

function ruleData({ type, members, approval }: ArgumentRule, fold: (text: string) => string): RuleData {
  const data = (of: Members): MembersData => membersData(of, fold);
  if (approval === undefined) return { type, alone: data(members) };
  const bound = approval.isBound ? true : undefined;
  if (approval.kind === "Every") return { type, alone: data(members), asks: {}, bound };
  const approved = merged(members, approval.members);
  const named = Object.entries(approval.members).flatMap(([name, member]) => (member === undefined ? [] : name));
  // `hosts` alone says `schemes`, too.
  const said = (name: string): boolean =>
    members[name as keyof Members] !== undefined || (name === "schemes" && members.hosts !== undefined);
  // How a host is reached belongs to it.
  const isOfUrls = approval.members.hosts !== undefined || approval.members.schemes !== undefined;
  const { hosts, schemes } = approved;
  return {
    type,
    // What `approval` names and the argument does not is allowed with a person alone.
    alone: named.every(said) ? data(members) : undefined,
    approved: data(approved),
    asks: data(isOfUrls ? { ...approval.members, hosts, schemes } : approval.members),
    bound,
  };
}

function membersData(members: Members, fold: (text: string) => string): MembersData {
  const { oneOf, pattern, maxLength, min, max, paths, hosts, schemes, commands } = members;
  return {
    one_of: oneOf?.map((value) => new Written(value)),
    pattern: pattern === undefined ? undefined : wholeText(pattern),
    max_length: maxLength,
    min: min && limitData(min),
    max: max && limitData(max),
    paths: paths && pathData(paths, fold),
    hosts: hosts && hostData(hosts),
    schemes: hosts && set(schemes ?? ["https"]),
    commands: commands && commandData(commands),
  };
}

/** A pattern may end within a literal text (`\Q…`), which has to end before ours goes on. */
function wholeText(pattern: string): string {
  const rest = pattern.replace(/\\Q[\s\S]*?\\E|\\[^Q]/g, "");
  return `^(?:${pattern}${rest.includes("\\Q") ? "\\E" : ""})$`;
}

function limitData({ byRole, otherwise }: Limit): LimitData {
  const number = (text: string): Written => new Written({ kind: "number", text });
  return {
    roles: table(byRole, ({ text }) => number(text)),
    default: otherwise === undefined ? undefined : number(otherwise),
  };
}

function pathData({ below, except, resolve }: PathRule, fold: (text: string) => string): PathData {
  const place = (path: string): string => (path === "" ? "" : `${path}/`);
  return {
    below: below.map(place),
    except: except.length === 0 ? undefined : except.map((path) => fold(place(path))),
    resolve,
  };
}

function hostData(entries: readonly HostEntry[]): HostData {
  const rows = (isWanted: boolean): Table<Names> => {
    const found = Object.create(null) as { [host: string]: { [port: string]: true } };
    for (const { host, isBelow, port } of entries.filter((entry) => entry.isBelow === isWanted)) {
      const ports = (found[isBelow ? `.${host}` : host] ??= Object.create(null) as { [port: string]: true });
      ports[port ?? ""] = true;
    }
    return found;
  };
  return { literal: rows(false), below: rows(true) };
}

function commandData(patterns: readonly CommandPattern[]): Table<readonly CommandData[]> {
  const byFirst = Object.create(null) as { [word: string]: CommandData[] };
  for (const { first, words, rest } of patterns) (byFirst[first] ??= []).push({ words, rest });
  return byFirst;
}
