/** The kind of a file, by its path inside a policy folder: the documented table of names. */

import { lookalike, slipOf } from "@portcullis/rego/diagnostics";

export type SourceKind =
  | "settings"
  | "roles"
  | "lanes"
  | "tool_registry"
  | "approvers"
  | "agent"
  | "manifest"
  | "handoff"
  | "exec"
  | "limits"
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
  approvers: "approvers",
  handoff: "handoff",
  exec: "exec",
  limits: "limits",
};

/**
 * The kind of a file, or `undefined` for files that are not policy sources. The nearest folder named `manifests` or `tests`
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

/** What the names of a set's files become without case, signs and the plural's `s`. */
const NEARLY: { readonly [name: string]: string } = {
  portculli: "portcullis.yaml",
  role: "roles.yaml",
  lane: "lanes.yaml",
  toolregistry: "tool_registry.yaml",
  toolsregistry: "tool_registry.yaml",
  toolregistrie: "tool_registry.yaml",
  approver: "approvers.yaml",
  handoff: "handoff.yaml",
  exec: "exec.yaml",
  limit: "limits.yaml",
};

/** With other names that people give to these files. */
const ALIKE: { readonly [name: string]: string } = {
  ...NEARLY,
  setting: "portcullis.yaml",
  tool: "tool_registry.yaml",
  approval: "approvers.yaml",
  ratelimit: "limits.yaml",
  execution: "exec.yaml",
};

/** A slip in a shorter one often makes another word: `rules` for `roles`. */
const longNames = (names: object): string[] => Object.keys(names).filter((name) => name.length > 6);
const [LONG_NEARLY, LONG_ALIKE] = [longNames(NEARLY), longNames(ALIKE)];

/** The path that an unrecognised file was meant to have, if it looks like one of ours. */
export interface MeantPath {
  readonly path: string;
  /** The name differs by case, a sign, a letter, or the plural alone: it is no name of another project's file. */
  readonly isNear: boolean;
  /** An editor names its copies so: where the file itself is there, nothing is lost. */
  readonly isCopy: boolean;
}

/** What editors and people add to the name of a copy. */
const OF_COPIES = /(?:~|\.(?:bak|backup|old|orig|save|swp|tmp))+$/i;

/** Keys that manifests have, and few other files. */
const OF_MANIFESTS = /^[ \t{]*"?(?:agent_type|can_spawn|max_spawn_depth|allowed_tools)"?[ \t]*[:=]/m;
const OF_REGO = /^package[ \t]+[a-z_][\w.]*[ \t]*\r?$/im;
const OF_TESTS = /^(?:cases|matrices)[ \t]*:/m;

/** In formats in which no test is read. Data of Rego's tests lie in such folders, too: both of the members tell. */
function isLikeTests(text: string): boolean {
  const members = membersOf(text);
  return members.has("decision") && (members.has("cases") || members.has("matrices"));
}

/** The outermost names of JSON, and of TOML; of JSON that cannot be read, all. */
function membersOf(text: string): ReadonlySet<string> {
  try {
    return new Set(Object.keys(JSON.parse(text) ?? {}));
  } catch {
    return new Set(
      [...text.matchAll(/"(\w+)"[ \t\r\n]*:|^\[{0,2}(\w+)[ \t\]]*(?:=|$)/gm)].map((m) => (m[1] ?? m[2]) as string),
    );
  }
}

/** A path as people see it: without letters of other alphabets that look like ours, and without what is not seen. */
function seenPath(path: string): string {
  return lookalike(path.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "")).trim();
}

/** By the file's name; where that says too little, by what it holds, which `text` reads. */
export function meantPath(path: string, text: () => string): MeantPath | undefined {
  const seen = seenPath(path);
  const whole = seen.replace(OF_COPIES, "");
  const meant = nearPath(whole, text);
  return meant && { ...meant, isCopy: whole !== seen };
}

type Near = Omit<MeantPath, "isCopy">;

