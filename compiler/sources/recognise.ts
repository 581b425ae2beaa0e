/** The kind of a file, by its path inside a policy folder: the documented table of names. */

import { slipOf } from "../base/suggest.ts";

export type SourceKind =
  | "settings"
  | "roles"
  | "lanes"
  | "tool_registry"
  | "agent"
  | "manifest"
  | "handoff"
  | "exec"
  | "rego"
  | "data"
  | "bundle"
  | "tests"
  | "sample";

/** Formats by extension; `undefined` where the kind has one format only. */
export type SourceFormat = "yaml" | "toml" | "json" | "markdown" | "rego";

export interface Recognised {
  readonly kind: SourceKind;
  readonly format: SourceFormat;
}

const BY_STEM: { readonly [stem: string]: SourceKind } = {
  portcullis: "settings",
  roles: "roles",
  lanes: "lanes",
  tool_registry: "tool_registry",
  handoff: "handoff",
  exec: "exec",
};

/**
 * The kind of a file, or `undefined` for files that are none of ours. The nearest folder named `manifests` or `tests`
 * wins over the file's own name, so that `tests/lanes.yaml` holds tests of lanes and `manifests/exec.yaml` the manifest
 * of an agent type `exec`.
 */
export function recognise(path: string): Recognised | undefined {
  const segments = path.split("/");
  const name = segments.pop() as string;
  if (path === ".manifest" || path === ".manifest.pb") return { kind: "bundle", format: "json" };
  if (name.endsWith(".rego")) return { kind: "rego", format: "rego" };
  if (/^AGENT_.*\.md$/.test(name)) return { kind: "agent", format: "markdown" };
  const format = formatOf(name);
  if (format === undefined) return undefined;
  if (format === "json") {
    if (name === "data.json") return { kind: "data", format };
    return isSample(segments) ? { kind: "sample", format } : undefined;
  }
  const folder = segments.findLast((s) => s === "manifests" || s === "tests");
  if (folder === "manifests") return { kind: "manifest", format };
  if (folder === "tests") return format === "yaml" ? { kind: "tests", format } : undefined;
  const stem = stemOf(name);
  if (stem.endsWith(".manifest") && stem !== ".manifest") return { kind: "manifest", format };
  if (format !== "yaml") return undefined;
  if (stem === "data") return { kind: "data", format };
  const kind = Object.hasOwn(BY_STEM, stem) ? BY_STEM[stem] : undefined;
  return kind === undefined ? undefined : { kind, format };
}

function formatOf(name: string): "yaml" | "toml" | "json" | undefined {
  if (/\.ya?ml$/.test(name)) return "yaml";
  if (name.endsWith(".toml")) return "toml";
  return name.endsWith(".json") ? "json" : undefined;
}

/** The file name without its last extension. */
export function stemOf(name: string): string {
  return name.replace(/\.[^.]+$/, "");
}

/** Hand-off samples: `handoff-samples/positive/*.json` and `handoff-samples/negative/*.json`. */
function isSample(segments: readonly string[]): boolean {
  const polarity = segments.at(-1);
  return segments.at(-2) === "handoff-samples" && (polarity === "positive" || polarity === "negative");
}

/** Names that people give to the files of a set, without case, signs and the plural's `s`. */
const ALIKE: { readonly [name: string]: string } = {
  portculli: "portcullis.yaml",
  setting: "portcullis.yaml",
  role: "roles.yaml",
  lane: "lanes.yaml",
  tool: "tool_registry.yaml",
  toolregistry: "tool_registry.yaml",
  toolsregistry: "tool_registry.yaml",
  toolregistrie: "tool_registry.yaml",
  handoff: "handoff.yaml",
  exec: "exec.yaml",
};

/** A slip in a shorter one often makes another word: `rules` for `roles`. */
const LONG_NAMES = Object.keys(ALIKE).filter((name) => name.length > 6);

/** The name that a file of the set's own folder was meant to have, if it looks like one of ours. */
export function meantName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const agent = /^agent[_-](.*?)\.md(?:\.txt)?$/i.exec(name);
  if (agent !== null) return `AGENT_${agent[1]}.md`;
  // Some editors and file managers add an extension that they do not show.
  const match = /^(.*)\.(?:ya?ml|toml|json)(?:\.txt)?$/i.exec(name);
  const stem = match?.[1]
    ?.toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/s$/, "");
  if (stem === undefined) return undefined;
  if (Object.hasOwn(ALIKE, stem)) return ALIKE[stem];
  const near = slipOf(stem, LONG_NAMES);
  return near && ALIKE[near];
}

/** Why a file is ignored, where its name suggests that it was meant to be one of ours. */
export function nearMiss(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const lower = name.toLowerCase();
  if (/^agent[_-].*\.md$/.test(lower)) return "instruction files are named `AGENT_<NAME>.md`, in this case";
  if (/^(roles|lanes|tool_registry|handoff|exec|portcullis)\.(json|toml)$/.test(lower))
    return "this file is read as YAML only (`.yaml` or `.yml`)";
  const known = recognise(path.slice(0, path.length - name.length) + lower);
  return known === undefined ? undefined : "file names are case-sensitive";
}
