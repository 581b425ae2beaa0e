/** `opa check --strict` against ours: what strict mode finds in the modules of a folder, and what we warn of besides. */

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, type Diagnostic } from "../../compiler/rego/index.ts";
import { OPA_VERSION } from "../conformance/opa-release.ts";
import { warnings } from "./warnings.ts";

export interface Checked {
  readonly name: string;
  readonly commit: string;
  readonly modules: number;
  /** What OPA's strict mode finds. */
  readonly strict: number;
  /** What we warn of, and have read. */
  readonly warnings: number;
  readonly problems: readonly string[];
}

interface OpaError {
  readonly message: string;
  readonly location?: { readonly file: string; readonly row: number; readonly col: number };
}

/** What strict mode adds. Other faults end an analysis at different places. */
const STRICT =
  /(?: unused$|^unused argument |^import must not shadow |must not shadow (?:input|data) |^deprecated built-in )/;

/** The findings of one run of both tools over the same modules. */
export function compareStrict(
  opa: string,
  checkout: string,
  files: readonly string[],
): Omit<Checked, "name" | "commit"> {
  const theirs = opaFindings(opa, checkout, files);
  const modules = Object.fromEntries(files.map((file) => [file, readFileSync(join(checkout, file), "utf8")]));
  const capabilities = JSON.parse(
    execFileSync(opa, ["capabilities", "--current"], { encoding: "utf8", maxBuffer: 1 << 26 }),
  ) as Capabilities;
  const allowBuiltins = capabilities.builtins.map(({ name }) => name);
  const strict = check({ modules, capabilities, allowBuiltins, strict: true });
  const ours = strict.diagnostics
    .filter(({ severity, message }) => severity === "error" && STRICT.test(message))
    .map(placed);
  const warned = check({ modules, capabilities, allowBuiltins }).diagnostics.filter(({ code }) =>
    code.startsWith("bugs/"),
  );
  return {
    modules: files.length,
    strict: theirs.length,
    warnings: warned.length,
    problems: [...differences(theirs, ours), ...unread(warned)],
  };
}

interface Capabilities {
  readonly builtins: readonly { readonly name: string }[];
}

function opaFindings(opa: string, checkout: string, files: readonly string[]): string[] {
  const flags = ["check", "--strict", "--max-errors", "0", "--format", "json"];
  const { stderr } = spawnSync(opa, [...flags, ...files], { cwd: checkout, encoding: "utf8", maxBuffer: 1 << 28 });
  const { errors = [] } = (stderr.trim() === "" ? {} : JSON.parse(stderr)) as { errors?: readonly OpaError[] };
  return errors
    .filter(({ message }) => STRICT.test(message))
    .map(({ message, location: at }) => `${at?.file}:${at?.row}:${at?.col} ${message}`);
}

function placed({ span, message }: Diagnostic): string {
  const at = span?.file.positionAt(span.start);
  return `${span?.file.name}:${at?.line}:${at?.column} ${message}`;
}

function differences(theirs: readonly string[], ours: readonly string[]): string[] {
  const count = (all: readonly string[], one: string): number => all.filter((other) => other === one).length;
  return [...new Set([...theirs, ...ours])].flatMap((one) => {
    const [a, b] = [count(theirs, one), count(ours, one)];
    return a === b ? [] : [`${one}: opa finds it ${a} times, portcullis ${b} times`];
  });
}

/** Every warning is read once: whether what it says is so. */
function unread(found: readonly Diagnostic[]): string[] {
  return found.flatMap((d) => {
    const place = `${d.span?.file.name} ${d.code.slice("bugs/".length)}`;
    return warnings.has(place) ? [] : [`not read: ${placed(d)} (${d.code})`];
  });
}

export function strictTable(rows: readonly Checked[]): string {
  const sum = (of: (row: Checked) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const cells = (
    name: string,
    commit: string,
    r: Omit<Checked, "name" | "commit" | "problems">,
    differ: number,
  ): string => `| ${name} | ${commit} | ${r.modules} | ${r.strict} | ${differ} | ${r.warnings} |`;
  const lines = rows.map((r) => cells(r.name, `\`${r.commit.slice(0, 10)}\``, r, r.problems.length));
  const all = { modules: sum((r) => r.modules), strict: sum((r) => r.strict), warnings: sum((r) => r.warnings) };
  return `# Strict mode, and warnings, over public repositories

Written by \`make field\`. Strict: what \`opa check --strict\` of OPA ${OPA_VERSION} finds that \`opa check\` does not, code, place and
message; what \`portcullis check --strict\` finds otherwise is counted under differ. Modules of Rego v0 are converted by \`opa fmt --v0-v1\`
first; those that it fails to convert are left out. Warnings: codes of \`bugs/\`, each of which was read, with the verdict in
[warnings.ts](warnings.ts).

| repository | commit | modules | strict | differ | warnings |
|---|---|--:|--:|--:|--:|
${[
  ...lines,
  cells(
    "all",
    "",
    all,
    sum((r) => r.problems.length),
  ),
].join("\n")}
`;
}