function nearPath(path: string, text: () => string): Near | undefined {
  const slash = path.lastIndexOf("/") + 1;
  const [folder, name] = [path.slice(0, slash), path.slice(slash)];
  const far = (meant: string): Near => ({ path: folder + meant, isNear: false });
  const agent = /^agents?[_-](.*?)\.(?:md|mdx|mdown|markdown)(?:\.txt)?$/i.exec(name);
  if (agent !== null) return far(`AGENT_${agent[1]}.md`);
  const rego = /^(.+)\.rego(?:\.txt)?$/i.exec(name);
  if (rego !== null) return { path: `${folder}${rego[1]}.rego`, isNear: true };
  const [, base, ending = ""] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
  if (slipOf(ending, ["rego"]) !== undefined && OF_REGO.test(text())) return far(`${base}.rego`);
  // No test would ask about such a record.
  const sample = /^(.*\/)?handoff[-_]?samples?\/(positive|negative)s?\/(?:[^/]+\/)*([^/]+)\.(?:json|ya?ml)$/i.exec(
    path,
  );
  if (sample !== null) {
    const [, before = "", kind = "", stem] = sample;
    return { path: `${before}handoff-samples/${kind.toLowerCase()}/${stem}.json`, isNear: false };
  }
  // Some editors and file managers add an extension that they do not show.
  const match = /^(.+?)(?:\.ya?ml)*\.(y[aml]{1,4}|toml|json)(\.txt)?$/i.exec(name);
  if (match === null) return undefined;
  const [, stem = "", written = "", hidden] = match;
  const extension = /^y(?!a?ml$)/i.test(written) ? "yaml" : written.toLowerCase();
  const isYaml = extension.startsWith("y") || hidden !== undefined;
  const kind = /(?:^|\/)(manifest|test)s?\/(?:[^/]+\/)*$/i.exec(folder)?.[1]?.toLowerCase();
  if (kind !== undefined) {
    const isOurs = kind !== "test" ? OF_MANIFESTS.test(text()) : isYaml ? OF_TESTS.test(text()) : isLikeTests(text());
    if (!isOurs) return undefined;
    const meant = folder.replace(/(?<=^|\/)(?:manifests?|tests?)(?=\/(?:[^/]+\/)*$)/i, `${kind}s`);
    const read = kind === "test" && !isYaml ? "yaml" : extension.replace("json", "yaml");
    return { path: `${meant}${stem}.${read}`, isNear: false };
  }
  const [, type, last = ""] = /^(.+)\.([^.]+)$/.exec(stem) ?? [];
  if (plainName(last) === "manifest" || slipOf(plainName(last), ["manifest"]) !== undefined)
    return far(`${type}.manifest.${extension.replace("json", "yaml")}`);
  if (stem.toLowerCase() === "data") return far(`data.${extension}`);
  const plain = plainName(stem);
  const near = Object.hasOwn(NEARLY, plain) ? plain : slipOf(plain, LONG_NEARLY);
  if (near !== undefined && isYaml) return { path: `${folder}${NEARLY[near]}`, isNear: true };
  // Other words, and other formats, are many other files' names: they are asked about beside the set's own files alone.
  if (slash > 0) return undefined;
  const alike = Object.hasOwn(ALIKE, plain) ? plain : slipOf(plain, LONG_ALIKE);
  return alike === undefined ? undefined : far(ALIKE[alike] as string);
}

function plainName(stem: string): string {
  return stem
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/s$/, "");
}

/** Why a file is ignored, where its name suggests that it was meant to be one of ours. */
export function nearMiss(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const lower = name.toLowerCase();
  if (/^agent[_-].*\.md$/.test(lower)) return "instruction files are named `AGENT_<NAME>.md`, in this case";
  if (/^(roles|lanes|tool_registry|approvers|handoff|exec|limits|portcullis)\.(json|toml)$/.test(lower))
    return "this file is read as YAML only (`.yaml` or `.yml`)";
  const known = recognise(path.slice(0, path.length - name.length) + lower);
  return known === undefined ? undefined : "file names are case-sensitive";
}
