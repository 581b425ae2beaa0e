/**
 * Places that need a person, within places that do not: `below` is compared exactly, so that a file system which takes `infra` and
 * `Infra` for one lets a person be passed by. `except` is compared after folding, and closes that (gate ARGUMENTS).
 */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { ArgumentRule } from "../arguments.ts";
import { modelDiagnostic } from "../codes.ts";
import type { Model, Named } from "../model.ts";

export function* approvalPaths(model: Model): Iterable<Diagnostic> {
  for (const { arguments: said } of model.tools.values())
    for (const { name, each, ...rule } of said?.byName.values() ?? [])
      for (const of of each === undefined ? [rule] : [rule, each]) yield* openPlaces(name, of);
}

function* openPlaces(argument: Named, { members, approval }: ArgumentRule): Iterable<Diagnostic> {
  const alone = members.paths;
  const asked = approval?.kind === "Matching" ? approval.members.paths : undefined;
  if (alone === undefined || asked === undefined || asked.below.includes("")) return;
  const open = asked.below.filter((place) => isWithin(place, alone.below) && !isWithin(place, alone.except));
  if (open.length === 0) return;
  const places = open.map((place) => `\`${place}\``).join(", ");
  yield modelDiagnostic("model/approval-by-exact-path", { argument: argument.name, places }, argument.span, {
    help: `name them in \`paths\` of the argument, too: \`except: [${open.join(", ")}]\``,
  });
}

/** "" is the root. */
function isWithin(place: string, folders: readonly string[]): boolean {
  return folders.some((folder) => folder === "" || place === folder || place.startsWith(`${folder}/`));
}
