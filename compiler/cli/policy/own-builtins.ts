/** `--capabilities FILE` and `--builtin FILE`: which builtins may be called, and functions for those that are not OPA's. */

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Builtins,
  CapabilitiesError,
  builtins as catalogue,
  checkAbi,
  type Language,
  readCapabilities,
  readLanguage,
  withDeclared,
} from "@portcullis/rego/syntax";
import { isNative } from "@portcullis/rego/wasm";
import type { LoadOptions, PlainBuiltin } from "@portcullis/runtime";
import { collect } from "../commands/options.ts";
import { CliError, EXIT_USAGE, fileProblem } from "../exit.ts";

export interface BuiltinFlags {
  readonly capabilities?: string;
  readonly builtin: readonly string[];
  /** The target of a bundle that is built. */
  readonly target?: string;
}

export interface OwnBuiltins {
  /** For the compiler; absent where neither option was given. */
  readonly declared: { readonly builtins?: Builtins | undefined; readonly language?: Language | undefined };
  /** The names of the functions: to supply one is to allow it. */
  readonly allowed: readonly string[];
  /** For `load`: the functions of the files, and a fault for each builtin that is declared and has none. */
  readonly supplied: NonNullable<LoadOptions["builtins"]>;
}

export const CAPABILITIES_OPTION = [
  "--capabilities <file>",
  "the builtins and parts of the language that may be used, as `opa capabilities` prints them; the host supplies builtins that are not OPA's",
] as const;

const NONE: string[] = [];

export const BUILTIN_OPTION = [
  "--builtin <file>",
  "a JavaScript module that supplies builtins: its default export, by name; its export `capabilities` declares them (may be repeated)",
  collect,
  NONE,
] as const;

/** Runs the modules that `--builtin` names. Throws CliError. */
export async function readOwnBuiltins({ capabilities, builtin, target }: BuiltinFlags): Promise<OwnBuiltins> {
  if (capabilities === undefined && builtin.length === 0) return { declared: {}, allowed: [], supplied: [] };
  let builtins = catalogue();
  let language: Language | undefined;
  if (capabilities !== undefined) {
    const json = declaring(capabilities, () => JSON.parse(readFileSync(capabilities, "utf8")) as unknown);
    builtins = declaring(capabilities, () => readCapabilities(json));
    language = declaring(capabilities, () => readLanguage(json));
    if (target !== undefined && target !== "rego") declaring(capabilities, () => checkAbi(json));
  }
  const supplied = new Map<string, PlainBuiltin>();
  for (const file of builtin) {
    const module = await readModule(file);
    if (module.capabilities !== undefined)
      builtins = declaring(file, () => withDeclared(builtins, module.capabilities));
    for (const [name, call] of Object.entries(functionsOf(file, module.default))) {
      const problem = problemOf(builtins, name);
      if (problem !== undefined) throw unusable(file, `\`${name}\` ${problem}`);
      supplied.set(name, call);
    }
  }
  const without = [...builtins.keys()].filter((name) => !catalogue().has(name) && !supplied.has(name));
  return {
    declared: { builtins, language },
    allowed: [...supplied.keys()],
    supplied: [Object.fromEntries([...without.map((name) => [name, unsupplied] as const), ...supplied])],
  };
}

/** Stands for a builtin that is declared alone: the error of a call says what to do. */
const unsupplied = (): never => {
  throw new Error("it is declared, and no `--builtin` supplies it");
};

function problemOf(builtins: Builtins, name: string): string | undefined {
  if (!builtins.has(name)) return "is declared nowhere: export `capabilities` from it, or give `--capabilities`";
  return isNative(name) ? "is part of every module, and cannot be replaced" : undefined;
}

interface BuiltinModule {
  readonly default?: unknown;
  readonly capabilities?: unknown;
}

async function readModule(file: string): Promise<BuiltinModule> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as BuiltinModule;
  } catch (error) {
    if (!existsSync(file)) throw unusable(file, "no such file or folder");
    throw unusable(file, error instanceof Error ? error.message : "it threw a value that is not an error");
  }
}

function functionsOf(file: string, exported: unknown): Readonly<Record<string, PlainBuiltin>> {
  const isTable = typeof exported === "object" && exported !== null;
  if (!isTable || !Object.values(exported).every((item) => typeof item === "function"))
    throw unusable(file, "its default export is no object of functions by name");
  return exported as Readonly<Record<string, PlainBuiltin>>;
}

function declaring<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CapabilitiesError) throw unusable(file, error.message);
    if (error instanceof SyntaxError) throw unusable(file, `it is no JSON: ${error.message}`);
    throw unusable(file, fileProblem(error));
  }
}

function unusable(file: string, problem: string): CliError {
  return new CliError(
    `\`${file}\` cannot be used: ${problem}`,
    EXIT_USAGE,
    'a module of builtins: export default { "acme.f": ([a, b]) => … }; `opa capabilities --current` shows a declaration',
  );
}
