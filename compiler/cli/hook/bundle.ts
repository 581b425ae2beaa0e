/** The bundle that a hook decides by, verified where there is a key. */

import type { LoadOptions, Policy } from "@portcullis/runtime";
import { readBytes } from "../commands/read.ts";
import { demandHostData, readHostData } from "../host-data.ts";
import { loadWithBuiltins } from "../policy/load-policy.ts";
import { refusing } from "../policy/refusing.ts";
import { verificationOf } from "../verification-options.ts";
import type { HookFlags } from "./options.ts";

/** Throws CliError for a bundle or data that cannot be read, that is refused, or that lacks what the policy needs. */
export async function loadBundle(flags: HookFlags): Promise<Policy> {
  const bytes = readBytes(flags.policy);
  // One decision: what gets the others ready would take longer than it.
  const options = { ...loadOptions(flags), warmUp: false };
  const policy = await refusing(flags.policy, () => loadWithBuiltins(bytes, options));
  demandHostData(policy, flags.data);
  return policy;
}

/** The data and the key that the options name. Throws CliError. */
export function loadOptions(flags: HookFlags): LoadOptions {
  const verification = verificationOf(flags);
  const data = flags.data === undefined ? undefined : readHostData(flags.data);
  return { data, ...(verification === undefined ? {} : { verification }) };
}
