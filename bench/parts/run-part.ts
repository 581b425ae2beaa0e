/** Runs one part of the benchmark in a process of its own. */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { PolicyName } from "../bundles.ts";
import type { Message, PARTS, Part } from "./child.ts";

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));
const TSCONFIG = fileURLToPath(new URL("../tsconfig.json", import.meta.url));
/** Room for what decisions of a batch allocate, so that none of them waits for a collection. */
const FLAGS = ["--import", "tsx", "--min-semi-space-size=64", "--max-semi-space-size=64"];

export type PartResult<P extends Part> = Awaited<ReturnType<(typeof PARTS)[P]>>;

export function runPart<P extends Part>(
  part: P,
  policy: PolicyName,
  quick: boolean,
  progress: (text: string) => void,
): Promise<PartResult<P>> {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [part, policy, quick ? "quick" : "whole"], {
      execArgv: FLAGS,
      env: { ...process.env, TSX_TSCONFIG_PATH: TSCONFIG },
      // benny prints what the tables say again.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    let measured: { readonly value: PartResult<P> } | undefined;
    child.on("message", (message: Message) => {
      if ("progress" in message) progress(message.progress);
      else measured = { value: message.measured as PartResult<P> };
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0 && measured !== undefined) resolve(measured.value);
      else reject(new Error(`the part ${part} of policies ${policy} ended with ${signal ?? code}`));
    });
  });
}
