/** A policy set from texts, compiled and opened for review. */

import { compile } from "../../../compiler/governance/pipeline.ts";
import { type OpenedPolicy, openBundle } from "../../../compiler/governance/review/index.ts";
import { virtualHost } from "../sources/virtual-host.ts";

/** Throws with the findings of a set that does not compile. */
export async function opened(files: Readonly<Record<string, string>>): Promise<OpenedPolicy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (compiled === undefined) throw new Error(errors.map((d) => d.message).join("\n"));
  const result = await openBundle("p", compiled.bundle);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}
