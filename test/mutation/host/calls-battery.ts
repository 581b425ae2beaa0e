/** Payloads of agent hosts: the call in each, or why it is not one. */
import { type HookFormat, readCall } from "../../../compiler/enforcement/gateway/asked-call.ts";
import { ENDS } from "../../enforcement/gateway/ended-payloads.ts";
import { type Check, same } from "./check.ts";

export function checks(): readonly Check[] {
  return [
    { what: "the host of a payload", run: hosts },
    { what: "events", run: events },
    { what: "ends of calls", run: ends },
    { what: "names and arguments", run: names },
    { what: "servers of Gemini CLI", run: serversOfGemini },
    { what: "Cline's payloads", run: cline },
    { what: "arguments as a text", run: texts },
    { what: "folders", run: folders },
    { what: "sub-agents", run: agents },
    { what: "ids", run: ids },
    { what: "payloads that are not objects", run: odd },
    { what: "how many values a payload has", run: values },
  ];
}

const NO_CALL = "standard input is no call of a tool: ";

/** The call, or what is wrong with the payload. */
function read(payload: object | string, format: HookFormat = "auto"): unknown {
  const found = readCall(typeof payload === "string" ? payload : JSON.stringify(payload), format);
  return found.ok ? found.value : found.problem.message.replace(NO_CALL, "");
}

const PRE = { hook_event_name: "PreToolUse", tool_name: "t", tool_input: { a: 1 } };
const CLINE = { taskId: "k", preToolUse: { toolName: "t", parameters: { a: 1 } } };

function hostOf(payload: object): unknown {
  const found = read(payload);
  return typeof found === "object" ? (found as { readonly host: unknown }).host : found;
}

function hosts(): void {
  for (const [payload, host] of [
    [{ ...CLINE }, "cline"],
    [{ preToolUse: {}, tool: "t" }, "generic"],
    [{ taskId: "k", tool: "t" }, "generic"],
    [{ toolName: "t", sessionId: "s" }, "copilot"],
    [{ toolName: "t", tool: "t" }, "it has both `tool` and `toolName`"],
    [{ toolName: "t" }, "`tool` is the name of a tool"],
    [{ sessionId: "s", tool: "t" }, "generic"],
    [{ ...PRE, hook_event_name: "BeforeTool" }, "gemini"],
    [{ hook_event_name: "tool.execute.before", tool: "t", args: {} }, "opencode"],
    [{ ...PRE, turn_id: 1 }, "codex"],
    [{ ...PRE, model: "m" }, "codex"],
    [{ ...PRE, model: "m", permission_mode: "p", transcript_path: "/t" }, "codex"],
    [{ ...PRE, permission_mode: "p", transcript_path: "/t" }, "claude-code"],
    [{ ...PRE, permission_mode: "p", transcript_path: "/t", timestamp: 1, session_id: "s" }, "claude-code"],
    [{ ...PRE, permission_mode: "p" }, "generic"],
    [{ ...PRE, transcript_path: "/t" }, "generic"],
    [{ ...PRE, timestamp: 1, session_id: "s" }, "copilot"],
    [{ ...PRE, timestamp: 1 }, "generic"],
    [{ ...PRE, session_id: "s" }, "generic"],
    [PRE, "generic"],
    [{ ...PRE, hook_event_name: "other" }, "generic"],
    [{ tool: "t" }, "generic"],
  ] as const)
    same(JSON.stringify(payload), hostOf(payload), host);
}

