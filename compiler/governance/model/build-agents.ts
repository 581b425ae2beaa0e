/** Instruction files → agents: name, type, class and allowlist, as the subagent specification reads them. */

import { type Extra, meaning, nearest, rewriting, type Span, span } from "@portcullis/rego/diagnostics";
import { type AgentSource, describeKind, entryOf, type MappingEntry, type SourceNode } from "../sources/index.ts";
import { modelDiagnostic } from "./codes.ts";
import { type Agent, agentKey, isAgentName, type Named } from "./model.ts";
import type { TreeReader } from "./read.ts";

export function buildAgents(sources: readonly AgentSource[], reader: TreeReader): ReadonlyMap<string, Agent> {
  const byKey = new Map<string, Agent>();
  for (const source of sources) {
    const start = span(source.file, 0, source.file.lineText(1).length);
    if (!isAgentName(source.name)) {
      reader.diagnostics.push(modelDiagnostic("model/invalid-agent-file-name", { name: source.name }, start));
      continue;
    }
    const agent = buildAgent(source, start, reader);
    const first = byKey.get(agent.key);
    if (first === undefined) {
      byKey.set(agent.key, agent);
    } else {
      const related = [{ message: "the other file", span: first.name.span }];
      reader.diagnostics.push(modelDiagnostic("model/duplicate-agent", { name: source.name }, start, { related }));
    }
  }
  return byKey;
}

function buildAgent(source: AgentSource, start: Span, reader: TreeReader): Agent {
  const { typeLine, typeRow, classLine, classRow, unreadable, contradicted } = source.header;
  if (typeLine !== undefined && typeRow !== undefined && typeLine.value !== typeRow.value) {
    const related = [{ message: "the table's row", span: typeRow.span }];
    reader.diagnostics.push(
      modelDiagnostic("model/agent-type-contradiction", { line: typeLine.value, row: typeRow.value }, typeLine.span, {
        related,
      }),
    );
  }
  const type = (typeLine ?? typeRow)?.value;
  for (const { value, span: location } of contradicted) {
    reader.diagnostics.push(
      modelDiagnostic("model/repeated-agent-type", { type: value, first: String(type) }, location),
    );
  }
  for (const { value, span: location } of unreadable) {
    reader.diagnostics.push(
      modelDiagnostic("model/unreadable-agent-type", { text: value }, location, readable(value, location)),
    );
  }
  if (classLine !== undefined && classRow !== undefined && classLine.value !== classRow.value) {
    const related = [{ message: "the table's row", span: classRow.span }];
    reader.diagnostics.push(
      modelDiagnostic(
        "model/agent-class-contradiction",
        { line: classLine.value, row: classRow.value },
        classLine.span,
        {
          related,
        },
      ),
    );
  }
  const written = classLine ?? classRow;
  return {
    key: agentKey(source.name),
    name: { name: source.name, span: start },
    type,
    class: written === undefined ? undefined : { name: written.value, span: written.span },
    allowlist: buildAllowlist(source, reader),
  };
}

/** How the type that a line names is declared, as a line or as a row. */
function readable(text: string, at: Span): Extra {
  const type = /[:=|]\D*([0-2])\b/.exec(text)?.[1];
  if (type === undefined) return {};
  const written = text.startsWith("|") ? `| **AGENT_TYPE** | TYPE ${type} |` : `AGENT_TYPE: ${type}`;
  return { help: `write \`${written}\``, fixes: rewriting(at, written) };
}

/** What agent hosts read as an agent's rights, and where a policy set says it. */
const RIGHTS: ReadonlyMap<string, string> = new Map([
  ["tools", "name them in `allowed_tools` of the agent type's spawn manifest"],
  ["disallowedTools", "leave them out of `allowed_tools` of the agent type's spawn manifest"],
  ["permissionMode", "say what needs a person in tool_registry.yaml: `approval`"],
]);

function buildAllowlist(source: AgentSource, reader: TreeReader): readonly Named[] {
  const matter = source.frontMatter;
  if (matter === undefined || matter.kind === "Null") return [];
  if (matter.kind !== "Mapping") {
    reader.diagnostics.push(
      modelDiagnostic("model/invalid-front-matter", { found: describeKind(matter) }, matter.span),
    );
    return [];
  }
  for (const { key, keySpan } of matter.entries) {
    const help = RIGHTS.get(key);
    if (help === undefined) continue;
    const params = { key, agent: source.name };
    reader.diagnostics.push(modelDiagnostic("model/rights-in-front-matter", params, keySpan, { help }));
  }
  const entry = entryOf(matter, "subagents");
  if (entry === undefined) {
    const near = matter.entries.find((e) => nearest(e.key, ["subagents"]) !== undefined);
    if (near !== undefined) reader.diagnostics.push(misspelt(near));
    return [];
  }
  const allowlist: Named[] = [];
  const seen = new Map<string, Span>();
  for (const item of candidates(entry.value, reader)) {
    const name = item.name.trim();
    if (name === "") continue;
    const first = seen.get(agentKey(name));
    if (first !== undefined) {
      const related = [{ message: "first listed here", span: first }];
      reader.diagnostics.push(modelDiagnostic("model/repeated-entry", { name }, item.span, { related }));
      continue;
    }
    if (!isAgentName(name)) {
      reader.diagnostics.push(modelDiagnostic("model/invalid-subagent-name", { name }, item.span));
      continue;
    }
    seen.set(agentKey(name), item.span);
    allowlist.push({ name, span: item.span });
  }
  return allowlist;
}

function misspelt(entry: MappingEntry) {
  return modelDiagnostic("model/misspelt-front-matter-key", { key: entry.key }, entry.keySpan, meaning("subagents"));
}

/** The entries as written, of a list or of comma-separated text; blank ones included. */
function candidates(value: SourceNode, reader: TreeReader): readonly Named[] {
  if (value.kind === "Null") return [];
  if (value.kind === "String") return splitCommas(value.value, value.span);
  const items = value.kind === "Sequence" ? value.items : [value];
  const names: Named[] = [];
  for (const item of items) {
    if (value.kind === "Sequence" && item.kind === "String") {
      names.push({ name: item.value, span: item.span });
    } else {
      const found = value.kind === "Sequence" ? `${describeKind(item)} in the list` : describeKind(item);
      reader.diagnostics.push(modelDiagnostic("model/invalid-subagents", { found }, item.span));
    }
  }
  return names;
}

/** Each name points at itself where the text is written plainly, else at the whole text. */
function splitCommas(text: string, location: Span): readonly Named[] {
  let from = location.start;
  return text.split(",").map((part) => {
    const name = part.trim();
    const at = location.file.text.indexOf(name, from);
    if (name === "" || at < 0 || at + name.length > location.end) return { name, span: location };
    from = at + name.length;
    return { name, span: span(location.file, at, from) };
  });
}
