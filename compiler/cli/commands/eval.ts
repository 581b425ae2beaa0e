/** `portcullis eval BUNDLE|DIR ENTRYPOINT --input FILE|-`: one decision, as an embedding service would get it. */

import { readFileSync, statSync } from "node:fs";
import { LoadError, load, type Policy } from "@portcullis/runtime";
import type { Command } from "commander";
import { Option } from "commander";
import { compile } from "../../pipeline.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, fileProblem } from "../exit.ts";
import type { Context } from "../main.ts";
import { nodeHost } from "../node-host.ts";
import { reportDiagnostics } from "../report.ts";
import type { Terminal } from "../terminal.ts";
import { VERSION } from "../version.ts";

interface EvalFlags {
  readonly input?: string;
  readonly data?: string;
  readonly format: "human" | "json";
  readonly fail: boolean;
}

export function registerEval(root: Command, context: Context): void {
  root
    .command("eval")
    .description("decide once: evaluate an entrypoint of a bundle (or of a folder of sources) with an input")
    .argument("<bundle>", "bundle.tar.gz, policy.wasm, or a folder of sources, which is compiled first")
    .argument("<entrypoint>", "as `pkg/rule`, e.g. portcullis/tool/decision")
    .option("-i, --input <file>", "file with the input as JSON, or - for standard input (default: no input)")
    .option("-d, --data <file>", "file with host data as JSON, for what lies outside the bundle's roots")
    .option("--fail", "exit 1 when the result is undefined, false, or a decision that denies", false)
    .addOption(
      new Option("--format <format>", "human: the result alone; json: result, revision and time")
        .choices(["human", "json"])
        .default("human"),
    )
    .addHelpText(
      "after",
      `
Examples:
  echo '{"role":"WRITER","lane":"DRAFTING","tool":"draft.create"}' | portcullis eval out/bundle.tar.gz portcullis/tool/decision -i -
  portcullis eval policies portcullis/lane/decision -i request.json --fail

Exit codes: 0 evaluated; 1 findings in the sources, or a denial with --fail; 2 wrong usage, unreadable files, a refused bundle.`,
    )
    .action(async (bundle: string, entrypoint: string, flags: EvalFlags) => {
      const input =
        flags.input === undefined ? undefined : parseJson(await readInput(context.terminal, flags.input), flags.input);
      const data = flags.data === undefined ? undefined : parseJson(readFile(flags.data), flags.data);
      const policy = await loadPolicy(context.terminal, bundle, entrypoint);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      if (!policy.entrypoints.includes(entrypoint)) {
        throw new CliError(
          `no entrypoint \`${entrypoint}\` in \`${bundle}\``,
          EXIT_USAGE,
          `it has ${policy.entrypoints.map((e) => `\`${e}\``).join(", ")}`,
        );
      }
      if (data !== undefined) policy.setData(data);
      const started = performance.now();
      const result = policy.evaluate(entrypoint, input);
      const microseconds = Math.round((performance.now() - started) * 1000);
      const fault = policy.lastFault;
      if (flags.format === "json") {
        const report = {
          entrypoint,
          revision: policy.revision,
          defined: result !== undefined,
          result,
          microseconds,
          ...(fault ? { fault } : {}),
        };
        context.terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        context.terminal.out(result === undefined ? "undefined\n" : `${JSON.stringify(result, null, 2)}\n`);
        if (fault !== undefined) context.terminal.err(`fault: ${fault.code}: ${fault.message}\n`);
      }
      context.finish(flags.fail && denies(result) ? EXIT_FINDINGS : EXIT_OK);
    });
}

/** Loads a bundle or a module, or compiles a folder in memory. `undefined`: the folder has findings, and they are printed. */
export async function loadPolicy(terminal: Terminal, path: string, entrypoint?: string): Promise<Policy | undefined> {
  let bytes: Uint8Array;
  if (isFolder(path)) {
    const { compiled, diagnostics } = await compile({
      host: nodeHost,
      dirs: [path],
      entrypoints: [],
      ...(entrypoint === undefined ? {} : { ensure: [entrypoint] }),
    });
    if (compiled === undefined) {
      reportDiagnostics(terminal, diagnostics, "human", VERSION);
      return undefined;
    }
    bytes = compiled.bundle;
  } else {
    bytes = readFile(path);
  }
  try {
    return await load(bytes);
  } catch (error) {
    if (error instanceof LoadError)
      throw new CliError(
        `\`${path}\` was refused: ${error.message}`,
        EXIT_USAGE,
        `code ${error.code}; build it again, or fetch it again`,
      );
    throw error;
  }
}

function denies(result: unknown): boolean {
  if (typeof result === "object" && result !== null && "allowed" in result) return result.allowed !== true;
  return result === undefined || result === false;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}

export function readFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}

async function readInput(terminal: Terminal, path: string): Promise<Uint8Array> {
  return path === "-" ? terminal.readInput() : readFile(path);
}

function parseJson(bytes: Uint8Array, path: string): unknown {
  const name = path === "-" ? "standard input" : `\`${path}\``;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(`${name} is not valid UTF-8`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name} is not valid JSON: ${(error as Error).message}`);
  }
}
