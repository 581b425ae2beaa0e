/** The compiler for commands that may need it: loaded when it does, and binaryen beside it. */

import type { CompileOptions, CompileResult } from "../pipeline.ts";

export async function compilePolicies(options: CompileOptions): Promise<CompileResult> {
  const { loadBackEnd } = await import("../back-end.ts");
  // A failure shows where it is awaited, when code is generated.
  loadBackEnd().catch(() => undefined);
  const { compile } = await import("../pipeline.ts");
  return compile(options);
}
