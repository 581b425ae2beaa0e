/** What agent hosts send to a hook before a tool, and after it: which host it is, which tool, with what, and which agent asks. */

import { isAbsolute } from "node:path";
import { failure, isJsonObject, parseJson, type Result, SourceFile, success } from "@portcullis/documents";
import { LONGEST_NAME } from "@portcullis/runtime";
import { beyondDouble } from "./beyond-double.ts";
import { SKILL_EVENT, TOOL_EVENT } from "./denial.ts";
import { END_EVENTS, hasEnded, hasSucceeded } from "./ended-call.ts";
import { marksIn } from "./marks.ts";
import { quoted } from "./outside-names.ts";

const HOSTS = ["claude-code", "codex", "gemini", "copilot", "cline", "opencode", "generic"] as const;
export type Host = (typeof HOSTS)[number];

/** `ended`: a host of one's own says the end of a call. Apart, since an allow and a noted end are one answer. */
export const HOOK_FORMATS = ["auto", ...HOSTS, "ended"] as const;
export type HookFormat = (typeof HOOK_FORMATS)[number];

export interface AskedCall {
  readonly host: Host;
  /** The host's word for the moment before a tool, or after it. */
  readonly event: string;
  /** Present after the call: whether the host says that the tool has succeeded. */
  readonly succeeded?: boolean | undefined;
  readonly name: string;
  readonly args: unknown;
  /** The folder that the agent works in, absolute, where the host says it. */
  readonly cwd?: string;
  /** The sub-agent that calls; absent for the session's own agent. */
  readonly agent?: SubAgent;
  /** The host's ids of its session and of this call, where it says them. */
  readonly session?: string | undefined;
  readonly id?: string | undefined;
}

export interface SubAgent {
  readonly type: string;
  readonly id?: string | undefined;
}

type NoCall = "not-a-call";
type Members = ReadonlyMap<string, unknown>;
/** Members of a payload that hold the tool's name and its arguments. */
interface Shape {
  readonly event?: { readonly member: string; readonly values: readonly string[] };
  readonly name: readonly string[];
  readonly args: readonly string[];
  /** Arguments come as a text of JSON. */
  readonly isText?: true;
}

/**
 * Values that a call may have. To read one takes up to 200 bytes of memory, and a process that runs out of memory ends in a way
 * that hosts let pass.
 */
const MOST_VALUES = 100_000;

const [NAME, ARGS] = [["tool_name"], ["tool_input"]];
const asksAt = (host: Host, ...before: readonly string[]): Shape => ({
  event: { member: "hook_event_name", values: [...before, END_EVENTS[host] ?? []].flat() },
  ...{ name: NAME, args: ARGS },
});
const SHAPES: Readonly<Record<Exclude<Host, "cline">, Shape>> = {
  "claude-code": asksAt("claude-code", TOOL_EVENT, SKILL_EVENT),
  codex: asksAt("codex", TOOL_EVENT),
  gemini: asksAt("gemini", "BeforeTool"),
  copilot: asksAt("copilot", TOOL_EVENT),
  opencode: { ...asksAt("opencode", "tool.execute.before"), name: ["tool"], args: ["args"] },
  generic: { name: ["tool", "tool_name"], args: ["args", "tool_input"] },
};
/** Copilot CLI, where its own spelling of the event is configured. */
const COPILOT_OWN: Shape = { name: ["toolName"], args: ["toolArgs"], isText: true };

/** Each host has one of these for the tool's name, and one for its arguments. */
const SPELLINGS = [
  ["tool", "tool_name", "toolName"],
  ["args", "tool_input", "toolInput", "toolArgs"],
] as const;

/** A member in two spellings is refused: what the host means could be the other one. */
function ofOneSpelling(members: Members): Result<undefined, NoCall> {
  for (const names of SPELLINGS) {
    const one = oneOf(members, names);
    if (!one.ok) return one;
  }
  const seen = new Map<string, string>();
  for (const name of members.keys()) {
    const read = name.replace(/[_-]/g, "").toLowerCase();
    const before = seen.get(read);
    if (before !== undefined) return wrong(`it has both \`${before}\` and ${quoted(name)}`);
    seen.set(read, name);
    const isAgent = read === "agenttype" || read === "agentid";
    if (isAgent && name !== "agent_type" && name !== "agent_id" && (members.get(name) ?? undefined) !== undefined)
      return wrong(`${quoted(name)} is not how a host names a sub-agent`);
  }
  return success(undefined);
}

