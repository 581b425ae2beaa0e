/**
 * Evidence about the artifact paths of a handoff record. A path counts only as the disk shows it below the root, links
 * followed; nothing outside of the root is ever read by its own path. Facts only: the policy decides.
 *
 * Cost: reads every file to its end once, for its digest, however many paths and records name it.
 */

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isJsonObject } from "@portcullis/documents";
import type { HandoffRequest } from "@portcullis/runtime";
import { liesIn, realPath, realPlace } from "../real-path.ts";
import { eachChunk } from "../regular-file.ts";

type Evidence = HandoffRequest["artifacts"];

/** What the bytes of a file are. It counts as a file when it could be read. */
interface Content {
  readonly file: boolean;
  readonly sha256?: string;
  readonly size?: number;
}

/** Contents of files, each read once: records may spell one large file in any number of ways. */
export class Contents {
  private readonly known = new Map<string, Content>();
  private readonly read: (path: string) => Content;

  constructor(read = contentOf) {
    this.read = read;
  }

  /** A file that was written to since is another one. */
  of(path: string): Content {
    const key = identityOf(path);
    const known = key === undefined ? undefined : this.known.get(key);
    if (known !== undefined) return known;
    const content = this.read(path);
    // INVARIANT: a file that changed while it was read is not remembered under either identity.
    if (key !== undefined && key === identityOf(path)) this.known.set(key, content);
    return content;
  }
}

/** Which file it is, and in which state; the time of a change is no writer's to choose. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return undefined;
  }
}

/** `root` must be canonical; `undefined` for no root, where nothing exists. */
export function collectEvidence(root: string | undefined, record: unknown, contents = new Contents()): Evidence {
  const found = new Map<string, Evidence[string]>();
  for (const path of artifactPaths(record)) found.set(path, evidenceAt(root, path, contents));
  return Object.fromEntries(found);
}

function artifactPaths(record: unknown): string[] {
  const artifacts = isJsonObject(record) ? record["artifacts"] : undefined;
  if (!Array.isArray(artifacts)) return [];
  return artifacts.flatMap((artifact: unknown) => {
    const path = isJsonObject(artifact) ? artifact["path"] : undefined;
    return typeof path === "string" ? [path] : [];
  });
}

const NOT_CONTAINED = { exists: false, file: false, contained: false } as const;
const NOT_FOUND = { exists: false, file: false, contained: true } as const;

function evidenceAt(root: string | undefined, path: string, contents: Contents): Evidence[string] {
  if (escapesByName(path)) return NOT_CONTAINED;
  // No file system has a name with a NUL in it.
  if (root === undefined || path.includes("\0")) return NOT_FOUND;
  const full = join(root, path);
  const real = realPath(full);
  if (real === undefined) {
    // Nothing is there, or a link without a target; the way to it may still leave the root.
    const place = realPlace(full);
    return place !== undefined && liesIn(place, root) ? NOT_FOUND : NOT_CONTAINED;
  }
  if (!liesIn(real, root)) return NOT_CONTAINED;
  return { exists: true, contained: true, resolved: fromRoot(real, root), ...contents.of(real) };
}

/** With `/` on every system. */
function fromRoot(real: string, root: string): string {
  return relative(root, real).replaceAll(sep, "/");
}

function contentOf(path: string): Content {
  const hash = createHash("sha256");
  try {
    const size = eachChunk(path, { bytes: Number.POSITIVE_INFINITY }, (chunk) => void hash.update(chunk));
    return { file: true, sha256: hash.digest("hex"), size };
  } catch {
    return { file: false };
  }
}

/** Absolute on any system, or with a `..`, whichever slash it is written with. */
function escapesByName(path: string): boolean {
  const slashed = path.replaceAll("\\", "/");
  return slashed.startsWith("/") || /^[A-Za-z]:/.test(slashed) || slashed.split("/").includes("..");
}
