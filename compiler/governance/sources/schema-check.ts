/** Holds a source tree against its JSON Schema (`schema/*.json`) and reports each fault at its location. */

import { describeKind, entryOf, type SourceNode, toPlain } from "@portcullis/documents";
import {
  type Diagnostic,
  didYouMean,
  type Extra,
  nearest,
  rewriting,
  type Span,
  type Suggestion,
  unreachable,
} from "@portcullis/rego/diagnostics";
import { sourcesDiagnostic } from "./codes.ts";
import {
  approvers,
  exec,
  handoff,
  knownKeys,
  lanes,
  limits,
  manifest,
  roles,
  settings,
  tests,
  tool_registry,
} from "./schema.embedded.ts";

export type SchemaName =
  | "settings"
  | "roles"
  | "lanes"
  | "tool_registry"
  | "approvers"
  | "manifest"
  | "handoff"
  | "exec"
  | "limits"
  | "tests";

/** An error object of ajv's standalone code (https://ajv.js.org/api.html#error-objects). */
interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
}

interface Validator {
  (data: unknown): boolean;
  errors?: SchemaError[] | null;
}

const VALIDATORS: { readonly [N in SchemaName]: unknown } = {
  settings,
  roles,
  lanes,
  tool_registry,
  approvers,
  manifest,
  handoff,
  exec,
  limits,
  tests,
};

/** Every fault of the tree. An empty list means that the tree has exactly the schema's shape. */
export function checkSchema(name: SchemaName, root: SourceNode): Diagnostic[] {
  const validate = VALIDATORS[name] as Validator;
  if (validate(toPlain(root))) return [];
  const keys = (knownKeys as { readonly [schema: string]: { readonly [path: string]: readonly string[] } })[name] ?? {};
  const errors = validate.errors ?? [];
  const lists = errors.flatMap((e) => unbracketed(root, e));
  return errors
    .filter((e) => !lists.some((list) => list.isPart(e)))
    .map((e) => {
      const found = explain(name, root, e, keysAround(keys, e.schemaPath));
      const list = lists.find((l) => l.error === e);
      if (list === undefined) return found;
      const { fixes: _, ...rest } = found;
      return { ...rest, help: `write \`[${list.names.join(", ")}]\`` };
    });
}

/** The keys of the object that an error is about. */
interface Keys {
  readonly known: readonly string[];
  /** The one of them in which a key would be known. */
  owner(key: string): string | undefined;
}

function keysAround(table: { readonly [path: string]: readonly string[] }, schemaPath: string): Keys {
  const object = schemaPath.replace(/[^/]*$/, "");
  const known = table[`${object}additionalProperties`] ?? [];
  const owner = (key: string): string | undefined =>
    known.find((k) => table[`${object}properties/${k}/additionalProperties`]?.includes(key));
  return { known, owner };
}

interface Unbracketed {
  readonly error: SchemaError;
  readonly names: readonly string[];
  /** Whether an error is about a name of the list, taken for a key. */
  isPart(error: SchemaError): boolean;
}

/** `{ roles: A, B }`: a list without brackets, in braces where each further name is a key without a value. */
function unbracketed(root: SourceNode, error: SchemaError): Unbracketed[] {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  if (error.keyword !== "type" || expectation(error.params["type"]) !== "a list") return [];
  const { node: parent } = nodeAt(root, path.slice(0, -1));
  const entries = parent.kind === "Mapping" ? parent.entries : [];
  const at = entries.findIndex((e) => e.key === path.at(-1));
  const first = entries[at]?.value;
  if (first?.kind !== "String") return [];
  const further = entries.slice(at + 1);
  const end = further.findIndex((e) => e.value.kind !== "Null" || e.value.span.end > e.keySpan.end);
  const keys = (end < 0 ? further : further.slice(0, end)).map((e) => e.key);
  if (keys.length === 0) return [];
  const inner = path.slice(0, -1).map(escapePointer).join("/");
  const instancePath = inner === "" ? "" : `/${inner}`;
  const isPart = (e: SchemaError): boolean =>
    e.keyword === "additionalProperties" &&
    e.instancePath === instancePath &&
    keys.includes(String(e.params["additionalProperty"]));
  return [{ error, names: [first.value, ...keys], isPart }];
}

function escapePointer(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}

