/**
 * One fault is one finding: what only follows from another finding is left out. A misspelt role of a lane is the cause; that
 * the role meant is admitted by no lane follows, and would be gone with it.
 */

import { type Diagnostic, hasErrors } from "../base/diagnostic.ts";
import { syntaxCauses } from "../sources/index.ts";

/** What a cause has to do with what follows from it. */
interface Consequence {
  readonly cause: string;
  readonly codes: readonly string[];
  /**
   * `names`: they share an id, or the one that is meant. `file`: the cause is in that file. `related`: the cause is in a file that
   * the finding points to. `part`: it names an entry of the part that has none. `any`: wherever they are.
   */
  readonly by: "names" | "file" | "related" | "place" | "part" | "any";
}

const UNUSED = ["model/role-without-lane", "model/claim-not-admitted", "model/admitted-without-claim"];
const DELEGATES = ["model/allowlist-resolves-to-nothing", "model/agent-in-no-allowlist"];

const TEST_AXIS = "model/invalid-test-axis";
const NAMED = [
  ...UNUSED,
  "model/undefined-role",
  "model/undefined-tool",
  "model/undefined-claimed-lane",
  "model/undefined-allowed-lane",
  "model/tool-without-lane",
  "pipeline/impossible-comparison",
  TEST_AXIS,
];
/** What is said of names that a part does not have, where it has none at all. */
const OF_EMPTY: { readonly [entry: string]: readonly string[] } = {
  // That a lane admits an undefined role has a place, and stays.
  role: [TEST_AXIS],
  lane: [
    ...UNUSED,
    "model/undefined-claimed-lane",
    "model/undefined-allowed-lane",
    "model/tool-without-lane",
    "model/write-target-of-no-lane",
    TEST_AXIS,
  ],
  tool: ["model/undefined-tool", "model/undefined-delegable-tool", TEST_AXIS],
};

const CONSEQUENCES: readonly Consequence[] = [
  { cause: "model/undefined-role", codes: UNUSED, by: "names" },
  { cause: "model/undefined-tool", codes: ["model/tool-without-lane"], by: "names" },
  { cause: "model/undefined-allowed-lane", codes: ["model/lane-excluded-by-tool"], by: "names" },
  { cause: "model/undefined-delegable-tool", codes: ["model/child-tools-exceed-parent"], by: "any" },
  { cause: "model/confusable-id", codes: NAMED, by: "names" },
  { cause: "model/invalid-id", codes: NAMED, by: "names" },
  { cause: "model/empty-part", codes: Object.values(OF_EMPTY).flat(), by: "part" },
  { cause: "model/absent-part", codes: [TEST_AXIS], by: "any" },
  { cause: "model/lane-without-roles", codes: ["model/claim-not-admitted"], by: "names" },
  { cause: "model/subagent-undefined", codes: DELEGATES, by: "names" },
  { cause: "model/subagent-not-type-2", codes: DELEGATES, by: "names" },
  { cause: "model/unreadable-agent-type", codes: ["model/agent-without-type"], by: "file" },
  { cause: "model/unreadable-agent-type", codes: ["model/subagent-not-type-2"], by: "related" },
  { cause: "model/unreadable-agent-type", codes: ["model/allowlist-resolves-to-nothing"], by: "any" },
  { cause: "model/agent-without-type", codes: ["model/allowlist-of-non-persona"], by: "names" },
  { cause: "sources/late-front-matter", codes: ["model/agent-without-type", "model/agent-in-no-allowlist"], by: "any" },
  { cause: "model/misspelt-front-matter-key", codes: ["model/agent-in-no-allowlist"], by: "any" },
  { cause: "model/invalid-subagents", codes: ["model/agent-in-no-allowlist"], by: "any" },
  { cause: "model/spawn-target-undefined", codes: ["model/type-not-spawnable"], by: "names" },
  { cause: "sources/unclosed-front-matter", codes: ["model/agent-without-type"], by: "file" },
  { cause: "rego/missing-if", codes: ["rego/missing-contains"], by: "place" },
  { cause: "sources/unknown-alias", codes: ["sources/wrong-type"], by: "place" },
  { cause: "sources/wrong-type", codes: ["sources/leading-zero"], by: "place" },
  {
    cause: "sources/misnamed-file",
    codes: [
      "model/absent-part",
      "model/subagent-undefined",
      "model/allowlist-resolves-to-nothing",
      "model/lineage-not-required",
      "model/type-not-spawnable",
      TEST_AXIS,
    ],
    by: "any",
  },
  {
    cause: "sources/merge-conflict",
    codes: ["model/subagent-undefined", "model/allowlist-resolves-to-nothing"],
    by: "any",
  },
  { cause: "lower/data-not-object", codes: ["pipeline/undefined-data"], by: "any" },
];

