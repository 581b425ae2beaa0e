/** Entrypoints that a command line names. */

import { didYouMean } from "@portcullis/rego/diagnostics";
import type { Policy } from "@portcullis/runtime";
import { CliError, EXIT_USAGE } from "../exit.ts";

/** Throws CliError for one that the policy does not have. `name`: the policy's, for messages. */
export function demandEntrypoint({ entrypoints }: Policy, entrypoint: string, name: string): void {
  if (entrypoints.includes(entrypoint)) return;
  const all = `it has ${entrypoints.map((e) => `\`${e}\``).join(", ")}`;
  const help = didYouMean(entrypoint, entrypoints).help ?? all;
  throw new CliError(`no entrypoint \`${entrypoint}\` in \`${name}\``, EXIT_USAGE, help);
}
