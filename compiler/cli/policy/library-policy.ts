/**
 * `--policy` where it may be left out: the decision library alone. Handoff and close decide by a built-in floor that a policy
 * set can add to and never take from.
 */

import type { Host } from "@portcullis/documents";
import { InternalError } from "@portcullis/rego/diagnostics";
import type { Policy } from "@portcullis/runtime";
import { CliError } from "../exit.ts";
import type { Terminal } from "../terminal.ts";
import { compilePolicies } from "./compile.ts";
import { loadWithBuiltins } from "./load-policy.ts";
import { loadPolicyArgument, type PolicyArgument } from "./policy-argument.ts";

/** A policy set that governs and adds nothing. */
const FILES: { readonly [path: string]: string } = {
  "exec.yaml": "modes: [any]\nstaging_root: /any\n",
  "handoff.yaml": "required_fields: []\n",
};
const bare: Host = {
  listFiles: () => Object.keys(FILES),
  readFile: (_, path) => new TextEncoder().encode(FILES[path]),
};

/** `undefined` when the named folder has findings, which are printed. Throws CliError for a path that cannot be read or is refused. */
export async function policyOrLibrary(
  terminal: Terminal,
  path: string | undefined,
  options: PolicyArgument,
): Promise<Policy | undefined> {
  if (path === undefined && options.data !== undefined) throw new CliError("`--data` needs `--policy`");
  return path === undefined ? libraryPolicy(terminal) : loadPolicyArgument(terminal, path, options);
}

let library: Promise<Policy> | undefined;

/** The decision library alone, compiled once a process. */
export function libraryPolicy(terminal: Terminal): Promise<Policy> {
  library ??= compiledLibrary(terminal);
  return library;
}

async function compiledLibrary(terminal: Terminal): Promise<Policy> {
  const { compiled, diagnostics } = await compilePolicies(terminal, { host: bare, dirs: ["library"] });
  if (compiled === undefined) {
    throw new InternalError(`the decision library does not compile: ${diagnostics.map((d) => d.message).join("; ")}`);
  }
  return loadWithBuiltins(compiled.bundle);
}
