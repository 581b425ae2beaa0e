/** The compiler for commands that may need it: loaded when it does, and binaryen beside it. */

import type { CompileOptions, CompileResult } from "../pipeline.ts";
import type { Terminal } from "./terminal.ts";

/** From here on, a person sees which stage takes so long. */
const PATIENCE_MS = 500;

export async function compilePolicies(terminal: Terminal, options: CompileOptions): Promise<CompileResult> {
  if (options.checkOnly !== true) {
    const { loadBackEnd } = await import("../wasm/load.ts");
    // A failure shows where it is awaited, when code is generated.
    loadBackEnd().catch(() => undefined);
  }
  const { compile } = await import("../pipeline.ts");
  if (!terminal.interactive) return compile(options);
  const started = performance.now();
  let drawn = 0;
  const draw = (text: string): void => {
    terminal.draw(text.padEnd(drawn));
    terminal.draw(text);
    drawn = text.length;
  };
  const result = await compile({
    ...options,
    onStage: (stage) => {
      if (performance.now() - started > PATIENCE_MS) draw(`${stage} …`);
    },
  });
  if (drawn > 0) draw("");
  return result;
}