function explain(name: SchemaName, root: SourceNode, error: SchemaError, { known, owner }: Keys): Diagnostic {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const { node, label } = nodeAt(root, path);
  switch (error.keyword) {
    case "additionalProperties": {
      const key = String(error.params["additionalProperty"]);
      const location = entryOf(node, key)?.keySpan ?? node.span;
      if (name === "lanes" && path.at(-1) === "audit")
        return sourcesDiagnostic("sources/unknown-audit-key", { key }, location);
      const near = didYouMean(key, known);
      return sourcesDiagnostic(
        "sources/unknown-key",
        { key },
        location,
        near.meant !== undefined ? near : (elsewhere(key, owner(key)) ?? { help: `the keys here are ${list(known)}` }),
      );
    }
    case "required": {
      const key = String(error.params["missingProperty"]);
      return sourcesDiagnostic(
        "sources/missing-key",
        { key },
        headOf(node),
        node.kind === "Mapping"
          ? misspelt(
              node.entries.map((e) => e.key).filter((k) => !known.includes(k)),
              key,
            )
          : {},
      );
    }
    case "type": {
      const expected = expectation(error.params["type"]);
      return sourcesDiagnostic(
        "sources/wrong-type",
        { what: label, expected, found: describeKind(node) },
        headOf(node),
        typeHelp(expected, node),
      );
    }
    case "enum": {
      const allowed = (error.params["allowedValues"] as readonly unknown[]).map(String);
      const help = node.kind === "String" ? didYouMean(node.value, allowed) : {};
      return sourcesDiagnostic("sources/bad-value", { what: label, allowed: list(allowed) }, headOf(node), help);
    }
    case "minimum":
      return sourcesDiagnostic(
        "sources/out-of-range",
        { what: label, bound: `at least ${String(error.params["limit"])}` },
        node.span,
      );
    case "maximum":
      return sourcesDiagnostic(
        "sources/out-of-range",
        { what: label, bound: `at most ${String(error.params["limit"])}` },
        node.span,
      );
    default:
      return unreachable(error.keyword as never);
  }
}

/** The node at a path, and how to name it: `` `enabled` ``, `` `roles[2]` ``, `this file`. */
function nodeAt(root: SourceNode, path: readonly string[]): { node: SourceNode; label: string } {
  let node = root;
  let label = "";
  for (const segment of path) {
    const next = node.kind === "Sequence" ? node.items[Number(segment)] : entryOf(node, segment)?.value;
    if (next === undefined) break;
    label = node.kind === "Sequence" ? `${label}[${segment}]` : segment;
    node = next;
  }
  return { node, label: label === "" ? "this file" : `\`${label}\`` };
}

function expectation(type: unknown): string {
  const types = (Array.isArray(type) ? type : [type]).map(String);
  switch (types[0]) {
    case "array":
      return "a list";
    case "object":
      return "a mapping";
    case "integer":
      return "a whole number";
    case "number":
      return types.includes("object") ? "a number, or numbers by role" : "a number";
    case "boolean":
      return "`true` or `false`";
    default:
      return "a string";
  }
}

function typeHelp(expected: string, node: SourceNode): Extra {
  if (expected === "`true` or `false`" && node.kind === "String") {
    const word = node.value.toLowerCase();
    if (["yes", "on", "y", "true"].includes(word))
      return { help: "write `true`, without quotes", fixes: rewriting(node.span, "true") };
    if (["no", "off", "n", "false"].includes(word))
      return { help: "write `false`, without quotes", fixes: rewriting(node.span, "false") };
  }
  if (expected === "`true` or `false`" && node.kind === "Null")
    return { help: "write `true` or `false`, or remove the key" };
  if (expected === "a list" && node.kind === "String")
    return { help: `write \`[${node.value}]\``, fixes: rewriting(node.span, `[${node.value}]`) };
  if (expected.startsWith("a number") && node.kind === "Number") return { help: "the number is too large" };
  if (expected === "a string" && (node.kind === "Number" || node.kind === "Boolean"))
    return { help: "quote the value to make it text" };
  return {};
}

function elsewhere(key: string, owner: string | undefined): Suggestion | undefined {
  return owner === undefined ? undefined : { help: `\`${key}\` belongs into \`${owner}\``, meant: [owner] };
}

/** A key that is there and looks like the missing one explains most missing keys. */
function misspelt(present: readonly string[], key: string): { readonly help?: string } {
  const near = present.find((p) => nearest(p, [key]) !== undefined);
  return near === undefined ? {} : { help: `\`${near}\` looks like it` };
}

/** Where to point for a whole mapping: its first key, rather than a frame over many lines. */
export function headOf(node: SourceNode): Span {
  const first = node.kind === "Mapping" ? node.entries[0] : undefined;
  return first === undefined || first.keySpan.start < node.span.start ? node.span : first.keySpan;
}

function list(words: readonly string[]): string {
  return words.map((w) => `\`${w}\``).join(", ");
}

function unescapePointer(segment: string): string {
  return segment.replace(/~1/g, "/").replace(/~0/g, "~");
}
