/** Renaming an id at every place: in YAML, TOML, front matter and Rego, and in the names of files that define one. */

import {
  LSPErrorCodes,
  type Range,
  type RenameFile,
  ResponseError,
  type TextDocumentEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import type { SetFile } from "./id-index.ts";
import { canonical, type Occurrence } from "./ids.ts";
import type { PolicySet } from "./policy-set.ts";
import { textSpan } from "./rego-ids.ts";
import { rangeOf, retext } from "./text.ts";
import type { Document, Workspace } from "./workspace.ts";

/** The text that would be replaced; `undefined` where there is no id that can have another name. */
export function renameRange(
  { set }: Document,
  file: SetFile,
  offset: number,
): { range: Range; placeholder: string } | undefined {
  const symbol = set.ids().at(file.read.file, offset);
  if (symbol === undefined || symbol.kind === "package") return undefined;
  const { start, end } = textSpan(symbol.span);
  const text = file.read.file.text.slice(start, end);
  return { range: rangeOf(textSpan(symbol.span)), placeholder: text };
}

/** Throws a ResponseError that says why, where the rename cannot be done whole. */
export function rename(
  workspace: Workspace,
  { set }: Document,
  file: SetFile,
  offset: number,
  newName: string,
  canRenameFiles: boolean,
): WorkspaceEdit | undefined {
  const ids = set.ids();
  const symbol = ids.at(file.read.file, offset);
  if (symbol === undefined || symbol.kind === "package") return undefined;
  refuseUnless(set, symbol, newName);
  const places = ids.placesOf(symbol);
  const files = places.filter((o) => o.role === "file name");
  if (files.length > 0 && !canRenameFiles)
    throw refusal(`the name of a file defines \`${symbol.name}\`, and this editor does not let a server rename files`);
  const edits = new Map<string, TextDocumentEdit>();
  for (const { span, role } of places) {
    if (role === "file name") continue;
    const uri = workspace.uriOf(span.file.name);
    const edit = edits.get(uri) ?? { textDocument: { uri, version: null }, edits: [] };
    edit.edits.push(
      symbol.kind === "document" ? { range: rangeOf(textSpan(span)), newText: newName } : retext(span, newName),
    );
    edits.set(uri, edit);
  }
  if (files.length === 0) return { changes: Object.fromEntries([...edits].map(([uri, e]) => [uri, e.edits as never])) };
  const moves = files.map(({ span }): RenameFile => {
    const at = span.file.name;
    const slash = at.lastIndexOf("/") + 1;
    const name = at.slice(slash);
    const target = name.startsWith("AGENT_") ? `AGENT_${newName}.md` : newName + name.slice(symbol.name.length);
    return {
      kind: "rename",
      oldUri: workspace.uriOf(at),
      newUri: workspace.machine.toUri(at.slice(0, slash) + target),
    };
  });
  return { documentChanges: [...edits.values(), ...moves] };
}

function refuseUnless(set: PolicySet, symbol: Occurrence, newName: string): void {
  const broken = set.broken();
  if (broken !== undefined)
    throw refusal(`\`${broken.path}\` cannot be read, so not every place of the id is known; correct it first`);
  const problem = nameProblem(symbol, newName);
  if (problem !== undefined) throw refusal(problem);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(newName) && set.ids().placesOf(symbol).some(isBareInRego))
    throw refusal("a rule refers to the id without quotes, and a name in Rego has letters, digits and `_`");
  const other = symbol.kind === "document" ? set.ids().alsoWrittenAt(symbol) : undefined;
  if (other !== undefined)
    throw refusal(`the key is \`${other.name}\` too, by an alias, and rules that refer to that would lose it`);
  const name = canonicalName(symbol, newName);
  if (name !== symbol.name && set.ids().placesOf({ kind: symbol.kind, name }).length > 0)
    throw refusal(`there is a ${symbol.kind} \`${newName}\` already`);
}

/** `data.limits.WRITER` */
function isBareInRego({ span, kind }: Occurrence): boolean {
  return kind !== "document" && span.file.name.endsWith(".rego") && textSpan(span) === span;
}

/** The whole name: a document keeps the path that it is in. */
function canonicalName({ kind, name }: Occurrence, newName: string): string {
  if (kind !== "document") return canonical(kind, newName);
  return [...name.split(".").slice(0, -1), newName].join(".");
}

function nameProblem({ kind }: Occurrence, newName: string): string | undefined {
  if (newName.trim() === "" || newName.trim() !== newName)
    return "a name is not empty and has no white space around it";
  if (/\p{Cc}|\p{Cf}|\ufffd/u.test(newName)) return "a name has no invisible characters";
  if (kind === "agent" && !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(newName))
    return "the name of an agent has letters, digits, `_` and `-`";
  if (kind === "agent type" && /[/\\]/.test(newName)) return "the name of an agent type names a file, so it has no `/`";
  if (kind === "document" && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(newName))
    return "a name in Rego has letters, digits and `_`";
  return undefined;
}

function refusal(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}
