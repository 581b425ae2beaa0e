/** What is said before a bundle's module answers a reviewer, where it is not what the bundle's Rego and data make. */

import { isOwnModule, NOT_OWN, type OpenedPolicy } from "@portcullis/governance/review";
import type { Terminal } from "../terminal.ts";

/** Cost: one compilation, where the bundle was not built by this process. */
export async function warnOfForeignModule(terminal: Terminal, opened: OpenedPolicy): Promise<void> {
  if (await isOwnModule(opened)) return;
  void terminal.err(`${terminal.paint.yellow("warning:")} \`${opened.name}\`: policy.wasm: ${NOT_OWN}\n`);
}
