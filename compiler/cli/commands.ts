/** Every command: its summary and its module, which is loaded only when the command is called. */

import type { Command } from "commander";
import type { Context } from "./context.ts";

export interface CommandEntry {
  readonly name: string;
  /** The line in `portcullis --help`. */
  readonly summary: string;
  /** The function that adds the command with its options to the program. */
  load(): Promise<(root: Command, context: Context) => void>;
}

/** Ordered by name, as the help shows them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "approve",
    summary: "approve one call of a tool, or refuse it: show it, ask, and sign",
    load: async () => (await import("./commands/approve.ts")).registerApprove,
  },
  {
    name: "audit",
    summary: "check a ledger of decisions: nothing removed, changed, added or moved",
    load: async () => (await import("./commands/audit.ts")).registerAudit,
  },
  {
    name: "bench",
    summary: "measure decisions of a bundle against a latency budget",
    load: async () => (await import("./commands/bench.ts")).registerBench,
  },
  {
    name: "build",
    summary: "compile policy sources into a bundle with WebAssembly",
    load: async () => (await import("./commands/build.ts")).registerBuild,
  },
  {
    name: "check",
    summary: "check policy sources and report every finding at once",
    load: async () => (await import("./commands/check.ts")).registerCheck,
  },
  {
    name: "completion",
    summary: "print the script that makes a shell complete commands and ids",
    load: async () => (await import("./commands/completion.ts")).registerCompletion,
  },
  {
    name: "diff",
    summary: "show which decisions changed between two policies",
    load: async () => (await import("./commands/diff.ts")).registerDiff,
  },
  {
    name: "eval",
    summary: "decide once: evaluate a query, or an entrypoint, with an input",
    load: async () => (await import("./commands/eval.ts")).registerEval,
  },
  {
    name: "exec",
    summary: "sign, check and reconcile scripts that agents run under a contract",
    load: async () => (await import("./commands/exec.ts")).registerExec,
  },
  {
    name: "explain",
    summary: "explain a decision: its gates, the values they read, the deciding rule",
    load: async () => (await import("./commands/explain.ts")).registerExplain,
  },
  {
    name: "explore",
    summary: "write an offline page that shows who may do what, and decides",
    load: async () => (await import("./commands/explore.ts")).registerExplore,
  },
  {
    name: "fmt",
    summary: "print Rego modules in canonical form",
    load: async () => (await import("./commands/fmt.ts")).registerFmt,
  },
  {
    name: "handoff",
    summary: "validate handoff records between agents",
    load: async () => (await import("./commands/handoff.ts")).registerHandoff,
  },
  {
    name: "harness",
    summary: "decide recorded tool requests, byte for byte alike on every machine",
    load: async () => (await import("./commands/harness.ts")).registerHarness,
  },
  {
    name: "history",
    summary: "show or clear what was counted for a policy's limits",
    load: async () => (await import("./commands/history.ts")).registerHistory,
  },
  {
    name: "hook",
    summary: "decide one call of a tool for an agent host, by exit code",
    load: async () => (await import("./commands/hook.ts")).registerHook,
  },
  {
    name: "import",
    summary: "draft policy files from an agent host's settings or an MCP server's tools",
    load: async () => (await import("./commands/import.ts")).registerImport,
  },
  {
    name: "init",
    summary: "write a small, complete policy folder, or an agent host's hook",
    load: async () => (await import("./commands/init.ts")).registerInit,
  },
  {
    name: "inspect",
    summary: "show the contents of a bundle or module",
    load: async () => (await import("./commands/inspect.ts")).registerInspect,
  },
  {
    name: "list",
    summary: "list what a policy grants: lanes, tools, delegates, starts",
    load: async () => (await import("./commands/list.ts")).registerList,
  },
  {
    name: "lsp",
    summary: "serve editors: findings, hover, completion, rename as a language server",
    load: async () => (await import("./commands/lsp.ts")).registerLsp,
  },
  {
    name: "mcp",
    summary: "stand in front of an MCP server, and decide each call of a tool",
    load: async () => (await import("./commands/mcp.ts")).registerMcp,
  },
  {
    name: "prove",
    summary: "prove that a policy denies by default, and claims of your own",
    load: async () => (await import("./commands/prove.ts")).registerProve,
  },
  {
    name: "replay",
    summary: "decide a log's events again with another policy: what would have changed",
    load: async () => (await import("./commands/replay.ts")).registerReplay,
  },
  {
    name: "schema",
    summary: "print the JSON Schema of a file format, for editors",
    load: async () => (await import("./commands/schema.ts")).registerSchema,
  },
  {
    name: "serve",
    summary: "decide over HTTP: OPA's data API and AuthZEN's evaluation and search APIs",
    load: async () => (await import("./commands/serve.ts")).registerServe,
  },
  {
    name: "sign",
    summary: "sign a bundle, as OPA does",
    load: async () => (await import("./commands/sign.ts")).registerSign,
  },
  {
    name: "test",
    summary: "run decision tests and Rego test_ rules",
    load: async () => (await import("./commands/test.ts")).registerTest,
  },
  {
    name: "types",
    summary: "write TypeScript types of a policy set's ids",
    load: async () => (await import("./commands/types.ts")).registerTypes,
  },
  {
    name: "verify",
    summary: "check a bundle's signature and every file under it",
    load: async () => (await import("./commands/verify.ts")).registerVerify,
  },
];
