/** The options of `portcullis hook`. */

import { HOOK_FORMATS, type HookFormat } from "@portcullis/enforcement/gateway";
import { CALLER_OPTIONS, type CallerFlags } from "../caller-options.ts";
import { DATA_OPTION } from "../host-data.ts";
import type { OptionWord } from "../option-words.ts";
import { VERIFICATION_OPTIONS, type VerificationFlags } from "../verification-options.ts";
import { DEADLINE_SECONDS } from "./limits.ts";

export interface HookFlags extends CallerFlags, VerificationFlags {
  readonly data?: string;
  readonly format: HookFormat;
  readonly governance?: string;
  readonly ask: boolean;
  readonly deadline: string;
}

export const HOOK_OPTIONS: readonly OptionWord[] = [
  { name: "policy", value: "<file>", text: "bundle", isRequired: true, isPath: true },
  DATA_OPTION,
  ...VERIFICATION_OPTIONS,
  ...CALLER_OPTIONS,
  {
    ...{ name: "format", value: "<host>", choices: HOOK_FORMATS, preset: "auto" },
    text: "who asks; auto tells by the input; ended: a call is over, and `succeeded` says how",
  },
  {
    ...{ name: "governance", value: "<file>", isPath: true },
    text: "JSON with who approved that sub-agents are started; without it none is",
  },
  { name: "ask", text: "where only an approval is missing, let Claude Code or Copilot CLI ask a person" },
  {
    ...{ name: "deadline", value: "<seconds>", preset: String(DEADLINE_SECONDS) },
    text: "time for the answer; then it is a denial",
  },
];