/** The findings without those that follow from others. A warning from which an error follows is an error: it stands for it. */
export function causesOf(found: readonly Diagnostic[]): Diagnostic[] {
  const diagnostics = syntaxCauses(found);
  const byCode = new Map<string, Diagnostic[]>();
  for (const d of diagnostics) byCode.set(d.code, [...(byCode.get(d.code) ?? []), d]);
  const settingsBroken = diagnostics.some(
    (d) => d.severity === "error" && /(?:^|\/)portcullis\.ya?ml$/.test(fileOf(d)),
  );
  const partUnread = diagnostics.some((d) => d.severity === "error" && isOfPart(d));
  const standing = new Set<Diagnostic>();
  const kept = diagnostics.filter((d) => {
    // Settings that were not read leave nothing to say of roots.
    if (settingsBroken && d.code === "model/type-not-spawnable") return false;
    // Ids that were not read cannot be known to tests.
    if (partUnread && d.code === TEST_AXIS) return false;
    // Quotes that Rego does not have come in pairs.
    if (d.code === "rego/illegal-character") return isFirstOfLine(d, byCode.get(d.code) ?? []);
    // A module of Rego v0 is rewritten as a whole.
    if (OF_V0.has(d.code) && isOfOldModule(d, diagnostics)) return false;
    if (d.code === "model/agent-without-type")
      if ((byCode.get("model/subagent-not-type-2") ?? []).some((c) => c.params?.["subagent"] === d.params?.["agent"]))
        return false;
    if (d.code === "sources/missing-key") return !isMisspelt(d, byCode.get("sources/unknown-key") ?? []);
    const causes = CONSEQUENCES.filter(({ codes }) => codes.includes(d.code)).flatMap(({ cause, by }) =>
      (byCode.get(cause) ?? []).filter((c) => follows(d, c, by)),
    );
    if (d.severity === "error") for (const cause of causes) standing.add(cause);
    return causes.length === 0;
  });
  const told = kept.map((d): Diagnostic => (standing.has(d) ? { ...d, severity: "error" } : d));
  // Whatever the table says, a set with an error does not compile.
  return hasErrors(diagnostics) && !hasErrors(told) ? [...diagnostics] : told;
}

function follows(d: Diagnostic, cause: Diagnostic, by: Consequence["by"]): boolean {
  switch (by) {
    case "any":
      return true;
    case "file":
      return fileOf(d) === fileOf(cause);
    case "related":
      return (d.related ?? []).some(({ span }) => span.file.name === fileOf(cause));
    case "place":
      return fileOf(d) === fileOf(cause) && d.span?.start === cause.span?.start;
    case "part":
      return OF_EMPTY[String(cause.params?.["entry"])]?.includes(d.code) === true;
    case "names": {
      const names = namesOf(cause);
      return [...namesOf(d)].some((name) => names.has(name));
    }
  }
}

function fileOf({ span }: Diagnostic): string {
  return span?.file.name ?? "";
}

/** Ids that a finding is about: those that its message names, what it marks, and what was meant. */
function namesOf({ params, help, span }: Diagnostic): Set<string> {
  const values = Object.values(params ?? {}).flatMap((value) => [String(value), visible(String(value))]);
  const marked = span === undefined ? "" : span.file.text.slice(span.start, span.end);
  const meant = /^did you mean `(.*)`\?$/.exec(help ?? "")?.[1];
  const names = [
    ...values,
    ...(marked.length < 100 ? [marked, visible(marked)] : []),
    ...(meant === undefined ? [] : [meant]),
    // Names that only lack a comma.
    ...(help?.startsWith("write commas") === true ? marked.split(/\s+/) : []),
  ];
  return new Set(names.filter((name) => name !== ""));
}

/** Without quotes and what cannot be seen. */
function visible(text: string): string {
  return text.replace(/[\p{Cf}\s"'\u2018-\u201f]/gu, "");
}

/** A fault for which a file of roles, lanes or tools was not read. */
function isOfPart(d: Diagnostic): boolean {
  return d.code.startsWith("sources/") && /(?:^|\/)(?:roles|lanes|tool_registry)\.ya?ml$/.test(fileOf(d));
}

const OF_V0: ReadonlySet<string> = new Set(["rego/missing-if", "rego/missing-contains"]);

function isOfOldModule(d: Diagnostic, all: readonly Diagnostic[]): boolean {
  const first = all.find((other) => OF_V0.has(other.code) && fileOf(other) === fileOf(d));
  return first !== d && first?.help?.includes("seems to be Rego v0") === true;
}

function isFirstOfLine(d: Diagnostic, all: readonly Diagnostic[]): boolean {
  const line = lineOf(d);
  return all.find((other) => lineOf(other) === line) === d;
}

function lineOf({ span }: Diagnostic): string {
  return span === undefined ? "" : `${span.file.name}:${span.file.positionAt(span.start).line}`;
}

/** A key that is missing, where one that looks like it is there. */
function isMisspelt(missing: Diagnostic, unknown: readonly Diagnostic[]): boolean {
  const key = String(missing.params?.["key"]);
  const isMeant = (help = ""): boolean =>
    help === `did you mean \`${key}\`?` || help.endsWith(` belongs into \`${key}\``);
  return unknown.some((u) => fileOf(u) === fileOf(missing) && isMeant(u.help));
}
