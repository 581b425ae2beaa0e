/** What only the Claude Agent SDK has: tools of its own program, permission modes, other hooks, sub-agents. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ClaudeOptions, guardSession } from "@portcullis/agents/claude";
import { type CallContext, type CallRecord, type HistoryStore, memoryHistory, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeFolder, temporaryFolder } from "../cli/terminal.ts";
import { claudeAgent, resultsOf } from "./claude.ts";
import { versionOf } from "./folder.ts";
import { policy as newsroom, READER_DESK, WRITER } from "./newsroom.ts";

const isThere = versionOf(claudeAgent) !== undefined;
if (!isThere) process.stderr.write(`SKIPPED: ${claudeAgent.name} is not installed; \`make agents\` installs it\n`);

describe.runIf(isThere)("a session of the Claude Agent SDK", () => {
  let policy: Policy;
  let folder = "";
  let files = 0;
  beforeAll(async () => {
    policy = await newsroom();
    folder = temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  /** A call of Claude's own shell that makes a file. */
  const touch = (): { readonly path: string; readonly call: { readonly name: string; readonly input: object } } => {
    const path = join(folder, `made-${files++}`);
    return { path, call: { name: "Bash", input: { command: `touch ${path}`, description: "makes a file" } } };
  };

  it.each(["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"])(
    "does not run what is denied, in mode %s",
    async (permissionMode) => {
      const { path, call } = touch();
      const guard = guardSession(policy, WRITER);
      const told = await resultsOf([call], guard, { permissionMode, allowedTools: ["Bash"] });
      expect(told).toMatchObject([{ isError: true, text: expect.stringContaining("CAPABILITY, tool_not_delegable") }]);
      expect(existsSync(path)).toBe(false);
    },
  );

  it("runs what is allowed, and learns that it has succeeded", async () => {
    const [first, second] = [touch(), touch()];
    const history = memoryHistory();
    // One tool of Claude's stands for the letter that is read, another one for the answer.
    const read = guardSession(policy, READER_DESK, { history, tools: { Bash: "mailbox.read" } });
    const reply = guardSession(policy, READER_DESK, { history, tools: { Bash: "mailbox.reply" } });
    expect(await resultsOf([second.call], reply, {})).toMatchObject([
      { isError: true, text: expect.stringContaining("limit_") },
    ]);
    expect(await resultsOf([first.call], read, {})).toMatchObject([{ isError: false }]);
    expect([existsSync(first.path), existsSync(second.path)]).toEqual([true, false]);
  });

  it("takes no success of a command that runs on in the background", async () => {
    const store = memoryHistory();
    const said: string[] = [];
    const history: HistoryStore = {
      async reserve(request) {
        const reserved = await store.reserve(request);
        return { ...reserved, commit: () => void said.push("commit") };
      },
    };
    const guard = guardSession(policy, READER_DESK, { history, tools: { Bash: "mailbox.read" } });
    const [begun, ended] = [touch(), touch()];
    const input = { ...begun.call.input, run_in_background: true };
    expect(await resultsOf([{ ...begun.call, input }], guard, {})).toMatchObject([
      { isError: false, text: expect.stringContaining("background") },
    ]);
    expect(said).toEqual([]);
    expect(await resultsOf([ended.call], guard, {})).toMatchObject([{ isError: false }]);
    expect(said).toEqual(["commit"]);
  });

  it("runs the arguments that were decided on, whatever an earlier hook has written", async () => {
    const [given, other] = [touch(), touch()];
    const guard = guardSession(policy, WRITER, { tools: { Bash: "draft.create" } });
    const rewrites = async (): Promise<object> => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: other.call.input },
    });
    const hooks = { ...guard.hooks, PreToolUse: [{ hooks: [rewrites] }, ...guard.hooks.PreToolUse] };
    await resultsOf([given.call], { hooks } as never, {});
    expect([existsSync(given.path), existsSync(other.path)]).toEqual([true, false]);
  });

  it("blocks what cannot be asked about", async () => {
    const { path, call } = touch();
    const { hooks } = guardSession(policy, WRITER, { tools: { Bash: "draft.create" } });
    const [own] = hooks.PreToolUse;
    const broken = { ...hooks, PreToolUse: [{ ...own, hooks: [async () => own?.hooks[0]?.("no call")] }] };
    expect(await resultsOf([call], { hooks: broken } as never, {})).toMatchObject([{ isError: true }]);
    expect(existsSync(path)).toBe(false);
  });

  it("decides for a sub-agent by its own chain", async () => {
    const [parent, child] = [touch(), touch()];
    const records: CallRecord[] = [];
    const governance = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.ortiz" };
    const options: ClaudeOptions<never> = {
      tools: { Bash: "draft.create", Agent: "draft.create" },
      delegation: { governance, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" } },
      record: (record) => records.push(record),
    };
    const mark = "You are the sub-agent of a scripted run.";
    const agents = { copy_editor: { description: "edits", prompt: mark } };
    const start = { name: "Agent", input: { subagent_type: "copy_editor", prompt: "go", description: "a task" } };
    await resultsOf(
      [parent.call, start, { ...child.call, by: mark }],
      guardSession(policy, WRITER as CallContext, options),
      { agents },
    );
    expect([existsSync(parent.path), existsSync(child.path)]).toEqual([true, false]);
    expect(records.map(({ lineage, gate }) => [lineage?.at(-1), gate])).toEqual([
      ["news_desk", "ALLOW"],
      ["news_desk", "ALLOW"],
      ["copy_editor", "CAPABILITY"],
    ]);
  });

  it("starts no sub-agent without an approval", async () => {
    const { path, call } = touch();
    const records: CallRecord[] = [];
    const mark = "You are the sub-agent without an approval.";
    const agents = { copy_editor: { description: "edits", prompt: mark } };
    const start = { name: "Agent", input: { subagent_type: "copy_editor", prompt: "go", description: "a task" } };
    const options: ClaudeOptions<never> = {
      tools: { Bash: "draft.create", Agent: "draft.create" },
      record: (record) => records.push(record),
    };
    await resultsOf([start, { ...call, by: mark }], guardSession(policy, WRITER as CallContext, options), { agents });
    expect(existsSync(path)).toBe(false);
    expect(records.map(({ gate }) => gate)).toEqual(["INTERNAL_ERROR"]);
  });
});
