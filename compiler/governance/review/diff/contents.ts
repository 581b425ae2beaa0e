/** The differences between the contents of two bundles: data by path, Rego by file, and the manifest. */

import { isJsonObject } from "@portcullis/rego/value";
import type { Path } from "../explain/edit.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { digitChanges } from "./digits.ts";
import { type BothPlaces, DiffPlaces } from "./places.ts";

/** One difference of two bundles' contents. */
export interface ContentChange {
  readonly part: "data" | "rego" | "manifest";
  readonly kind: "added" | "removed" | "changed";
  /** `data.portcullis.policy.lanes.RESEARCH`, a file's path, or a member of the manifest. */
  readonly path: string;
  /** Short JSON, for data and manifest. */
  readonly before?: string;
  readonly after?: string | undefined;
  /** Where an author wrote it. */
  readonly places?: BothPlaces;
}

export function compareContents(before: OpenedPolicy, after: OpenedPolicy): ContentChange[] {
  const places = new DiffPlaces(before, after);
  const changes = differencesOf([], before.data, after.data).map(({ keys, ...change }): ContentChange => {
    return { part: "data", ...change, path: pathText("data", keys), ...places.placesOf(keys) };
  });
  for (const { path: keys, ...texts } of digitChanges(before, after))
    changes.push({ part: "data", kind: "changed", ...texts, path: pathText("data", keys), ...places.placesOf(keys) });
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].filter((p) => p.endsWith(".rego")).sort();
  for (const path of paths) {
    const [a, b] = [before.files.get(path), after.files.get(path)];
    if (a === undefined || b === undefined)
      changes.push({ part: "rego", kind: a === undefined ? "added" : "removed", path });
    else if (!Buffer.from(a).equals(b)) changes.push({ part: "rego", kind: "changed", path });
  }
  for (const { keys, ...change } of differencesOf([], manifestOf(before), manifestOf(after)))
    changes.push({ part: "manifest", ...change, path: pathText("", keys) });
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

type Difference = Pick<ContentChange, "kind" | "before" | "after"> & { readonly keys: Path };

/** Objects by member; everything else as a whole. */
function differencesOf(keys: Path, a: unknown, b: unknown): Difference[] {
  if (isJsonObject(a) && isJsonObject(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().flatMap((key) => {
      const [x, y] = [a, b].map((object) => (Object.hasOwn(object, key) ? object[key] : undefined));
      return differencesOf([...keys, key], x, y);
    });
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  const [before, after] = shortened(JSON.stringify(a), JSON.stringify(b));
  if (before === undefined) return [{ kind: "added", keys, after }];
  if (after === undefined) return [{ kind: "removed", keys, before }];
  return [{ kind: "changed", keys, before, after }];
}

/** The keys of a document, whose own name is not written where it is empty. */
export function pathText(document: string, keys: Path): string {
  return keys.reduce<string>((path, key) => (path === "" ? String(key) : `${path}${segment(String(key))}`), document);
}

export function segment(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Two texts as a line has room for them: from a little before the place where they differ, so that the difference is seen. */
function shortened(...texts: readonly [string | undefined, string | undefined]): (string | undefined)[] {
  const [a = "", b = ""] = texts;
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  const from = same < MOST_SHOWN / 2 ? 0 : same - BEFORE;
  return texts.map((text) => {
    if (text === undefined || text.length <= MOST_SHOWN) return text;
    const rest = `${from > 0 ? "..." : ""}${text.slice(from)}`;
    return rest.length <= MOST_SHOWN ? rest : `${rest.slice(0, MOST_SHOWN - 3)}...`;
  });
}
const [MOST_SHOWN, BEFORE] = [80, 20];
