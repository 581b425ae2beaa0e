/** A policy with another library in its bundle. */

import { hostDataPolicy } from "../../../compiler/governance/review/host-data-policy.ts";
import type { OpenedPolicy } from "../../../compiler/governance/review/index.ts";

/** `module`: the name of its file. `undefined` where the text does not compile. */
export async function withModule(
  policy: OpenedPolicy,
  module: string,
  text: string,
): Promise<OpenedPolicy | undefined> {
  const files = new Map(policy.files).set(`portcullis/${module}`, new TextEncoder().encode(text));
  const other = { ...policy, files };
  const loaded = await hostDataPolicy(other);
  return loaded.ok ? { ...other, policy: loaded.value } : undefined;
}
