/** Where an id is defined and where it is used: across files and languages. */

import type { Location } from "vscode-languageserver";
import type { SetFile } from "./id-index.ts";
import type { Occurrence } from "./ids.ts";
import { textSpan } from "./rego-ids.ts";
import { rangeOf } from "./text.ts";
import type { Document, Workspace } from "./workspace.ts";

export function definitionsAt(workspace: Workspace, { set }: Document, file: SetFile, offset: number): Location[] {
  const ids = set.ids();
  const symbol = ids.at(file.read.file, offset);
  if (symbol === undefined) return [];
  return ids.definitionsOf(symbol).map((o) => locationOf(workspace, o));
}

export function referencesAt(
  workspace: Workspace,
  { set }: Document,
  file: SetFile,
  offset: number,
  includeDeclaration: boolean,
): Location[] {
  const ids = set.ids();
  const symbol = ids.at(file.read.file, offset) ?? fileSymbol(ids.placesOf.bind(ids), file, offset);
  if (symbol === undefined) return [];
  return ids
    .placesOf(symbol)
    .filter((o) => includeDeclaration || o.role === "reference")
    .map((o) => locationOf(workspace, o));
}

/** At the start of a file that defines an id by its name, that id. */
function fileSymbol(
  placesOf: (symbol: Pick<Occurrence, "kind" | "name">) => readonly Occurrence[],
  file: SetFile,
  offset: number,
): Pick<Occurrence, "kind" | "name"> | undefined {
  if (file.format !== "agent" || file.read.file.positionAt(offset).line !== 1) return undefined;
  const name = file.path.slice(file.path.lastIndexOf("/") + 1).replace(/^AGENT_|\.md$/g, "");
  const symbol = { kind: "agent", name: name.replace(/-/g, "_") } as const;
  return placesOf(symbol).length > 0 ? symbol : undefined;
}

function locationOf(workspace: Workspace, { span }: Occurrence): Location {
  return { uri: workspace.uriOf(span.file.name), range: rangeOf(textSpan(span)) };
}
