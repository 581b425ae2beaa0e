/**
 * Servers of MCP that the hook cannot tell apart: it hears of their tools by name alone, and decides those of the one as those of the
 * other. So a project, which the agent may write, could put a server of its own in the place of one of the user's.
 */

import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { parseJson, parseToml, SourceFile, type SourceNode, splitFrontMatter, toPlain } from "@portcullis/documents";
import { isJsonObject } from "@portcullis/rego/value";
import { administratorFiles } from "./administrator.ts";
import type { AgentHost } from "./agent-host.ts";
import { endsIn, filesBelow, folderOf, foldersAround, isFile } from "./folders.ts";

/** Where a host has its servers, and what it makes of their names. */
export interface Servers {
  /** The user's own files; `folder` is the host's own. */
  own(folder: string): readonly string[];
  /** A project's, below each of its folders; with `/` at its end, all texts of a folder. */
  readonly ofProject: readonly string[];
  /** It reads those of all folders around the one in which it starts, too. */
  readonly fromRoot?: true;
  /** The ways to members that hold servers by their names, or lists of such members; `*` stands for any name. */
  readonly members: readonly (readonly string[])[];
  /** What the names of a server's tools begin with at the hook. */
  atHook(server: string): string;
  /** Such beginnings of servers that the host itself has, or that plugins bring. */
  readonly ofHost?: RegExp;
}

interface Server {
  readonly name: string;
  readonly file: string;
  readonly atHook: string;
}

interface Found {
  readonly servers: readonly Server[];
  readonly problems: readonly string[];
}

/** Never throws. `file`: the host's own configuration; `folders`: of projects; `root`: where the machine's files stand. */
export function serverProblems(host: AgentHost, file: string, folders: readonly string[], root?: string): string[] {
  const { own, ofProject } = allServers(host, file, folders, root);
  const pairs = [
    ...own.servers.flatMap((one, at) =>
      own.servers.slice(0, at).flatMap((other) => pairOf(one, other, one.name !== other.name)),
    ),
    ...ofProject.servers.flatMap((one) => own.servers.flatMap((other) => pairOf(one, other, one.file !== other.file))),
  ];
  const ofHost = ofProject.servers.filter(({ atHook }) => host.servers.ofHost?.test(atHook));
  return [
    ...[...own.problems, ...ofProject.problems, ...pairs],
    ...ofHost.map((one) => `${said(one)} can be one with a server of ${host.title} itself or of a plugin to the hook`),
  ];
}

/** Also where one beginning begins with the other: `pay` with `out_create` is `pay_out_create`, as is `pay_out` with `create`. */
function pairOf(one: Server, other: Server, areTwo: boolean): string[] {
  const isOne = one.atHook.startsWith(other.atHook) || other.atHook.startsWith(one.atHook);
  return areTwo && isOne ? [`${said(one)} is one with \`${other.name}\` of \`${other.file}\` to the hook`] : [];
}

function said({ name, file }: Server): string {
  return `\`${file}\`: the server \`${name}\``;
}

/** What is let be, and what no policy holds. Never throws. */
export function serverNotes(host: AgentHost, file: string, folders: readonly string[]): string[] {
  const { servers } = allServers(host, file, folders).ofProject;
  return [...new Set(servers.map((server) => server.file))].map((file) => {
    const names = servers.filter((server) => server.file === file).map(({ name }) => `\`${name}\``);
    return `\`${file}\` says what program stands behind ${names.join(", ")}: the policy decides calls of such a server by its name, and the agent may write there`;
  });
}

function allServers(
  host: AgentHost,
  file: string,
  folders: readonly string[],
  root?: string,
): Record<"own" | "ofProject", Found> {
  const { servers } = host;
  const beside = file.endsWith(`/${host.file}`) ? file.slice(0, -host.file.length - 1) : dirname(file);
  // What `requirements.toml` names is only what may be there.
  const ofMachine = administratorFiles(host, root).filter((path) => !path.endsWith("/requirements.toml"));
  const own = [...[beside, folderOf(host)].flatMap((folder) => servers.own(folder)), ...ofMachine];
  const read = servers.fromRoot ? folders.flatMap((folder) => [folder, ...foldersAround(folder)]) : folders;
  const ofProject = read.flatMap((folder) =>
    servers.ofProject.flatMap((name) => (name.endsWith("/") ? textsIn(join(folder, name)) : join(folder, name))),
  );
  const theirs = [...ofProject.filter((path) => !own.includes(path)), ...own.filter((path) => liesIn(path, folders))];
  return { own: serversOf(servers, own), ofProject: serversOf(servers, theirs) };
}

/** An extension of the user can be a link into a project. */
function liesIn(path: string, folders: readonly string[]): boolean {
  return isFile(path) && folders.some((folder) => realpathSync(path).startsWith(folder + sep));
}

/** Texts with front matter. */
export function textsIn(folder: string): string[] {
  return filesBelow(folder).filter((path) => endsIn(path, ".md"));
}

function serversOf({ members, atHook }: Servers, files: readonly string[]): Found {
  const servers: Server[] = [];
  const problems: string[] = [];
  for (const file of new Set(files.filter(isFile)))
    try {
      const settings = settingsIn(file);
      const names = members.flatMap((way) => holdersAt(settings, way)).flatMap((holder) => Object.keys(holder));
      servers.push(...names.map((name) => ({ name, file, atHook: atHook(name) })));
    } catch (error) {
      problems.push(`\`${file}\`: which servers it names cannot be told: ${(error as Error).message}`);
    }
  return { servers, problems };
}

function holdersAt(value: unknown, [name, ...rest]: readonly string[]): object[] {
  if (name === undefined) return [value].flat().filter(isJsonObject);
  if (!isJsonObject(value)) return [];
  const inner: unknown[] = name === "*" ? Object.values(value) : [value[name]];
  return inner.flatMap((one) => holdersAt(one, rest));
}

/** Settings, or front matter. Throws for a text that a host could read in another way. */
export function settingsIn(file: string): unknown {
  const tree = treeOf(readFileSync(file, "utf8"), file);
  return tree === undefined ? undefined : toPlain(tree);
}

function treeOf(text: string, file: string): SourceNode | undefined {
  const bare = text.replace(/^\uFEFF/, "");
  if (bare.trim() === "") return undefined;
  if (endsIn(file, ".md")) return frontMatterOf(new SourceFile(file, bare));
  const { root, diagnostics } = file.endsWith(".toml")
    ? parseToml(new SourceFile(file, bare))
    : parseJson(new SourceFile(file, withoutComments(bare)));
  // Claude Code keeps texts in its file that are cut between the halves of a character.
  const broken = diagnostics.find(({ code }) => root === undefined || code !== "sources/lone-surrogate");
  if (broken !== undefined) throw new Error(broken.message);
  return root;
}

/** Some hosts take comments, and a comma before a bracket. */
function withoutComments(text: string): string {
  const bare = text.replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)/g, "$1");
  return bare.replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, "$1");
}

/** What names servers in front matter, or what YAML lets stand for such a key. */
const NAMING = /mcp.?servers|\\(?:[xuU]|\r?\n)|^\s*[*?]\s|^\s*\*\S+\s*:/im;

/** Hosts take front matter that is not quite YAML, too: it must then not name servers. */
function frontMatterOf(source: SourceFile): SourceNode | undefined {
  const { root, diagnostics } = splitFrontMatter(source);
  if (root !== undefined && diagnostics.length === 0) return root;
  if (source.text.startsWith("---") && NAMING.test(source.text))
    throw new Error("its front matter is not YAML as it should be");
  return undefined;
}
