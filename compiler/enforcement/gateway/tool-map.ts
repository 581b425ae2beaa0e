/** Maps tools of a server to tools of the registry, and says what their calls are about. */

import { failure, type Result, success } from "@portcullis/documents";

export interface MappedTool {
  /** Its id in the registry. */
  readonly tool: string;
  /** Keys of the scope, each with the name of the argument that holds its value. */
  readonly scope: ReadonlyMap<string, string>;
  readonly flags: readonly string[];
  readonly writes: readonly { readonly table: string; readonly mode: string }[];
}

/** By the server's names. A name that is not in it stands for the tool of that id. */
export type ToolMap = ReadonlyMap<string, MappedTool>;

export const NO_TOOLS: ToolMap = new Map();

export type MapProblem = "broken-tool-map";

/** The map with `NAME=ID` words added; a word for a name that is there already is a problem. */
export function withNames(map: ToolMap, words: readonly string[]): Result<ToolMap, MapProblem> {
  const names = new Map(map);
  for (const word of words) {
    const at = word.indexOf("=");
    const [name, tool] = [word.slice(0, Math.max(at, 0)), word.slice(at + 1)];
    if (name === "" || tool === "") return failure("broken-tool-map", `\`--map ${word}\` is not NAME=REGISTRY_ID`);
    if (names.has(name)) return failure("broken-tool-map", `\`${name}\` is mapped twice`);
    names.set(name, mappedTo(tool));
  }
  return success(names);
}

/** A tool of the registry, and nothing else about it. */
export function mappedTo(tool: string): MappedTool {
  return { tool, scope: new Map(), flags: [], writes: [] };
}

/** What a map is asked. */
export type ToolNames = Pick<ToolMap, "get" | "has">;

/**
 * The tools of one server of several, by its own names: `server/tool` of the map goes before `tool`, and a tool that is in
 * neither is the registry's `server/tool`. INVARIANT: a server cannot call a tool of its own `other/tool`, and be taken for the other.
 */
export function toolsOf(map: ToolMap, server: string): ToolNames {
  const whole = (name: string): string => `${server}/${name}`;
  const plain = (name: string): MappedTool | undefined => (name.includes("/") ? undefined : map.get(name));
  return {
    get: (name) => map.get(whole(name)) ?? plain(name) ?? mappedTo(whole(name)),
    has: (name) => map.has(whole(name)) || plain(name) !== undefined,
  };
}

/**
 * Tools as agent hosts name them: `mcp__server__tool` is `server/tool` of the map, where the map has no such name itself. One that
 * could be split in two ways is not split.
 */
export function toolsAtHost(map: ToolMap): ToolNames {
  return { get: (name) => map.get(name) ?? map.get(serverTool(name)), has: (name) => map.has(name) };
}

function serverTool(name: string): string {
  const [prefix, server = "", tool = "", ...more] = name.split("__");
  // In `mcp__a___b` the server may be `a_`.
  const isOneWay = more.length === 0 && !tool.startsWith("_");
  return prefix === "mcp" && server !== "" && tool !== "" && isOneWay ? `${server}/${tool}` : name;
}
