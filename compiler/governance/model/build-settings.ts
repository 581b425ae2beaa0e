/** `portcullis.yaml` → settings, with defaults for the keys that are absent. */

import { entryOf, type SourceDocument, type SourceNode } from "../sources/index.ts";
import { buildAdapters } from "./build-adapters.ts";
import { report } from "./codes.ts";
import type { Named, Settings, Waiver } from "./model.ts";
import type { Reader } from "./read.ts";

/** Chains longer than this are malformed unless the setting says otherwise. */
const DEFAULT_MAX_CHAIN = 64;

/** If the file could not be read (`isBroken`), nothing is recommended. */
export function buildSettings(documents: readonly SourceDocument[], reader: Reader, isBroken: boolean): Settings {
  const document = only(documents, "portcullis.yaml", reader);
  const section = (key: string) => entryOf(document?.root, key)?.value;
  const lineage = section("lineage");
  const call = section("call");
  return {
    subagents: {
      unresolved: reader.string(section("subagents"), "unresolved") === "drop" ? "drop" : "error",
      approvers: reader.string(section("subagents"), "approvers") === "human" ? "human" : "any",
    },
    lineage: {
      depth: reader.string(lineage, "depth") === "reported" ? "reported" : "positional",
      maxChain: reader.number(lineage, "max_chain") ?? DEFAULT_MAX_CHAIN,
      roots: reader.names(lineage, "roots") ?? [],
      require: reader.boolean(lineage, "require") ?? (isBroken ? false : undefined),
    },
    call: {
      lineage: callLineage(reader.string(call, "lineage")),
      unknownAgents: call === undefined ? undefined : textOf(call, "unknown_agents"),
    },
    adapters: buildAdapters(section("adapters"), reader),
    rego: {
      allowBuiltins: reader.names(section("rego"), "allow_builtins") ?? [],
      hostData: reader.names(section("rego"), "host_data") ?? [],
    },
    bundle: { revision: reader.string(section("bundle"), "revision") },
    waive: reader.items(document?.root, "waive").flatMap(waiverOf),
  };
}

/** Nothing for an entry that its schema has refused. */
function waiverOf(node: SourceNode): Waiver[] {
  const [code, at, reason, until] = ["code", "at", "reason", "until"].map((key) => textOf(node, key));
  return code === undefined || at === undefined || reason === undefined ? [] : [{ code, at, reason, until }];
}

function textOf(node: SourceNode, key: string): Named | undefined {
  const value = entryOf(node, key)?.value;
  return value?.kind === "String" ? { name: value.value, span: value.span } : undefined;
}

function callLineage(text: string | undefined): "required" | "optional" | undefined {
  return text === "required" || text === "optional" ? text : undefined;
}

/** The one file of a kind that a set may have once; of several the one that lies highest, then the first in order. */
export function only(documents: readonly SourceDocument[], file: string, reader: Reader): SourceDocument | undefined {
  const depth = (d: SourceDocument): number => d.root.span.file.name.split("/").length;
  const [first, ...rest] = [...documents].sort((a, b) => depth(a) - depth(b));
  for (const other of rest) {
    const related = first === undefined ? [] : [{ message: "the first one", span: first.root.span }];
    reader.diagnostics.push(report("model/duplicate-file", { file }, other.root.span, { related }));
  }
  return first;
}