function events(): void {
  const SKILL = "PreSkillShellCommand";
  for (const [format, event, wanted] of [
    ["claude-code", "PreToolUse", "`PreToolUse` or `PreSkillShellCommand` or `PostToolUse`"],
    ["claude-code", SKILL, "`PreToolUse` or `PreSkillShellCommand` or `PostToolUse`"],
    ["codex", "PreToolUse", "`PreToolUse` or `PostToolUse`"],
    ["copilot", "PreToolUse", "`PreToolUse` or `PostToolUse`"],
    ["gemini", "BeforeTool", "`BeforeTool` or `AfterTool`"],
  ] as const) {
    const call = { host: format, event, name: "t", args: { a: 1 } };
    same(format, read({ ...PRE, hook_event_name: event }, format), call);
    const others = ["PostToolUseFailure", "", null, undefined, 7, event === "BeforeTool" ? "PreToolUse" : "BeforeTool"];
    for (const other of format === "claude-code" ? others : [...others, SKILL])
      same(
        `${format} at ${other}`,
        read({ ...PRE, hook_event_name: other }, format),
        `\`hook_event_name\` is not ${wanted}`,
      );
  }
  same("a skill's command, of an unsaid host", read({ ...PRE, hook_event_name: SKILL }, "auto"), {
    host: "claude-code",
    event: SKILL,
    name: "t",
    args: { a: 1 },
  });
  const opencode = { hook_event_name: "tool.execute.before", tool: "t", args: [1] };
  const event = "tool.execute.before";
  same("opencode", read(opencode, "opencode"), { host: "opencode", event, name: "t", args: [1] });
  same(
    "opencode at another event",
    read({ ...opencode, hook_event_name: "x" }, "opencode"),
    `\`hook_event_name\` is not \`${event}\` or \`tool.execute.after\``,
  );
  same("generic", read({ ...PRE, hook_event_name: "x" }, "generic"), {
    host: "generic",
    event: "PreToolUse",
    name: "t",
    args: { a: 1 },
  });
  const stray = "`hook_event_name` is not `PreToolUse` or `PostToolUse`";
  same("another host's member", read({ toolName: "t", toolArgs: {} }, "codex"), stray);
  const own = { toolName: "t", toolArgs: { a: 1 } };
  same("Copilot's own", read(own, "copilot"), { host: "copilot", event: "PreToolUse", name: "t", args: { a: 1 } });
}

/** A payload after a call says whether it has succeeded, and one before a call says nothing of it. */
function ends(): void {
  const succeededOf = (payload: object | string, format?: HookFormat): unknown => {
    const found = read(payload, format);
    return typeof found === "object" ? (found as { readonly succeeded?: unknown }).succeeded : found;
  };
  const unnamed = "it is the end of a call, and `--format` does not name its host";
  for (const [what, format, payload, succeeded] of ENDS) {
    same(what, succeededOf(payload, format), succeeded);
    const others = format === "ended" ? undefined : unnamed;
    same(`${what}, of an unsaid host`, succeededOf(payload), others);
    if (format !== "ended") same(`${what}, ended`, typeof read(payload, "ended"), "string");
  }
  for (const succeeded of ["true", 1, null, undefined])
    same(`${succeeded}`, read({ tool: "t", succeeded }, "ended"), "`succeeded` is true or false");
  const post = { ...PRE, hook_event_name: "PostToolUse" };
  for (const format of ["claude-code", "codex", "copilot"] as const)
    same(`${format}, unsaid`, read(post, format), {
      ...{ host: format, event: "PostToolUse", name: "t", args: { a: 1 }, succeeded: false },
    });
  const big = (members: string, format: HookFormat): unknown =>
    typeof read(`{"hook_event_name":"PostToolUse","tool_name":"t",${members}}`, format);
  for (const [members, wanted] of [
    ['"tool_response":[{"a":1e400}],"tool_input":{}', "object"],
    ['"tool_result":{"a":[9007199254740993]},"tool_input":{}', "object"],
    ['"tool_response":1,"tool_input":{"a":1e400}', "string"],
    ['"tool_response":1,"tool_input":{"tool_response":1e400}', "string"],
  ] as const)
    same(members, big(members, "codex"), wanted);
  same("a text", typeof read({ toolName: "t", toolArgs: '{"tool_response":1e400}' }, "copilot"), "string");
  same("an end of no host", succeededOf(post), undefined);
  for (const member of ["postToolUse", "toolResult"]) same(member, succeededOf({ tool: "t", [member]: {} }), undefined);
  for (const format of ["claude-code", "codex", "copilot"] as const)
    same(`${format} before`, succeededOf({ ...PRE, succeeded: true, tool_response: [] }, format), undefined);
  const { preToolUse: use, ...others } = CLINE;
  same("Cline, unsaid", read({ ...others, postToolUse: use }, "cline"), {
    ...{ host: "cline", event: "PreToolUse", name: "t", args: { a: 1 }, session: "k", succeeded: false },
  });
  const told = { ...others, postToolUse: { toolName: "t" }, tool_result: { name: "u" } };
  same("Cline, two tools", read(told, "cline"), "`tool_call` and `preToolUse` name two tools");
  same("Cline, twice", read({ ...CLINE, postToolUse: use }), "it has both `preToolUse` and `postToolUse`");
}

