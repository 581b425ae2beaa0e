/** Children with wider powers than their parents: tools, paths and hosts of the manifests of a listed spawn. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Manifest, Model, Named } from "../model.ts";

/** More names than this make a message unreadable. */
const SHOWN = 5;

export function* childPowers(model: Model): Iterable<Diagnostic> {
  for (const parent of model.manifests.values()) {
    for (const target of parent.canSpawn) {
      const child = model.manifests.get(target.name);
      if (child !== undefined && child !== parent) yield* compare(parent, child, target);
    }
  }
}

function* compare(parent: Manifest, child: Manifest, target: Named): Iterable<Diagnostic> {
  const names = { parent: parent.type.name, child: child.type.name };
  const related = [{ message: "the child", span: child.type.span }];
  const tools = beyond(child.tools, parent.tools, (c, p) => c === p);
  if (tools !== "")
    yield modelDiagnostic("model/child-tools-exceed-parent", { ...names, extra: tools }, target.span, { related });
  const paths = beyond(child.paths, parent.paths, pathWithin);
  if (paths !== "")
    yield modelDiagnostic("model/child-paths-exceed-parent", { ...names, extra: paths }, target.span, { related });
  const hosts = beyond(child.egress, parent.egress, hostWithin);
  if (hosts !== "")
    yield modelDiagnostic("model/child-egress-exceeds-parent", { ...names, extra: hosts }, target.span, { related });
}

/** Entries of the child that no entry of the parent covers. A list that is absent adds nothing and is not compared. */
function beyond(
  child: readonly Named[] | undefined,
  parent: readonly Named[] | undefined,
  covers: (c: string, p: string) => boolean,
): string {
  if (child === undefined || parent === undefined) return "";
  const extra = child.filter((c) => !parent.some((p) => covers(c.name, p.name))).map((c) => `\`${c.name}\``);
  const more = extra.length > SHOWN ? ` and ${extra.length - SHOWN} more` : "";
  return extra.slice(0, SHOWN).join(", ") + more;
}

/**
 * By segments: `/srv/a/b` lies within `/srv/a`, `/srv/ab` does not, and where a `..` leads is unknown. A final `/*` or `/**`
 * means the folder.
 */
function pathWithin(child: string, parent: string): boolean {
  const folder = (p: string): string => p.replace(/\/\*{0,2}$/, "");
  if (child === parent || folder(child) === folder(parent)) return true;
  return child.startsWith(`${folder(parent)}/`) && !child.split("/").includes("..");
}

function hostWithin(child: string, parent: string): boolean {
  return child === parent || parent === "*" || (parent.startsWith("*.") && child.endsWith(parent.slice(1)));
}
