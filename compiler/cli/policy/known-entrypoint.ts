/** Entrypoints that a command line names. */

import { didYouMean } from "@portcullis/rego/diagnostics";
import { DECISION_KINDS, entrypointOf, type Policy } from "@portcullis/runtime";
import { CliError, EXIT_USAGE } from "../exit.ts";

/** What a command says of decisions that it takes by one word. */
export const SHORT_NAMES = `a decision by its short name: ${DECISION_KINDS.join(", ")}`;

/** What a command says of an entrypoint that it asks for. */
export const ENTRYPOINT_WORDS = `as \`pkg/rule\`, or ${SHORT_NAMES}`;

/** `lane` is `portcullis/lane/decision`: no entrypoint of Rego is a single word. Any other word is an entrypoint as it stands. */
export function entrypointNamed(word: string): string {
  const kind = DECISION_KINDS.find((known) => known === word);
  return kind === undefined ? word : entrypointOf(kind);
}

/**
 * Whether a word names an entrypoint: `pkg/rule`, or one name. As a query it would be variables without a value. `lane` is a
 * decision; `input` and `data` are queries, as `true` is.
 */
export function namesEntrypoint(word: string): boolean {
  return /^[A-Za-z_][\w-]*(?:\/[^/\s]+)*$/.test(word) && !/^(?:input|data|true|false|null)$/.test(word);
}

/** Throws CliError for one that the policy does not have. `name`: the policy's, for messages. */
export function demandEntrypoint({ entrypoints }: Policy, entrypoint: string, name: string): void {
  if (entrypoints.includes(entrypoint)) return;
  const all = `it has ${entrypoints.map((e) => `\`${e}\``).join(", ")}`;
  const help = didYouMean(entrypoint, entrypoints).help ?? all;
  throw new CliError(`no entrypoint \`${entrypoint}\` in \`${name}\``, EXIT_USAGE, help);
}
