/** `portcullis hook`: an answer for every input, and no input but a call that the policy allows ends with 0. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import type { Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answerHook,
  type Caller,
  type HookOptions,
  NO_TOOLS,
  type ToolMap,
  Verdicts,
} from "../../compiler/gateway/index.ts";
import { removeFolder, temporaryFolder, write } from "../cli/terminal.ts";
import { root } from "../pages/page.ts";
import { examplePolicy, writer } from "./session.ts";

const bin = join(root, "compiler/bin/portcullis.js");
const bundle = join(root, "generated/bundle.tar.gz");
const built = existsSync(join(root, "compiler/dist/bin/main.js"));
let policy: Policy;
let folder = "";
beforeAll(async () => {
  policy = await examplePolicy();
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const answer = (
  input: unknown,
  options: Partial<HookOptions> = {},
  caller: Caller = writer,
  tools: ToolMap = NO_TOOLS,
  record: () => void = () => {},
) =>
  answerHook(typeof input === "string" ? input : JSON.stringify(input), new Verdicts(policy, caller, tools, record), {
    format: "generic",
    ask: false,
    ...options,
  });
const use = (tool_name: unknown, tool_input: unknown = {}) => ({
  ...{ session_id: "s", cwd: "/", hook_event_name: "PreToolUse" },
  ...{ tool_name, tool_input },
});
const releasing: Caller = {
  ...{ role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", flags: [] },
  scope: { contributor_id: "c-9", run_id: "r-7" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};
const claude = { format: "claude-code" } as const;

describe("an answer", () => {
  it("of the generic format is the decision", async () => {
    expect(await answer({ tool: "draft.create", args: { a: 1 } })).toEqual({
      ...{ verdict: "allow", message: "" },
      output: { allowed: true, gate: "ALLOW", reason: "call_allowed" },
    });
    expect(await answer({ tool: "payout.release" })).toEqual({
      verdict: "deny",
      output: { allowed: false, gate: "LANE_TOOL", reason: "tool_not_allowed_in_lane" },
      message: 'The policy denies "payout.release": LANE_TOOL, tool_not_allowed_in_lane',
    });
  });

  it("of claude-code says deny with the reason, and leaves an allow to the host's own questions", async () => {
    const tools: ToolMap = new Map([["Write", { tool: "draft.create", scope: new Map(), flags: [], writes: [] }]]);
    const allowed = await answer(use("Write", { file_path: "a" }), claude, writer, tools);
    expect(allowed).toMatchObject({ verdict: "allow", output: { suppressOutput: true } });
    expect(JSON.stringify(allowed.output)).not.toContain("permissionDecision");
    expect(await answer(use("Bash", { command: "ls" }), claude, writer, tools)).toMatchObject({
      verdict: "deny",
      output: {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: 'The policy denies "Bash": TOOL, tool_not_registered',
        },
      },
    });
  });

  it("asks a person only when it is told to, and only for an approval", async () => {
    const release = use("pay", { cents: 120_000 });
    const scope = new Map([["amount_cents", "cents"]]);
    const tools: ToolMap = new Map([["pay", { tool: "payout.release", scope, flags: [], writes: [] }]]);
    expect(await answer(release, claude, releasing, tools)).toMatchObject({ verdict: "deny" });
    expect(await answer(release, { ...claude, ask: true }, releasing, tools)).toMatchObject({
      verdict: "ask",
      output: { hookSpecificOutput: { permissionDecision: "ask" } },
    });
    expect(await answer(use("shell.run"), { ...claude, ask: true }, releasing)).toMatchObject({ verdict: "deny" });
    const generic = await answer({ tool: "pay", args: { cents: 1 } }, { ask: true }, releasing, tools);
    expect(generic).toMatchObject({ verdict: "deny", output: { approval: "required" } });
  });

  it("is a denial where the decision cannot be recorded", async () => {
    const full = (): never => {
      throw new Error("disk full");
    };
    expect(await answer({ tool: "draft.create" }, {}, writer, NO_TOOLS, full)).toMatchObject({
      verdict: "deny",
      output: { allowed: false, gate: "INTERNAL_ERROR", problem: "disk full" },
    });
  });

  it.each<[string, unknown, "generic" | "claude-code"]>([
    ["nothing", "", "generic"],
    ["no JSON", "draft.create", "generic"],
    ["more than JSON", '{"tool":"draft.create"} x', "generic"],
    ["two members of one name", '{"tool":"draft.create","tool":"draft.create"}', "generic"],
    ["two members of one name, deep", '{"tool":"draft.create","args":{"a":{"b":1,"b":2}}}', "generic"],
    ["a number that a double rounds", '{"tool":"draft.create","args":{"a":[9007199254740993]}}', "generic"],
    ["a fraction that a double rounds", '{"tool":"draft.create","args":{"a":1.00000000000000000001}}', "generic"],
    ["a number that no double is near", '{"tool":"draft.create","args":{"a":1e400}}', "generic"],
    ["a number that a double takes for 0", '{"tool":"draft.create","args":{"a":1e-400}}', "generic"],
    ["a list", [{ tool: "draft.create" }], "generic"],
    ["a text", '"draft.create"', "generic"],
    ["null", "null", "generic"],
    ["no tool", { args: {} }, "generic"],
    ["a tool that is no text", { tool: ["draft.create"] }, "generic"],
    ["an empty tool", { tool: "" }, "generic"],
    ["a member without meaning", { tool: "draft.create", role: "MANAGING_EDITOR" }, "generic"],
    ["a member of an object's own", '{"tool":"draft.create","__proto__":{}}', "generic"],
    ["the other format", { tool: "draft.create" }, "claude-code"],
    ["the other format, turned around", use("draft.create"), "generic"],
    ["another event", { ...use("draft.create"), hook_event_name: "PostToolUse" }, "claude-code"],
    ["no event", { tool_name: "draft.create", tool_input: {} }, "claude-code"],
    ["no tool's name", use(undefined), "claude-code"],
  ])("is a denial for %s", async (_, input, format) => {
    const { verdict, output, message } = await answer(input, { format, ask: true });
    expect(verdict).toBe("deny");
    expect(message).toMatch(/^The call cannot be decided, so it is denied: standard input /);
    expect(JSON.stringify(output)).toContain(format === "generic" ? '"allowed":false' : '"permissionDecision":"deny"');
  });

  it("is no allow for any other value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.constantFrom("generic", "claude-code"), async (text, format) => {
        expect((await answer(text, { format: format as "generic", ask: true })).verdict).toBe("deny");
      }),
      { numRuns: 300 },
    );
  });
});

describe.skipIf(!built)("the process", () => {
  const caller = ["--policy", bundle, "--role", "WRITER", "--lane", "DRAFTING", "--lineage", "publisher"];
  const scoped = [...caller, "--scope", "story_id=s-1", "--scope", "run_id=r-1"];
  const hook = (args: readonly string[], input: string | Buffer, node: readonly string[] = []) =>
    spawnSync(process.execPath, [...node, bin, "hook", ...args], { encoding: "utf8", input, timeout: 60_000 });
  const call = '{"tool":"draft.create","args":{}}';

  it("ends with 0 for an allow, and with 2 and a reason for a denial", () => {
    const log = join(folder, "log.ndjson");
    const allowed = hook([...scoped, "--decision-log", log], call);
    expect(allowed).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(allowed.stdout)).toEqual({ allowed: true, gate: "ALLOW", reason: "call_allowed" });
    const denied = hook([...caller, "--decision-log", log], call);
    expect(denied).toMatchObject({ status: 2 });
    expect(denied.stderr).toBe(
      'The policy denies "draft.create": SCOPE, scope_key_missing; missing ["run_id","story_id"]\n',
    );
    expect(JSON.parse(denied.stdout)).toMatchObject({ allowed: false, missing: ["run_id", "story_id"] });
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { disposition: string }).disposition)).toEqual(["ALLOW", "DENY"]);
  });

  // A process without memory is ended by V8 with another code than 2.
  it.each([
    ["values", `{"tool":"draft.create","args":{"a":[${"0,".repeat(4_000_000)}0]}}`],
    ["members", `{"tool":"draft.create","args":{${Array.from({ length: 700_000 }, (_, i) => `"${i}":0`)}}}`],
  ])("ends with 2 for more %s than its memory holds", (_, input) => {
    const { status, stderr } = hook(scoped, input, ["--max-old-space-size=96"]);
    expect(stderr).toContain("has more than 100000 values");
    expect(status).toBe(2);
  });

  it("reads a long text of escapes in little memory", () => {
    const input = `{"tool":"draft.create","args":{"a":"${"\\n".repeat(4_000_000)}"}}`;
    expect(hook(scoped, input, ["--max-old-space-size=64"])).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(process.platform === "win32")("ends with 2 where the log takes a part of the line", () => {
    const log = join(folder, "full.ndjson");
    write(log, `${"x".repeat(1000)}\n`);
    // In POSIX, blocks of 512 bytes.
    const limited = ["-c", 'ulimit -f 2; exec "$@"', "sh", process.execPath, bin, "hook", ...scoped];
    const options = { encoding: "utf8", input: call, timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync("sh", [...limited, "--decision-log", log], options);
    expect([status, stderr]).toEqual([2, expect.stringContaining("takes no more")]);
    expect(stdout).not.toContain("true");
  });

  // The others do not say which signals a process takes.
  it.skipIf(process.platform !== "linux").each(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const)(
    "ends with 2 for %s before the call is there",
    async (signal) => {
      const child = spawn(process.execPath, [bin, "hook", ...scoped], { stdio: ["pipe", "ignore", "ignore"] });
      const ended = once(child, "exit");
      const caught = (): bigint => {
        const [, mask] = /^SigCgt:\t(\w+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
        return BigInt(`0x${mask}`);
      };
      // Node itself takes some from the start, and the command this one last.
      const bit = 1n << BigInt(constants.signals.SIGQUIT - 1);
      for (const end = Date.now() + 10_000; (caught() & bit) === 0n && Date.now() < end; )
        await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill(signal);
      expect(await ended).toEqual([2, null]);
    },
  );

  it("ends with 2 for a policy with findings", () => {
    write(join(folder, "broken/roles.yaml"), "roles: 7\n");
    expect(hook(scoped.with(1, join(folder, "broken")), call)).toMatchObject({ status: 2 });
  });

  it.each<[string, readonly string[], string | Buffer]>([
    ["no policy", scoped.with(1, "/no/such/bundle"), call],
    ["a scope that is none", [...scoped, "--scope", "x"], call],
    ["a log that cannot be written", [...scoped, "--decision-log", "/no/where"], call],
    ["an unknown option", [...scoped, "--allow"], call],
    ["no role", scoped.slice(2), call],
    ["an unknown format", [...scoped, "--format", "other"], call],
    ["no input", scoped, ""],
    ["bytes that are no text", scoped, Buffer.from([0xff, 0xfe])],
  ])("ends with 2 for %s", (_, args, input) => {
    const { status, stdout, stderr } = hook(args, input);
    expect(status).toBe(2);
    expect(stdout).not.toContain("true");
    expect(stderr).not.toBe("");
  });
});
