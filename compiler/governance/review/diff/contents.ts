/** The differences between the contents of two bundles: data by path, Rego by file, and the manifest. */

import { isJsonObject } from "@portcullis/rego/value";
import type { OpenedPolicy } from "../opened-policy.ts";

/** One difference of two bundles' contents. */
export interface ContentChange {
  readonly part: "data" | "rego" | "manifest";
  readonly kind: "added" | "removed" | "changed";
  /** `data.portcullis.policy.lanes.RESEARCH`, a file's path, or a member of the manifest. */
  readonly path: string;
  /** Short JSON, for data and manifest. */
  readonly before?: string;
  readonly after?: string | undefined;
}

export function compareContents(before: OpenedPolicy, after: OpenedPolicy): ContentChange[] {
  const changes: ContentChange[] = [];
  compareValues("data", "data", before.data, after.data, changes);
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].filter((p) => p.endsWith(".rego")).sort();
  for (const path of paths) {
    const [a, b] = [before.files.get(path), after.files.get(path)];
    if (a === undefined || b === undefined)
      changes.push({ part: "rego", kind: a === undefined ? "added" : "removed", path });
    else if (!Buffer.from(a).equals(b)) changes.push({ part: "rego", kind: "changed", path });
  }
  compareValues("manifest", "", manifestOf(before), manifestOf(after), changes);
  return changes;
}

/** Revision and digest differ whenever anything does. */
function manifestOf({ files, policy }: OpenedPolicy): unknown {
  const bytes = files.get(".manifest");
  try {
    const { roots, rego_version, file_rego_versions, metadata } = JSON.parse(Buffer.from(bytes ?? []).toString("utf8"));
    const versions = isJsonObject(metadata) ? metadata["portcullis_versions"] : undefined;
    const { entrypoints, historyName: history_name } = policy;
    return { entrypoints, roots, rego_version, file_rego_versions, versions, history_name };
  } catch {
    return { entrypoints: policy.entrypoints };
  }
}

/** Objects by member; everything else as a whole. */
function compareValues(part: "data" | "manifest", path: string, a: unknown, b: unknown, out: ContentChange[]): void {
  if (isJsonObject(a) && isJsonObject(b)) {
    for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
      const [x, y] = [a, b].map((object) => (Object.hasOwn(object, key) ? object[key] : undefined));
      compareValues(part, path === "" ? key : `${path}${segment(key)}`, x, y, out);
    }
    return;
  }
  const [before, after] = [short(a), short(b)];
  if (JSON.stringify(a) === JSON.stringify(b)) return;
  if (before === undefined) out.push({ part, kind: "added", path, after });
  else if (after === undefined) out.push({ part, kind: "removed", path, before });
  else out.push({ part, kind: "changed", path, before, after });
}

export function segment(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function short(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined || text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
