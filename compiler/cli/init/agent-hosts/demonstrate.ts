/** A denial and an allow of a configured hook: its own command is run, with what the host sends. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { answerHook } from "@portcullis/enforcement/gateway";
import { openBundle, policyNames } from "@portcullis/governance/review";
import { memoryHistory } from "@portcullis/runtime";
import { readCaller } from "../../caller-options.ts";
import { readBytes } from "../../commands/read.ts";
import { orFail } from "../../exit.ts";
import { loadOptions } from "../../hook/bundle.ts";
import { readHookFlags } from "../../hook/options.ts";
import { loadWithBuiltins } from "../../policy/load-policy.ts";
import type { AgentHost, Hook } from "./agent-host.ts";
import { commandLine } from "./command.ts";
import { sampleArguments } from "./sample-arguments.ts";

export interface TriedCall {
  readonly tool: string;
  readonly args: object;
}

export interface Shown {
  readonly verdict: "allow" | "deny" | "broken";
  readonly tool: string;
  /** What the host would show: a reason, or what is wrong. */
  readonly message: string;
}

/** No registry has a tool of this name. */
const UNKNOWN = "portcullis: no such tool";

/** A denial, and an allow if there is a call that is allowed. */
export async function demonstrate(host: AgentHost, file: string, hook: Hook, given?: TriedCall): Promise<Shown[]> {
  const allowed = await allowedCall(host, hook, given);
  const calls = [{ tool: UNKNOWN, args: {} }, ...(allowed === undefined ? [] : [allowed])];
  return calls.map((call) => runOnce(host, file, hook, call));
}

/** The first call that the policy allows: the one that is given, or one with arguments that a tool's declaration names, and those of the scope. */
async function allowedCall(host: AgentHost, hook: Hook, given: TriedCall | undefined): Promise<TriedCall | undefined> {
  const flags = readHookFlags(hook.command.words);
  const opened = orFail(await openBundle(flags.policy, readBytes(flags.policy), loadOptions(flags), loadWithBuiltins));
  const { caller, tools } = await readCaller(flags);
  const registered = policyNames(opened)?.tools;
  const calls = [...tools.keys(), ...(registered?.keys() ?? [])].map((tool) => {
    const { scope = [], tool: id = tool } = tools.get(tool) ?? {};
    const declared = registered?.get(id)?.said?.arguments;
    const scoped = [...scope].map(([key, argument]) => [argument, caller.scope[key]]);
    return { tool, args: { ...sampleArguments(declared, caller.role, flags.root), ...Object.fromEntries(scoped) } };
  });
  for (const call of given === undefined ? calls : [given]) {
    // As the first call of all: the hook itself is asked afterwards, with the history that it has.
    const history = memoryHistory();
    const asking = { policy: opened.policy, caller, tools, root: flags.root, history, record: () => {} };
    const text = JSON.stringify(host.payload(call.tool, call.args));
    if ((await answerHook(text, asking, { format: host.id, ask: false })).verdict === "allow") return call;
  }
  return undefined;
}

/** As a host runs it: somewhere else, and with nothing of ours in the environment. */
function runOnce(host: AgentHost, file: string, hook: Hook, { tool, args }: TriedCall): Shown {
  const input = JSON.stringify(host.payload(tool, args));
  const options = { cwd: tmpdir(), encoding: "utf8", input, env: { PATH: "/usr/bin:/bin" } } as const;
  const { status, stdout, stderr } =
    host.id === "opencode"
      ? spawnSync(hook.command.node, ["--input-type=module", "-e", asPlugin(file, tool, args)], options)
      : spawnSync("/bin/sh", ["-c", commandLine(hook.command)], options);
  if (status === 0 && stdout === "") return { verdict: "allow", tool, message: "" };
  const message = stderr.trim();
  if (status === 2 && (host.id === "opencode" || isDenial(stdout))) return { verdict: "deny", tool, message };
  return { verdict: "broken", tool, message: `it ended with ${status}: ${message || stdout}` };
}

function asPlugin(file: string, tool: string, args: object): string {
  const [input, output] = [{ tool, sessionID: "init", callID: "init" }, { args }].map((value) => JSON.stringify(value));
  // By its text: what kind of module a file is, its folder says.
  const source = `data:text/javascript,${encodeURIComponent(readFileSync(file, "utf8"))}`;
  return `const { Portcullis } = await import(${JSON.stringify(source)});
const hooks = await Portcullis();
await hooks["tool.execute.before"](${input}, ${output}).catch((error) => {
  process.stderr.write(error.message);
  process.exitCode = 2;
});`;
}

function isDenial(stdout: string): boolean {
  try {
    const { decision, cancel } = JSON.parse(stdout) as { readonly decision?: unknown; readonly cancel?: unknown };
    return decision === "block" && cancel === true;
  } catch {
    return false;
  }
}