/** Gemini CLI's names of servers' tools. */
function serversOfGemini(): void {
  const twofold = "a server of another name may have a tool of this name: name servers without `_` and blanks";
  const asked = (tool_name: string, mcp_context: unknown, hook_event_name = "BeforeTool"): unknown => {
    const found = read({ hook_event_name, tool_name, tool_input: {}, mcp_context });
    return typeof found === "string" ? found : (found as { readonly name: unknown }).name;
  };
  for (const [name, context, expected] of [
    ["mcp_pay_out", { server_name: "pay" }, "mcp_pay_out"],
    ["read_file", undefined, "read_file"],
    ["read_file", null, "read_file"],
    ["mcp_pay_out", { server_name: "pay_out" }, twofold],
    ["mcp_pay_out_a", { server_name: "pay_out" }, twofold],
    ["mcp_pay_out", { server_name: "out" }, twofold],
    ["a_mcp_pay_", { server_name: "pay" }, twofold],
    ["mcp_pay_out", { server_name: 7 }, twofold],
    ["mcp_pay_out", {}, twofold],
    ["mcp_pay_out", "pay", twofold],
    ["mcp_undefined_a", "pay", twofold],
    ["mcp_7_a", { server_name: 7 }, twofold],
  ] as const)
    same(`${name} ${JSON.stringify(context)}`, asked(name, context), expected);
  same("of another host", asked("mcp_pay_out", { server_name: "x_y" }, "PreToolUse"), "mcp_pay_out");
  same(
    "malformed before it",
    read({ hook_event_name: "BeforeTool", mcp_context: {} }),
    "`tool_name` is the name of a tool",
  );
}

function names(): void {
  const call = (name: unknown, args: unknown): object => ({ host: "generic", event: "PreToolUse", name, args });
  const nameless = "`tool` is the name of a tool";
  for (const [payload, expected] of [
    [{ tool: "t", args: 1 }, call("t", 1)],
    [{ tool_name: "t", tool_input: null }, call("t", null)],
    [{ tool: "t", tool_input: [2] }, call("t", [2])],
    [{ tool: "t" }, call("t", undefined)],
    [{ tool: "t", tool_name: "t" }, "it has both `tool` and `tool_name`"],
    [{ tool: "t", args: 1, tool_input: 1 }, "it has both `args` and `tool_input`"],
    [{ tool: "t", toolName: "t" }, "it has both `tool` and `toolName`"],
    [{ tool: "t", toolInput: 1, toolArgs: 1 }, "it has both `toolInput` and `toolArgs`"],
    [{ tool: "t", Tool: "t" }, 'it has both `tool` and "Tool"'],
    [{ tool: "t", a_b: 1, "a-B": 1 }, 'it has both `a_b` and "a-B"'],
    [{ tool: "t", agentType: "a" }, '"agentType" is not how a host names a sub-agent'],
    [{ tool: "t", "agent-id": "a" }, '"agent-id" is not how a host names a sub-agent'],
    [{ tool: "t", agentType: null, other: "a" }, call("t", undefined)],
    [{ tool: "" }, nameless],
    [{ tool: 7 }, nameless],
    [{ tool: null }, nameless],
    [{}, nameless],
    [{ args: {} }, nameless],
    [{ tool: "t".repeat(256) }, call("t".repeat(256), undefined)],
    [{ tool: "t".repeat(257) }, "the tool's name has more than 256 characters"],
  ] as const)
    same(JSON.stringify(payload), read(payload), expected);
  for (const format of ["claude-code", "codex", "gemini", "copilot"] as const) {
    const event = format === "gemini" ? "BeforeTool" : "PreToolUse";
    same(`${format} without a name`, read({ hook_event_name: event }, format), "`tool_name` is the name of a tool");
  }
}