/** The call that a host asks about, or says the end of. Cost: linear in the text. */
export function readCall(text: string, format: HookFormat): Result<AskedCall, NoCall> {
  const input = membersOf(text, RESPONSES);
  if (!input.ok) return input;
  const members = input.value;
  const single = ofOneSpelling(members);
  if (!single.ok) return single;
  const host = format === "auto" ? hostOf(members) : format === "ended" ? "generic" : format;
  const call = host === "cline" ? clineCall(members) : shapedCall(members, host, shapeOf(members, host));
  const placed = call.ok ? withFolder(call.value, members) : call;
  const served = placed.ok ? ofOneServer(placed.value, members) : placed;
  const called = served.ok ? withAgent(served.value, members) : served;
  if (!called.ok) return called;
  const found = { ...called.value, ...idsOf(members) };
  if (format === "ended") return endOf(found, members);
  if (!hasEnded(host, members)) return success(found);
  return format === "auto"
    ? wrong(UNNAMED_END)
    : success({ ...found, succeeded: hasSucceeded(host, found.name, members) });
}

/** Who writes a payload without a host's name could have asked about the call: the silence for a noted end would allow it. */
const UNNAMED_END = "it is the end of a call, and `--format` does not name its host";

/** The end of a call, by a host of one's own. */
function endOf(call: AskedCall, members: Members): Result<AskedCall, NoCall> {
  const succeeded = members.get("succeeded");
  return typeof succeeded === "boolean" ? success({ ...call, succeeded }) : wrong("`succeeded` is true or false");
}

/** The session is what limits by `session` count. */
function idsOf(members: Members): Pick<AskedCall, "session" | "id"> {
  const call = members.get("tool_call");
  const inner = isJsonObject(call) ? (call as Readonly<Record<string, unknown>>)["id"] : undefined;
  const [session, id] = [
    idOf(members.get("session_id") ?? members.get("sessionId") ?? members.get("taskId")),
    idOf(members.get("tool_use_id") ?? inner),
  ];
  return { session, id };
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= LONGEST_NAME ? value : undefined;
}

/** Which program sent this. `generic` where two could have: then no host's own words are relied on. */
function hostOf(members: Members): Host {
  if ((members.has("preToolUse") || members.has("postToolUse")) && members.has("taskId")) return "cline";
  if (members.has("toolName") && members.has("sessionId")) return "copilot";
  switch (members.get("hook_event_name")) {
    case "BeforeTool":
    case END_EVENTS.gemini:
      return "gemini";
    case "tool.execute.before":
    case END_EVENTS.opencode:
      return "opencode";
    case SKILL_EVENT:
      return "claude-code";
    case TOOL_EVENT:
    case END_EVENTS.codex:
      if (members.has("turn_id") || members.has("model")) return "codex";
      if (members.has("permission_mode") && members.has("transcript_path")) return "claude-code";
      return members.has("timestamp") && members.has("session_id") ? "copilot" : "generic";
    default:
      return "generic";
  }
}

function shapeOf(members: Members, host: Exclude<Host, "cline">): Shape {
  return host === "copilot" && members.has("toolName") ? COPILOT_OWN : SHAPES[host];
}

function shapedCall(members: Members, host: Host, shape: Shape): Result<AskedCall, NoCall> {
  const said = shape.event && members.get(shape.event.member);
  const event = shape.event?.values.find((value) => value === said);
  if (shape.event !== undefined && event === undefined)
    return wrong(`\`${shape.event.member}\` is not \`${shape.event.values.join("` or `")}\``);
  // One at most is there.
  const [name, args] = [shape.name, shape.args].map((names) => members.get(names.find((of) => members.has(of)) ?? ""));
  const called = { host, event: event ?? TOOL_EVENT };
  if (shape.isText !== true || typeof args !== "string") return named(called, shape.name, name, args);
  const inner = membersOf(args);
  return inner.ok ? named(called, shape.name, name, Object.fromEntries(inner.value)) : inner;
}

/**
 * Cline: `{ tool_call: { name, input }, preToolUse: { toolName, parameters } }`, where the parameters are the input with its
 * members as texts; older ones have `preToolUse` alone. After a call they are `tool_result` and `postToolUse`.
 */
function clineCall(members: Members): Result<AskedCall, NoCall> {
  const used = oneOf(members, ["preToolUse", "postToolUse"]);
  if (!used.ok) return used;
  const use = used.value;
  if (!isJsonObject(use)) return wrong("`preToolUse` is not an object");
  const old = new Map(Object.entries(use));
  const name = oneOf(old, ["toolName", "tool"]);
  if (!name.ok) return name;
  const called = { host: "cline", event: TOOL_EVENT } as const;
  const given = members.get(members.has("postToolUse") ? "tool_result" : "tool_call") ?? undefined;
  if (given === undefined) return named(called, ["preToolUse.toolName"], name.value, old.get("parameters"));
  const call = new Map(Object.entries(Object(given)));
  if (call.get("name") !== name.value) return wrong("`tool_call` and `preToolUse` name two tools");
  return named(called, ["tool_call.name"], name.value, call.get("input"));
}

