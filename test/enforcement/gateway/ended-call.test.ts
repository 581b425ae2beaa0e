/** What agent hosts say when a tool has ended, as their programs were heard to: what is a success, and what is not. */

import { memoryHistory } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { type HookFormat, readCall } from "../../../compiler/enforcement/gateway/asked-call.ts";
import { answerHook, type Caller, type HookHost, NO_TOOLS } from "../../../compiler/enforcement/gateway/index.ts";
import { context, policy } from "../limited-policy.ts";
import { answered, claude, cline, codex, ENDS, type Members, shell } from "./ended-payloads.ts";
import { deny, PAYLOADS } from "./hook-payloads.ts";

/** As a double it is another number. */
const BIG = "9007199254740993";

describe("the end of a call", () => {
  it.each(ENDS)("%s, as %s", (_, format, payload, succeeded) => {
    const read = readCall(JSON.stringify(payload), format);
    expect(read.ok && read.value.succeeded).toBe(succeeded);
  });

  // A script that hands on what a model has written would take the silence for an allow.
  it.each(ENDS)("%s, is not told where no host is named, but of %s", (_, format, payload) => {
    for (const other of ["auto", "generic"] as const) {
      const read = readCall(JSON.stringify(payload), other);
      expect(read.ok ? read.value.succeeded : undefined, other).toBeUndefined();
    }
    if (format !== "ended") expect(readCall(JSON.stringify(payload), "ended").ok).toBe(false);
  });

  it("has an answer with numbers of any size, and arguments without", () => {
    const text = JSON.stringify(codex("review", { content: [], isError: false, id: 7 }));
    const read = (from: string): unknown => readCall(text.replace(from, from.replace(/7|\{\}/, BIG)), "codex");
    expect(read('"id":7')).toMatchObject({ ok: true, value: { succeeded: true } });
    expect(read('"tool_input":{}')).toMatchObject({ ok: false });
    // An argument of that name is one.
    const own = JSON.stringify({ tool_response: 7 }).replace("7", BIG);
    expect(readCall(JSON.stringify({ toolName: "review", toolArgs: own }), "copilot").ok).toBe(false);
    expect(readCall(`{"tool":"review","args":{"tool_result":${BIG}}}`, "generic").ok).toBe(false);
  });

  it("is not there before a call", () => {
    for (const [format, of] of Object.entries(PAYLOADS)) {
      const read = readCall(JSON.stringify({ ...of("review"), succeeded: true }), format as HookFormat);
      expect(read.ok && read.value.succeeded).toBeUndefined();
    }
  });

  it.each<[string, Members, string]>([
    ["a call of Cline before and after", { ...PAYLOADS.cline("review"), postToolUse: { toolName: "review" } }, "both"],
    ["two tools of Cline", cline("review", answered, true, { name: "other" }), "two tools"],
    [
      "a failure, which is another event",
      { ...claude("Bash", shell), hook_event_name: "PostToolUseFailure" },
      "is not",
    ],
  ])("is not told by %s", (_, payload, problem) => {
    const format = "hook_event_name" in payload ? "claude-code" : "auto";
    const read = readCall(JSON.stringify(payload), format);
    expect(read.ok ? "" : read.problem.message).toContain(problem);
  });
});

const caller: Caller = { ...context, scope: {}, flags: [] };

/** A hook on one store: what it answers to a call, and to the end of one. */
function hooked(given: Partial<HookHost> = {}) {
  const records: unknown[] = [];
  const host = { policy, caller, tools: NO_TOOLS, record: (record: unknown) => void records.push(record), ...given };
  const told = (payload: object, format: HookFormat = "codex") =>
    answerHook(JSON.stringify(payload), { history: memoryHistory(), ...host }, { format, ask: false });
  const publish = async (): Promise<string> => (await told(PAYLOADS.codex("publish"))).verdict;
  return { told, publish, records };
}

describe("a success that is told", () => {
  it("opens what may come only after it, uses nothing up and leaves no record", async () => {
    const history = memoryHistory();
    const { told, publish, records } = hooked({ history });
    expect(await publish()).toBe("deny");
    expect(await told(codex("review", { isError: true }))).toEqual({ verdict: "allow", message: "" });
    expect(await publish()).toBe("deny");
    records.length = 0;
    for (let i = 0; i < 5; i++)
      expect(await told(codex("review", answered))).toEqual({ verdict: "allow", message: "" });
    // A tool that a limit counts, and one that no limit knows.
    for (let i = 0; i < 5; i++)
      for (const tool of ["pay", "fetch", "unknown"]) expect((await told(codex(tool, answered))).verdict).toBe("allow");
    expect(records).toEqual([]);
    expect(await publish()).toBe("allow");
    const pay = async (): Promise<string> => (await told(PAYLOADS.codex("pay", { cents: 1 }))).verdict;
    expect([await pay(), await pay(), await pay()]).toEqual(["allow", "allow", "deny"]);
    // The end of a call is no call that may not come before another.
    expect((await told(PAYLOADS.codex("mail"))).verdict).toBe("allow");
  });

  it("is said to be uncounted where no store takes it", async () => {
    for (const [history, why] of [
      [undefined, "the host keeps none"],
      [{ reserve: () => Promise.reject(new Error("gone")) }, "gone"],
      [{ reserve: () => ({}) as never }, "another form"],
    ] as const) {
      const { told, records } = hooked({ history });
      const { verdict, message, output } = await told(codex("review", answered));
      expect([verdict, output]).toEqual(["deny", deny(message, "PostToolUse")]);
      expect(message).toMatch(/^The success of "review" is not counted: the history of the call is not known: /);
      expect(message).toContain(why);
      expect(records).toEqual([]);
    }
  });

  it("of a sub-agent is its own", async () => {
    const { told } = hooked({ history: memoryHistory() });
    const { message } = await told({ ...claude("review", []), agent_id: "a", agent_type: "reader" }, "claude-code");
    expect(message).toContain("`--lineage` does not say whose it is");
  });
});
