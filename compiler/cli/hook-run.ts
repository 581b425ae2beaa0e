/** One run of `portcullis hook` in memory. However it ends, it has an answer that hosts obey. */

import colors from "picocolors";
import { EXIT_OK, EXIT_USAGE } from "./exit.ts";
import { denied, type HookOutcome } from "./hook-outcome.ts";
import { main } from "./main.ts";

/** Never rejects. `input` is asked for once the arguments and the policy are in order. */
export async function runHook(argv: readonly string[], input: () => Promise<Uint8Array>): Promise<HookOutcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(argv, {
    out: (text) => void out.push(text),
    outBytes: (bytes) => void out.push(Buffer.from(bytes).toString()),
    err: (text) => void err.push(text),
    readInput: input,
    paint: colors.createColors(false),
    interactive: false,
  });
  const outcome = { out: out.join(""), err: err.join("") };
  if (code === EXIT_OK) return { code, ...outcome };
  // A command line that is refused has a message for people, and no answer.
  return outcome.out.startsWith("{") ? { code: EXIT_USAGE, ...outcome } : denied(outcome.err.trim());
}
