/** A policy set of a few files, compiled by the whole pipeline and loaded. */
import { compile } from "../../../compiler/governance/pipeline.ts";
import { load, type Policy } from "../../../runtime/index.ts";
import { type Files, virtualHost } from "../sources/virtual-host.ts";

export async function policyOf(files: Files): Promise<Policy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: files }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle);
}
