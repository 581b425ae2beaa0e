/** Places that `except` names from a folder of `below`, and not from the project's root: nothing is taken away there. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { PathRule } from "../arguments.ts";
import { modelDiagnostic } from "../codes.ts";
import type { Model, Named } from "../model.ts";

export function* exceptOutside(model: Model): Iterable<Diagnostic> {
  for (const { arguments: said } of model.tools.values())
    for (const { name, each, ...rule } of said?.byName.values() ?? [])
      for (const { members, approval } of each === undefined ? [rule] : [rule, each]) {
        yield* outside(name, members.paths);
        if (approval?.kind === "Matching") yield* outside(name, approval.members.paths);
      }
}

function* outside(argument: Named, paths: PathRule | undefined): Iterable<Diagnostic> {
  const [first] = paths?.below ?? [];
  if (paths === undefined || first === undefined) return;
  const lost = paths.except.filter((place) => !paths.below.some((folder) => meet(folder, place)));
  if (lost.length === 0) return;
  const places = lost.map((place) => `\`${place}\``).join(", ");
  yield modelDiagnostic("model/except-outside-below", { argument: argument.name, places }, argument.span, {
    help: `both name places from the project's root: \`${first}/${lost[0]}\`, not \`${lost[0]}\``,
  });
}

/** Whether one lies in the other; "" is the root. `except` is compared in any case, which is enough to see a slip. */
function meet(folder: string, place: string): boolean {
  const [a, b] = [`${folder}/`.toLowerCase(), `${place}/`.toLowerCase()];
  return folder === "" || a.startsWith(b) || b.startsWith(a);
}
