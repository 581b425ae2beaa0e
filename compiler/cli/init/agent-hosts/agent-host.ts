/** What `init --for` knows of an agent host. */

import type { HookFormat } from "@portcullis/enforcement/gateway";
import type { HookCommand } from "./command.ts";
import type { Servers } from "./servers.ts";

export interface Hook {
  readonly command: HookCommand;
  /** For the host: longer than the command can take. */
  readonly seconds: number;
  /** It hears the end of each call, too: limits that wait for a success need that. */
  readonly hearsEnds: boolean;
}

/** What stands in a host's configuration now. */
export interface Configured {
  readonly hooks: readonly Hook[];
  /** Why the host would not ask, or would let calls pass. */
  readonly problems: readonly string[];
}

export type AgentHostId = Exclude<HookFormat, "auto" | "generic" | "ended">;

export interface AgentHost {
  readonly id: AgentHostId;
  readonly title: string;
  /** Answers `--version`. */
  readonly program: string;
  /** What lists settings that the program cannot read: its output holds `begins`, and a line for each, with the file and what is wrong. */
  readonly doctor?: { readonly args: readonly string[]; readonly begins: string; readonly refused: RegExp };
  /** The first version that was seen to obey. */
  readonly least: string;
  /**
   * Where a hook for every project of this user stands: in the folder that this variable names, or that one of the home folder.
   * `ofVariable`: the folder below the variable's.
   */
  readonly folder: readonly [variable: string, ofHome: string, ofVariable?: string];
  readonly file: string;
  /** Where it takes a file for each event: the name of the one after a tool, beside the hook's. */
  readonly endFile?: string;
  /** The calls that it leaves open whether they succeeded. */
  readonly untold?: string;
  /** Settings of a project, which count too; with `/` at its end, all JSON files of a folder. */
  readonly projectFiles: readonly string[];
  /** What is wrong with such settings. Never throws. */
  readProject(text: string, file: string): readonly string[];
  /** What is wrong with files beside the host's own configuration that count before it or with it. Never throws. */
  beside?(file: string, projects: readonly string[]): readonly string[];
  readonly servers: Servers;
  /** Settings of the machine's administrator, by their paths from its root; with `/` at its end, all JSON files of a folder. */
  readonly managed?: {
    readonly files: readonly string[];
    /** What is wrong with one; `isOwn`: the hook stands in it. May throw. */
    read(text: string, file: string, isOwn: boolean): readonly string[];
  };
  /** Programs of a project that run beside the hook, or after it: below these folders, by their paths. */
  readonly programs?: readonly { readonly folder: string; readonly names: RegExp }[];
  /** Where a project names programs that the host starts by itself: by members of settings, or as files of a folder (`/` at its end). */
  readonly starts?: readonly { readonly path: string; readonly members?: readonly string[] }[];
  /** It takes its environment from `.env` files of a project, and its hooks have it: by such names (a pattern) it is told itself. */
  readonly obeyed?: string;
  /** The mode of a new file. */
  readonly isExecutable?: true;
  /** Options that this host does not obey, each with the reason. */
  readonly refuses: Readonly<Record<string, string>>;
  /** Texts that run something beside the hook, in folders of a project's settings: with one, the host is refused. */
  readonly texts?: readonly {
    readonly folders: readonly string[];
    /** Where a project has these folders; absent: in the one that has the name of the user's. */
    readonly below?: readonly string[];
    readonly ends: string;
    readonly holds: RegExp;
    readonly problem: string;
    /** Those beside the host's own settings, too. */
    readonly isOwnToo?: true;
    /** The host reads those of each folder in which the agent reads a file. */
    readonly isAnywhere?: true;
  }[];
  /** For people, once it is written. */
  readonly notes: readonly string[];
  /** A text with this hook in it and everything else kept. Throws CliError for one that nothing can be added to. */
  write(text: string | undefined, hook: Hook): string;
  /** What `portcullis import` drafts a policy from, where this host's settings hold permissions. */
  readonly imported?: { readonly from: string; readonly member: string };
  /** Never throws. */
  read(text: string): Configured;
  /** What the host sends before a tool. */
  payload(tool: string, args: object): object;
}