function cline(): void {
  const call = (args: unknown): object => ({ host: "cline", event: "PreToolUse", name: "t", args, session: "k" });
  for (const format of ["auto", "cline"] as const)
    for (const [payload, expected] of [
      [CLINE, call({ a: 1 })],
      [{ ...CLINE, preToolUse: { tool: "t" } }, call(undefined)],
      [{ ...CLINE, preToolUse: { tool: "t", toolName: "t" } }, "it has both `toolName` and `tool`"],
      [{ ...CLINE, tool_call: { name: "t", input: { a: 2 } } }, call({ a: 2 })],
      [{ ...CLINE, tool_call: { name: "t" } }, call(undefined)],
      [{ ...CLINE, tool_call: null }, call({ a: 1 })],
      [{ ...CLINE, tool_call: { name: "u", input: {} } }, "`tool_call` and `preToolUse` name two tools"],
      [{ ...CLINE, tool_call: {} }, "`tool_call` and `preToolUse` name two tools"],
      ...[[], "t", 7, false].map(
        (tool_call) => [{ ...CLINE, tool_call }, "`tool_call` and `preToolUse` name two tools"] as const,
      ),
      ...[[], "t", 7, null].map((preToolUse) => [{ ...CLINE, preToolUse }, "`preToolUse` is not an object"] as const),
      [{ ...CLINE, preToolUse: {} }, "`preToolUse.toolName` is the name of a tool"],
      [{ ...CLINE, preToolUse: {}, tool_call: { name: undefined } }, "`tool_call.name` is the name of a tool"],
    ] as const)
      same(JSON.stringify(payload), read(payload, format), expected);
}

function texts(): void {
  const own = (toolArgs: unknown): object => ({ sessionId: "s", toolName: "t", toolArgs });
  const call = (args: unknown): object => ({ host: "copilot", event: "PreToolUse", name: "t", args, session: "s" });
  for (const [args, expected] of [
    ['{"a":{"b":[1]}}', call({ a: { b: [1] } })],
    ["{}", call({})],
    [{ a: 1 }, call({ a: 1 })],
    [null, call(null)],
    [undefined, call(undefined)],
    ["[]", "it is no object"],
    ['"a"', "it is no object"],
    ['{"a":1e400}', "not every reader reads the number 1e400 alike"],
  ] as const)
    same(JSON.stringify(args), read(own(args)), expected);
  for (const text of ["", "x", '{"a":1,"a":1}'])
    same(text, String(read(own(text))).startsWith("standard input is not JSON as it should be: "), true);
  same("a text of a host that sends none", read({ tool: "t", args: '{"a":1}' }), {
    host: "generic",
    event: "PreToolUse",
    name: "t",
    args: '{"a":1}',
  });
  same("a nameless one", read({ sessionId: "s", toolName: "", toolArgs: "{}" }), "`toolName` is the name of a tool");
}

function folders(): void {
  const cwdOf = (payload: object, format: HookFormat = "auto"): unknown => {
    const found = read(payload, format);
    return typeof found === "object" ? (found as { readonly cwd?: unknown }).cwd : found;
  };
  const odd = "`cwd` is not the absolute path of a folder";
  for (const format of ["claude-code", "codex", "copilot"] as const)
    for (const [cwd, expected] of [
      ["/a b", "/a b"],
      ["/", "/"],
      [null, undefined],
      [undefined, undefined],
      ...["a", "", ".", 7, {}, false].map((one) => [one, odd] as const),
    ] as const)
      same(`${format} in ${cwd}`, cwdOf({ ...PRE, cwd }, format), expected);
  for (const cwd of ["/a", "a", 7]) same(`generic in ${cwd}`, cwdOf({ tool: "t", cwd }), undefined);
  same("Cline", cwdOf({ ...CLINE, cwd: "/c" }), "/c");
}

