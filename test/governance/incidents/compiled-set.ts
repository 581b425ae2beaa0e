/** The policy set of the incidents, compiled. */

import { fileURLToPath } from "node:url";
import { load, type Policy } from "@portcullis/runtime";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";

const folder = fileURLToPath(new URL("set/", import.meta.url));

export interface CompiledSet {
  readonly bundle: Uint8Array;
  readonly policy: Policy;
  readonly codes: readonly string[];
}

export async function incidentSet(): Promise<CompiledSet> {
  const { compiled, diagnostics } = await compile({ host: nodeHost, dirs: [folder] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return {
    bundle: compiled.bundle,
    policy: await load(compiled.bundle),
    codes: diagnostics.map(({ code }) => code),
  };
}
