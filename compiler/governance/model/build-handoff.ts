/** `handoff.yaml`: the policy's additions to the contract's floor. */

import { entryOf, HANDOFF, type SourceDocument } from "../sources/index.ts";
import { modelDiagnostic } from "./codes.ts";
import type { HandoffAdditions, HandoffAgents, Named } from "./model.ts";
import type { TreeReader } from "./read.ts";
import { type ModelOf, readFields } from "./read-fields.ts";

export function buildHandoff(documents: readonly SourceDocument[], reader: TreeReader): HandoffAdditions {
  const added = additions(documents, reader);
  const { forbiddenMutations, placeholders, forbiddenPaths } = added;
  // Names stay as they are written. The decision normalises them as it does those of a record: two ways of changing case
  // (JavaScript lowers `Σ` by its position in the word, Rego does not) would let a record pass that names the very same thing.
  for (const { name, span } of forbiddenMutations) {
    if (namesNothing(name)) reader.diagnostics.push(modelDiagnostic("model/invalid-mutation", { name }, span));
  }
  for (const { name, span } of placeholders) {
    if (!FIRST_WORD.test(name))
      reader.diagnostics.push(modelDiagnostic("model/invalid-placeholder", { word: name }, span));
  }
  const agents = handoffAgents(documents, reader);
  for (const { name, span } of forbiddenPaths) {
    const problem = pathProblem(name);
    if (problem !== undefined)
      reader.diagnostics.push(modelDiagnostic("model/invalid-forbidden-path", { path: name, problem }, span));
    if (agents === undefined) reader.diagnostics.push(modelDiagnostic("model/forbidden-path-without-agents", {}, span));
  }
  const once = Object.entries(added).map(([field, names]) => [field, unique(names)]);
  return {
    ...(Object.fromEntries(once) as typeof added),
    forbiddenMutations: inBothForms(forbiddenMutations),
    forbiddenPaths: inBothForms(forbiddenPaths),
    agents,
  };
}

/** What is forbidden is so whether `é` is one character or two: an editor, a file system or an agent may write either. */
function inBothForms(names: readonly Named[]): readonly Named[] {
  const written = (form: "NFC" | "NFD") => names.map((named) => ({ ...named, name: named.name.normalize(form) }));
  return unique([...names, ...written("NFC"), ...written("NFD")]);
}

/** The lists of all files, one after the other. */
function additions(documents: readonly SourceDocument[], reader: TreeReader): ModelOf<typeof HANDOFF> {
  for (const { root } of documents) {
    if (root.kind === "Mapping" && root.entries.length === 0)
      reader.diagnostics.push(modelDiagnostic("model/nothing-behind-key", { key: "handoff.yaml" }, root.span));
  }
  const all = documents.map(({ root }) => readFields(HANDOFF, root, reader));
  const fields = Object.keys(readFields(HANDOFF, undefined, reader)) as (keyof ModelOf<typeof HANDOFF>)[];
  const lists = fields.map((field) => [field, all.flatMap((one) => one[field])]);
  return Object.fromEntries(lists) as ModelOf<typeof HANDOFF>;
}

/** Masters and subs of all files. An agent has one role: which of two would hold decides what it may touch. */
function handoffAgents(documents: readonly SourceDocument[], reader: TreeReader): HandoffAgents | undefined {
  const named = documents.flatMap(({ root }) => entryOf(root, "agents")?.value ?? []);
  const first = named[0];
  if (first === undefined) return undefined;
  const all = (role: string): readonly Named[] => unique(named.flatMap((n) => [...(reader.names(n, role) ?? [])]));
  const [master, sub] = [all("master"), all("sub")];
  for (const { name, span } of sub) {
    const other = master.find((m) => m.name === name);
    if (other === undefined) continue;
    const related = [{ message: "master here", span: other.span }];
    reader.diagnostics.push(modelDiagnostic("model/handoff-agent-of-both-roles", { agent: name }, span, { related }));
  }
  return { span: first.span, master, sub };
}

/** Why a path can forbid nothing, or not what it seems to. */
function pathProblem(path: string): string | undefined {
  if (path.includes("\\")) return "holds a backslash; write `/`";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute; write it from the root";
  if (/^~(?:\/|$)|^\$(?:\{|[A-Z_]+(?:\/|$))/.test(path)) return "would need expanding; write it from the root";
  if (/[*?]|\{[^}]*,[^}]*\}/.test(path)) return "is a pattern; name the folder, which stands for all that lies in it";
  const segments = path.replace(/\/$/, "").split("/");
  if (segments.some((s) => s === "" || s === "." || s === "..")) return "has an empty, `.` or `..` segment";
  return undefined;
}

/** Matches a word that the decision reads as the first word of a next action, and nothing longer. */
const FIRST_WORD = /^[\p{L}\p{Nd}/]+$/u;

/**
 * Nothing is left when a leading `/` and everything from the first `.`, `/` or `[` on is taken away, or what is left is a
 * pattern or a list.
 */
function namesNothing(name: string): boolean {
  return /^(?:[./[]|$)/.test(name.replace(/^\//, "")) || /^[^./[\\]*[*?,]/.test(name.replace(/^[./#$]+/, ""));
}

function unique(names: readonly Named[]): readonly Named[] {
  return names.filter((n, i) => names.findIndex((m) => m.name === n.name) === i);
}
