/** What a project brings along that a host obeys, and that takes the hook away or decides after it. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "@portcullis/rego/value";
import type { AgentHost } from "./agent-host.ts";
import { LOADING } from "./command.ts";
import {
  endsIn,
  filesBelow,
  foldersAround,
  foldersBelow,
  isFile,
  linksOut,
  namesIn,
  projectFolders,
} from "./folders.ts";
import { settingsOf } from "./json-hooks.ts";
import { serverNotes, serverProblems } from "./servers.ts";
import { startNotes } from "./starts.ts";

/** In these, a file of the project names what shells, loaders and common programs run first. */
const LOADED = [
  ...[...LOADING, "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "(?:LD|DYLD)_\\w+", "GCONV_PATH"],
  "GIT_\\w*(?:DIFF|SSH|CONFIG|PAGER|EDITOR|ASKPASS|EXEC|DIR|TREE|PROXY|TRACE|INDEX)\\w*",
  ...["(?:PERL5|RUBY)(?:OPT|LIB)", "PYTHON(?:PATH|HOME|STARTUP)", "(?:JDK_|_)JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"],
  ...["[Nn][Pp][Mm]_[Cc][Oo][Nn][Ff][Ii][Gg]_\\w+", "PAGER", "LESSOPEN", "EDITOR", "VISUAL"],
  // Settings of git and zsh in another folder; options and settings in which a program is named.
  ...["XDG_CONFIG_HOME", "ZDOTDIR", "TAR_OPTIONS", "MAKEFLAGS", "MAKEFILES", "GOFLAGS", "KUBECONFIG"],
  ...["AWS_(?:CONFIG|SHARED_CREDENTIALS)_FILE", "RUSTC(?:_\\w+)?", "CARGO_(?:HOME|BUILD_\\w+|TARGET_\\w+)"],
  // Searches that a host makes by itself; and what a key file of Google's may run.
  ...["RIPGREP_CONFIG_PATH", "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"],
];
export const REWRITES = "may change a call once it is decided, and the host makes the changed one";

/** Never throws. `file`: the host's own configuration. */
export function projectProblems(host: AgentHost, file: string, projects: readonly string[]): string[] {
  const folders = [...new Set(projects.flatMap((project) => projectFolders(host, project)))];
  const found = folders.flatMap((folder) => [...settingsProblems(host, folder), ...programProblems(host, folder)]);
  const all = [
    ...found,
    ...(host.obeyed === undefined ? [] : environmentProblems(host, folders, host.obeyed)),
    ...(host.beside?.(file, projects) ?? []),
    ...textProblems(host, file, [...folders, ...unwatched(host, projects)]),
    ...serverProblems(host, file, folders),
  ];
  return [...new Set(all)];
}

/** What is let be, and no policy holds. Never throws. */
export function projectNotes(host: AgentHost, file: string, projects: readonly string[]): string[] {
  const folders = [...new Set(projects.flatMap((project) => projectFolders(host, project)))];
  return [...serverNotes(host, file, folders), ...startNotes(host, folders), ...linkNotes(host, projects)];
}

/** What lies behind a link may be all of the machine, so that it is not looked at. */
function linkNotes({ title, texts = [] }: AgentHost, projects: readonly string[]): string[] {
  const links = texts.some(({ isAnywhere }) => isAnywhere) ? projects.flatMap(linksOut) : [];
  const shown = links.slice(0, 3).map((path) => `\`${path}\``);
  const more = links.length > shown.length ? ` and ${links.length - shown.length} more` : "";
  return links.length === 0
    ? []
    : [
        `${shown.join(", ")}${more}: behind such a link, which leads out of the project, ${title} reads skills once the agent reads a file, and their hooks are not looked at`,
      ];
}

function settingsProblems({ projectFiles, readProject }: AgentHost, project: string): string[] {
  return projectFiles
    .flatMap((name) =>
      name.endsWith("/")
        ? filesBelow(join(project, name)).filter((path) => endsIn(path, ".json"))
        : join(project, name),
    )
    .filter(existsSync)
    .flatMap((file) => readProject(readFileSync(file, "utf8"), file).map((problem) => `\`${file}\`: ${problem}`));
}

/** Programs that the host starts or loads. */
function programProblems({ title, programs = [] }: AgentHost, project: string): string[] {
  return programs
    .flatMap(({ folder, names }) => filesBelow(join(project, folder)).filter((path) => names.test(path)))
    .map((path) => `\`${path}\`: ${title} runs it, asks no hook about it, and it ${REWRITES}`);
}

/** Files that fill the environment of the host, and so of its hooks: those around the folder in which it starts, too. */
function environmentProblems(
  { title, folder: [, ofHome] }: AgentHost,
  folders: readonly string[],
  obeyed: string,
): string[] {
  const names = new RegExp(`\\b(${[...LOADED, obeyed].join("|")})\\s*[=:]`);
  const all = [...new Set(folders.flatMap((folder) => [folder, ...foldersAround(folder)]))];
  const files = all
    .flatMap((at) => [at, join(at, ofHome)])
    .flatMap((folder) =>
      namesIn(folder)
        .filter((name) => name.startsWith(".env"))
        .map((name) => join(folder, name)),
    );
  return files.flatMap((file) => {
    const name = isFile(file) ? names.exec(readFileSync(file, "utf8"))?.[1] : undefined;
    return name === undefined
      ? []
      : [
          `\`${file}\` sets \`${name}\`, and ${title} takes it: it may ask another hook, or none, and what it starts may run something else first`,
        ];
  });
}

/** Folders of packages, too, where a host reads the texts that lie beside whatever file the agent reads. */
function unwatched({ texts = [], folder: [, ofHome] }: AgentHost, projects: readonly string[]): string[] {
  return texts.some(({ isAnywhere }) => isAnywhere)
    ? projects.flatMap((project) => foldersBelow(project, (name) => name.toLowerCase() === ofHome))
    : [];
}

/** Texts that are there, and run something that no hook is asked about. */
function textProblems(
  { texts = [], folder: [, ofHome] }: AgentHost,
  file: string,
  projects: readonly string[],
): string[] {
  return texts.flatMap(({ folders, below = [ofHome], ends, holds, problem, isOwnToo }) => {
    const ofProjects = projects.flatMap((project) => below.map((name) => join(project, name)));
    return [...(isOwnToo ? [dirname(file)] : []), ...ofProjects]
      .flatMap((at) => folders.flatMap((name) => filesBelow(join(at, name))))
      .filter((name) => endsIn(name, ends) && holds.test(readFileSync(name, "utf8")))
      .map((name) => `\`${name}\` ${problem}`);
  });
}

/**
 * Problems of a project's settings in JSON. `events`: those at which a hook of the project may change a call, in any case of
 * letters, since some hosts take both.
 */
export function ownHookProblems(text: string, events: readonly string[]): string[] {
  let settings: Readonly<Record<string, unknown>>;
  try {
    settings = settingsOf(text);
  } catch (error) {
    return [(error as Error).message];
  }
  const { hooks, env } = settings;
  const problems = settings["disableAllHooks"] === true ? ["`disableAllHooks` is on, so that no hook is asked"] : [];
  if (isJsonObject(env) ? Object.keys(env).length > 0 : env !== undefined)
    problems.push(
      "`env` is the environment of hooks, too, and names what they run first: move it into your own settings",
    );
  for (const [plugin, enabled] of Object.entries(
    isJsonObject(settings["enabledPlugins"]) ? settings["enabledPlugins"] : {},
  ))
    if (enabled !== false) problems.push(`the plugin \`${plugin}\` may bring hooks, and such a hook ${REWRITES}`);
  // At any event, with the credentials that the server has.
  if (/"type":"mcp_tool"/.test(JSON.stringify(hooks ?? {})))
    problems.push("a hook (`mcp_tool`) calls a tool of a server, yours too, and no hook is asked about that call");
  if (hooks === undefined) return problems;
  if (!isJsonObject(hooks)) return [...problems, "`hooks` is no object, so that no hook is asked"];
  const names = Object.keys(hooks).filter((name) => events.some((event) => event.toLowerCase() === name.toLowerCase()));
  const own = names.filter((name) => JSON.stringify(hooks[name]) !== "[]");
  return [...problems, ...own.map((name) => `a hook at \`${name}\` ${REWRITES}`)];
}