/** The one of these members that is there. Two of them are refused: the host could mean the other one. */
function oneOf(members: Members, names: readonly string[]): Result<unknown, NoCall> {
  const [first, second] = names.filter((name) => members.has(name));
  if (second !== undefined) return wrong(`it has both \`${first}\` and \`${second}\``);
  return success(first === undefined ? undefined : members.get(first));
}

function named(
  call: Pick<AskedCall, "host" | "event">,
  members: readonly string[],
  name: unknown,
  args: unknown,
): Result<AskedCall, NoCall> {
  if (typeof name !== "string" || name === "") return wrong(`\`${members[0]}\` is the name of a tool`);
  if (name.length > LONGEST_NAME) return wrong(`the tool's name has more than ${LONGEST_NAME} characters`);
  return success({ ...call, name, args });
}

/** Where relative paths start. `generic` has the tool and its arguments alone. */
function withFolder(call: AskedCall, members: Members): Result<AskedCall, NoCall> {
  const cwd = call.host === "generic" ? undefined : (members.get("cwd") ?? undefined);
  if (cwd === undefined) return success(call);
  if (typeof cwd !== "string" || !isAbsolute(cwd)) return wrong("`cwd` is not the absolute path of a folder");
  return success({ ...call, cwd });
}

/**
 * Gemini CLI names the tools of servers `mcp_SERVER_TOOL`. Where a server's name has an underscore, a tool of another server may have
 * the same name, and be taken for its own.
 */
function ofOneServer(call: AskedCall, members: Members): Result<AskedCall, NoCall> {
  const context = call.host === "gemini" ? (members.get("mcp_context") ?? undefined) : undefined;
  if (context === undefined) return success(call);
  const { server_name: server } = context as { readonly server_name?: unknown };
  if (typeof server === "string" && !server.includes("_") && call.name.startsWith(`mcp_${server}_`))
    return success(call);
  return wrong("a server of another name may have a tool of this name: name servers without `_` and blanks");
}

/** INVARIANT: a payload that speaks of a sub-agent never becomes a call of its parent. */
function withAgent(call: AskedCall, members: Members): Result<AskedCall, NoCall> {
  const [type, id] = [members.get("agent_type") ?? undefined, members.get("agent_id") ?? undefined];
  // Cline gives every agent an id, and says whose it is, but never of which type.
  const isOwn = call.host === "cline" && (members.get("parent_agent_id") ?? undefined) === undefined;
  if (type === undefined && (id === undefined || isOwn)) return success(call);
  if (typeof type !== "string" || type.trim() === "" || type.length > LONGEST_NAME)
    return wrong("`agent_type` is not the type of a sub-agent");
  if (id !== undefined && (typeof id !== "string" || id.length > LONGEST_NAME))
    return wrong("`agent_id` is not the id of a sub-agent");
  return success({ ...call, agent: { type, id } });
}

/** What a tool has answered: of its values none is decided on, and it may have numbers of any size. */
const RESPONSES: ReadonlySet<string> = new Set(["tool_response", "tool_result"]);

/** Duplicate members and numbers beyond double precision are refused: the host could read them differently. */
function membersOf(text: string, unread: ReadonlySet<string> = new Set()): Result<Members, NoCall> {
  if (marksIn(text) > MOST_VALUES) return failure("not-a-call", `standard input has more than ${MOST_VALUES} values`);
  const { root, diagnostics } = parseJson(new SourceFile("standard input", text));
  const [broken] = diagnostics;
  if (broken !== undefined)
    return failure("not-a-call", `standard input is not JSON as it should be: ${broken.message}`);
  const values = root?.kind === "Mapping" ? root.entries.filter(({ key }) => !unread.has(key)) : [];
  const [number] = values.flatMap(({ value }) => beyondDouble(value) ?? []);
  if (number !== undefined) return wrong(`not every reader reads the number ${number.text} alike`);
  const input: unknown = JSON.parse(text);
  return isJsonObject(input) ? success(new Map(Object.entries(input))) : wrong("it is no object");
}

function wrong(what: string): Result<never, NoCall> {
  return failure("not-a-call", `standard input is no call of a tool: ${what}`);
}
