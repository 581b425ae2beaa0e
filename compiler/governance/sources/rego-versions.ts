/**
 * The versions of Rego that a folder's `.manifest` gives its modules, by OPA's rules: patterns in the order of their text, the
 * first that matches wins, and `rego_version` holds for the rest. What OPA might read otherwise than we do is refused.
 * https://www.openpolicyagent.org/docs/management-bundles#bundle-file-format
 */

import { describeKind, entryOf, type MappingEntry, parseJson, type SourceNode } from "@portcullis/documents";
import { type Diagnostic, hasErrors, type RegoVersion, type SourceFile } from "@portcullis/rego/diagnostics";
import { compareValues } from "@portcullis/rego/value";
import { sourcesDiagnostic } from "./codes.ts";

/** Whether a path matches a glob of OPA's, without delimiters; `undefined` for a text that is not a glob. */
export type GlobMatch = (pattern: string, path: string) => boolean | undefined;

export interface RegoVersions {
  /** The version of modules that no pattern names. */
  readonly version: RegoVersion;
  /** By path, as they were asked for. */
  readonly files: ReadonlyMap<string, RegoVersion>;
  readonly diagnostics: readonly Diagnostic[];
}

const MEMBERS = ["rego_version", "file_rego_versions"];

/** `paths`: of all modules, relative to the manifest's folder. With errors, the versions say nothing. */
export function readRegoVersions(manifest: SourceFile, paths: readonly string[], matches: GlobMatch): RegoVersions {
  const { root, diagnostics: syntax } = parseJson(manifest);
  const diagnostics = [...syntax];
  const wrong = (problem: string, at: SourceNode["span"]): void => {
    diagnostics.push(sourcesDiagnostic("sources/bundle-manifest", { problem }, at));
  };
  const failed = (): RegoVersions => ({ version: 1, files: new Map(), diagnostics });
  if (root === undefined) return failed();
  if (root.kind !== "Mapping") {
    wrong(`it is ${describeKind(root)}, not an object`, root.span);
    return failed();
  }
  for (const { key, keySpan } of root.entries) {
    const folded = key.toUpperCase().toLowerCase();
    if (key !== folded && MEMBERS.includes(folded)) wrong(`\`${key}\` must be written \`${folded}\``, keySpan);
  }
  const general = given(entryOf(root, "rego_version"));
  const listed = given(entryOf(root, "file_rego_versions"))?.value;
  if (listed !== undefined && listed.kind !== "Mapping")
    wrong(`\`file_rego_versions\` is ${describeKind(listed)}, not an object`, listed.span);
  const patterns = listed?.kind === "Mapping" ? listed.entries.toSorted(byText) : [];
  const numbers = [...(general === undefined ? [] : [general]), ...patterns];
  for (const { key, value } of numbers) {
    if (value.kind === "Number" && /^-?[0-9]+$/.test(value.text)) continue;
    const found = value.kind === "Number" ? `\`${value.text}\`` : describeKind(value);
    wrong(`\`${key}\` is ${found}, not a whole number`, value.span);
  }
  for (const { key, keySpan } of patterns)
    if (matches(key, "/") === undefined)
      diagnostics.push(sourcesDiagnostic("sources/rego-version-glob", { pattern: key }, keySpan));
  if (hasErrors(diagnostics)) return failed();

  const deciding = new Map(
    paths.map((path) => [path, patterns.find(({ key }) => matches(key, `/${path}`) === true) ?? general]),
  );
  for (const entry of numbers) {
    if (versionOf(entry) !== undefined) continue;
    const decided = paths.find((path) => deciding.get(path) === entry);
    const file = decided !== undefined ? `/${decided}` : entry === general ? "/" : entry.key;
    const { text: version } = entry.value as { readonly text: string };
    diagnostics.push(sourcesDiagnostic("sources/unknown-rego-version", { version, file }, entry.value.span));
  }
  if (hasErrors(diagnostics)) return failed();
  const known = (entry: MappingEntry | undefined): RegoVersion => versionOf(entry) as RegoVersion;
  const files = new Map([...deciding].map(([path, entry]) => [path, known(entry)]));
  return { version: known(general), files, diagnostics };
}

/** To OPA a member that is null is one that is not there. */
function given(entry: MappingEntry | undefined): MappingEntry | undefined {
  return entry?.value.kind === "Null" ? undefined : entry;
}

/** `undefined` for a number that is not a version; without an entry the version is 1. */
function versionOf(entry: MappingEntry | undefined): RegoVersion | undefined {
  if (entry === undefined) return 1;
  const text = entry.value.kind === "Number" ? entry.value.text : "";
  return text === "0" ? 0 : text === "1" ? 1 : text === "2" ? 2 : undefined;
}

function byText(a: MappingEntry, b: MappingEntry): number {
  return compareValues({ kind: "string", value: a.key }, { kind: "string", value: b.key });
}
