/** Names that a policy set defines and refers to, each with its place: what definition, references and rename are about. */

import type { Span } from "@portcullis/rego/diagnostics";

/** `document`: what a path below `data` names, a rule or a value of the data files. `gate`: a gate of the author's own. */
export type IdKind =
  | "role"
  | "lane"
  | "tool"
  | "agent"
  | "agent type"
  | "mode"
  | "table"
  | "write mode"
  | "scope key"
  | "flag"
  | "gate"
  | "package"
  | "document";

export interface Occurrence {
  readonly kind: IdKind;
  /** In the form in which names are compared: of agents with `_` for `-`, of documents the path below `data`. */
  readonly name: string;
  /** The text that stands for the name; of a definition by a file's name, the start of the file. */
  readonly span: Span;
  readonly role: "definition" | "reference" | "file name";
}

/** What the members of requests name, by key: in Rego, decision tests, claims and samples. */
const REQUEST_KEYS: { readonly [key: string]: IdKind } = {
  role: "role",
  lane: "lane",
  tool: "tool",
  persona: "agent",
  subagent: "agent",
  from_agent: "agent",
  to_agent: "agent",
  delegatedSubagents: "agent",
  allowlistedSubagents: "agent",
  agent_type: "agent type",
  parent: "agent type",
  child: "agent type",
  table: "table",
};

/** The kind of what a request's member names; a key may be a path with dots, as in a matrix. */
export function kindOfKey(key: string): IdKind | undefined {
  const last = key.slice(key.lastIndexOf(".") + 1);
  return Object.hasOwn(REQUEST_KEYS, last) ? REQUEST_KEYS[last] : undefined;
}

/** The form in which a name is compared. */
export function canonical(kind: IdKind, name: string): string {
  return kind === "agent" ? name.trim().replace(/-/g, "_") : name;
}

export function symbolKey({ kind, name }: { readonly kind: IdKind; readonly name: string }): string {
  return `${kind}\0${name}`;
}