function agents(): void {
  const agentOf = (more: object, payload: object = PRE): unknown => {
    const found = read({ ...payload, ...more });
    return typeof found === "object" ? ((found as { readonly agent?: unknown }).agent ?? "none") : found;
  };
  const [noType, noId] = ["`agent_type` is not the type of a sub-agent", "`agent_id` is not the id of a sub-agent"];
  const long = "a".repeat(256);
  for (const [more, expected, ofCline = expected] of [
    [{}, "none"],
    [{ agent_type: null, agent_id: null }, "none"],
    [{ agent_type: "r" }, { type: "r" }],
    [{ agent_type: "r", agent_id: null }, { type: "r" }],
    [
      { agent_type: "r", agent_id: "1" },
      { type: "r", id: "1" },
    ],
    [
      { agent_type: long, agent_id: long },
      { type: long, id: long },
    ],
    ...["", " \n", 7, {}, `${long}a`].map((agent_type) => [{ agent_type }, noType] as const),
    ...[7, {}, `${long}a`].map((agent_id) => [{ agent_type: "r", agent_id }, noId] as const),
    [{ agent_id: "1" }, noType, "none"],
    [{ agent_id: "1", parent_agent_id: null }, noType, "none"],
    [{ agent_id: "1", parent_agent_id: "0" }, noType],
    [{ parent_agent_id: "0" }, "none"],
    [
      { agent_id: "1", agent_type: "r", parent_agent_id: null },
      { type: "r", id: "1" },
    ],
  ] as readonly (readonly [object, unknown, unknown?])[]) {
    same(JSON.stringify(more), agentOf(more), expected);
    same(`Cline ${JSON.stringify(more)}`, agentOf(more, CLINE), ofCline);
  }
}

function ids(): void {
  const long = "s".repeat(256);
  const idsOf = (more: object): unknown => {
    const { session, id } = read({ tool: "t", ...more }) as { readonly session?: unknown; readonly id?: unknown };
    return [session, id];
  };
  for (const [more, expected] of [
    [{}, [undefined, undefined]],
    [{ session_id: "s" }, ["s", undefined]],
    [{ sessionId: "s" }, ["s", undefined]],
    [{ taskId: "s" }, ["s", undefined]],
    [{ session_id: "a", taskId: "c" }, ["a", undefined]],
    [{ sessionId: "b", taskId: "c" }, ["b", undefined]],
    [{ session_id: long }, [long, undefined]],
    [{ session_id: `${long}s` }, [undefined, undefined]],
    [{ session_id: 7, tool_use_id: {} }, [undefined, undefined]],
    [{ tool_use_id: "c" }, [undefined, "c"]],
    [{ tool_use_id: "c", tool_call: { id: "d" } }, [undefined, "c"]],
    [{ tool_call: { id: "d" } }, [undefined, "d"]],
    [{ session_id: "s", tool_call: { id: "d" } }, ["s", "d"]],
    [{ tool_call: ["d"] }, [undefined, undefined]],
    [{ tool_call: "d" }, [undefined, undefined]],
  ] as const)
    same(JSON.stringify(more), idsOf(more), expected);
  const members = (call: object): string[] => Object.keys(JSON.parse(JSON.stringify(read(call))) as object);
  same("absent members", members({ tool: "t" }), ["host", "event", "name"]);
  same("no id", members({ tool: "t", taskId: "s" }), ["host", "event", "name", "session"]);
}

function odd(): void {
  for (const text of ["null", "[]", "7", '"t"', "true"]) same(text, read(text), "it is no object");
  for (const text of ["", "{", "t", '{"tool":"t"}x', '{"tool":"t","tool":"t"}', '{"tool":"t","args":{"a":1,"a":2}}'])
    same(text, String(read(text)).startsWith("standard input is not JSON as it should be: "), true);
  for (const number of ["9007199254740993", "1e400"])
    same(number, read(`{"tool":"t","args":[${number}]}`), `not every reader reads the number ${number} alike`);
}

/** A payload has a value more than brackets and commas. */
function values(): void {
  const said = (text: string): string => {
    const found = read(text);
    if (typeof found === "object") return "a call";
    return found === "standard input has more than 100000 values" ? "too many" : String(found);
  };
  const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item).join()}]`;
  for (const [args, expected] of [
    [list("0", 99_998), "a call"],
    [list("0", 99_999), "too many"],
    [list("{}", 49_999), "a call"],
    [list("{}", 50_000), "too many"],
    [list("[]", 49_999), "a call"],
    [list("[]", 50_000), "too many"],
    [JSON.stringify('[{,"\\'.repeat(40_000)), "a call"],
    [`["\\\\",${list("0", 99_998)}]`, "too many"],
    [`["\\"",${list("0", 99_998)}]`, "too many"],
  ] as const)
    same(args.slice(0, 20), said(`{"tool":"t","args":${args}}`), expected);
}
