/** Agent files of Claude Code (`.claude/agents/*.md`) → a spawn manifest and an instruction file each. */

import { parse } from "yaml";
import { type Draft, type DraftFile, type LeftOut, yamlFile } from "./draft.ts";
import { isAbout, namesMany } from "./permission-rules.ts";

export interface AgentFile {
  /** Its name, for messages. */
  readonly name: string;
  readonly text: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

export function importClaudeAgents(files: readonly AgentFile[]): Draft {
  const leftOut: LeftOut[] = [];
  const drafts = new Map<string, DraftFile[]>();
  for (const file of files) {
    const made = importAgent(file, leftOut);
    if (made === undefined) continue;
    const key = made.name.replaceAll("-", "_").toUpperCase();
    if (drafts.has(key))
      leftOut.push({ what: `\`${file.name}\``, why: `another file has the name \`${made.name}\`, too` });
    else drafts.set(key, made.files);
  }
  return { files: [...drafts.values()].flat(), kept: drafts.size, leftOut };
}

function importAgent(
  { name: file, text }: AgentFile,
  leftOut: LeftOut[],
): { name: string; files: DraftFile[] } | undefined {
  const drop = (why: string): undefined => {
    leftOut.push({ what: `\`${file}\``, why });
    return undefined;
  };
  const [, head] = /^\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(text) ?? [];
  if (head === undefined) return drop("it has no front matter");
  const header = headerOf(head);
  if (header === undefined) return drop("its front matter is not a mapping of YAML");
  const { name, description, tools, disallowedTools, permissionMode } = header;
  if (typeof name !== "string" || !NAME.test(name)) return drop("an agent cannot have its `name`");
  const allowed = namesOf(tools);
  const forbidden = namesOf(disallowedTools);
  if (allowed === "unreadable" || forbidden === "unreadable") return drop("its tools are no list of names");
  if (permissionMode !== undefined && permissionMode !== "default" && permissionMode !== "plan")
    leftOut.push({
      what: `\`permissionMode: ${String(permissionMode)}\` of \`${file}\``,
      why: "an agent has no rights of its own beyond its role's; what its tools may do is said in tool_registry.yaml",
    });
  if (forbidden !== undefined && allowed === undefined)
    return drop("it has all tools but some, which a manifest cannot say: name those that it needs in `tools`");
  for (const one of forbidden ?? [])
    if (one.includes("("))
      leftOut.push({
        what: `\`${one}\` of \`${file}\``,
        why: "it forbids a part of a tool, and a manifest names tools: the tool is left out",
      });
  const started = startedBy(allowed ?? []);
  const named = allowed?.map((tool) => (STARTS.test(tool) ? tool.replace(/\(.*/s, "") : tool));
  const kept = named?.filter((tool) => !isOfMany(tool) && forbidden?.some((one) => covers(one, tool)) !== true);
  for (const tool of (named ?? []).filter(isOfMany))
    leftOut.push({
      what: `\`${tool}\` of \`${file}\``,
      why: tool.includes("(")
        ? "a manifest names tools; what a call may hold is said in tool_registry.yaml"
        : "it names many tools; a manifest names each",
    });
  const spawns = kept?.some((tool) => tool === "Agent" || tool === "Task") ?? false;
  if (spawns && started.length === 0)
    leftOut.push({ what: `which agents \`${file}\` starts`, why: "it names none; add them to `can_spawn`" });
  const said = typeof description === "string" ? description.replace(/\s+/g, " ").trim() : "";
  return {
    name,
    files: [
      yamlFile(`claude-agents/manifests/${name}.yaml`, `Drafted from ${file}.`, {
        agent_type: name,
        can_spawn: spawns ? started : [],
        max_spawn_depth: 1,
        ...(kept === undefined ? {} : { allowed_tools: [...new Set(kept)] }),
      }),
      {
        path: `claude-agents/AGENT_${name.replaceAll("-", "_").toUpperCase()}.md`,
        text: `AGENT_TYPE: TYPE 2\nAGENT_CLASS: TASK\n\n# ${name}\n${said === "" ? "" : `\n${said}\n`}`,
      },
    ],
  };
}

/** `Agent(reviewer, tester)`: the tool that starts agents, and those that it may start. */
const STARTS = /^(?:Agent|Task)(?:\((.*)\))?$/s;

function startedBy(tools: readonly string[]): string[] {
  const names = tools.flatMap((tool) => STARTS.exec(tool)?.[1]?.split(",") ?? []).map((name) => name.trim());
  return [...new Set(names)].filter((name) => NAME.test(name));
}

function isOfMany(tool: string): boolean {
  return tool.includes("(") || namesMany({ tool });
}

/** Whether what is forbidden is the tool, a part of it, or one of many names that it is among. */
function covers(forbidden: string, tool: string): boolean {
  return isAbout({ tool: forbidden.replace(/\(.*/s, "") }, tool);
}

/** What is read of a header: other keys may stand in it as they like. */
const READ: readonly string[] = ["name", "description", "tools", "disallowedTools", "permissionMode"];

/**
 * Front matter as that host reads it: a description with `: ` in it is one line of text there, and not YAML. So a header that is not
 * YAML is read line by line.
 */
function headerOf(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as { [key: string]: unknown };
  } catch {
    const lines = text.split(/\r?\n/).flatMap((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, (value as string).trim()] as const];
    });
    const read = lines.filter(([key]) => READ.includes(key as string));
    if (new Set(read.map(([key]) => key)).size === read.length) return Object.fromEntries(read);
  }
  return undefined;
}

/** A list, or names with commas between them; `undefined` where there is nothing. */
function namesOf(value: unknown): readonly string[] | undefined | "unreadable" {
  if (value === undefined || value === null || value === "") return undefined;
  const items: unknown[] | undefined = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? splitNames(value)
      : undefined;
  if (items === undefined || !items.every((item) => typeof item === "string" && item.trim() !== ""))
    return "unreadable";
  // Every call of a tool is the tool.
  return (items as string[]).map((item) => item.trim().replace(/\(\*\)$/, ""));
}

/** Commas in parentheses are of a rule. */
function splitNames(text: string): string[] {
  const names = text.replace(/^\[|\]$/g, "").match(/[^,(]+(?:\([^)]*\))?["']?/g) ?? [];
  return names.map((name) => name.trim().replace(/^["']|["']$/g, ""));
}
