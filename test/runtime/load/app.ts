/** A small policy whose rules hold, clash, take long, grow, or read data of the host's. */

import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const REGO = `package app

default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

decision := {"allowed": true, "gate": "ALLOW", "reason": "ok"} if input.user == "ann"

clash := 1 if input.a
clash := 2 if input.b

default clashing := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "clash"}
clashing := {"allowed": true, "n": clash}

default open := true
open := false if clash

slow := count([1 | some i in numbers.range(1, 5000); some j in numbers.range(1, 5000); i == j])

big := numbers.range(1, input.n)

host := data.host.flag
`;

const ENTRYPOINTS = ["app/decision", "app/clashing", "app/open", "app/slow", "app/big", "app/host"];

export async function compileApp(): Promise<Uint8Array> {
  const modules = [new SourceFile("app.rego", REGO)];
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: ENTRYPOINTS });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return compiled.wasm;
}
