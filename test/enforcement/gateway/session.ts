/** A client and a server with the proxy between them, in one process but for the server. */

import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { type CallRecord, type FactHost, load, type Policy, type ReloadablePolicy } from "@portcullis/runtime";
import {
  type Caller,
  LIMITS,
  type Limits,
  NO_TOOLS,
  type Pins,
  type ProxyEnd,
  runProxy,
  type ToolMap,
} from "../../../compiler/enforcement/gateway/index.ts";

export const hostile = fileURLToPath(new URL("hostile-server.mjs", import.meta.url));

/** The example's policy. */
export function examplePolicy(): Promise<Policy> {
  return load(readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url)));
}

/** May draft, and be given every tool. */
export const writer: Caller = {
  role: "WRITER",
  lane: "DRAFTING",
  scope: { story_id: "s-118", run_id: "r-7" },
  flags: [],
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};

export interface Session {
  /** What the client sends and receives, as text. */
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly records: (CallRecord & { readonly name: string })[];
  readonly lines: string[];
  readonly end: Promise<ProxyEnd>;
  signal(name: NodeJS.Signals): void;
}

export interface Given {
  readonly policy: Policy | ReloadablePolicy;
  readonly caller?: Caller;
  readonly tools?: ToolMap;
  readonly limits?: Partial<Limits>;
  readonly record?: () => void;
  readonly pins?: Pins;
  readonly facts?: FactHost;
}

export function session(server: readonly [string, ...string[]], given: Given): Session {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const records: (CallRecord & { name: string })[] = [];
  const lines: string[] = [];
  let signal: (name: NodeJS.Signals) => void = () => {};
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    signal = resolve;
  });
  const end = runProxy({
    policy: given.policy,
    caller: given.caller ?? writer,
    tools: given.tools ?? NO_TOOLS,
    pins: given.pins,
    ...(given.facts === undefined ? {} : { facts: given.facts }),
    limits: { ...LIMITS, graceMs: 10_000, ...given.limits },
    server,
    input,
    output,
    record: (record, name) => {
      given.record?.();
      records.push({ ...record, name });
    },
    log: (line) => lines.push(line),
    signalled,
  });
  return { input, output, records, lines, end, signal };
}

/** A session in front of the server that misbehaves so. */
export function against(mode: string, given: Given, file = ""): Session {
  return session([process.execPath, hostile, mode, file], given);
}

/** A real client at the session's other end. */
export async function connected(of: Session): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: {} } });
  await client.connect(new StdioServerTransport(of.output, of.input));
  return client;
}
