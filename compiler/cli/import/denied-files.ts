/**
 * Files that settings deny to a tool, or ask about, are denied to what else reads and writes them: to tools of another name, and to the
 * commands that Claude Code knows as readers and writers of files. No draft can say what any other program opens.
 */

import { type CommandRule, isElsewhere, type PermissionRule, placeOf } from "./permission-rules.ts";

/** Tools that a denial of `Read` is about, besides: what shows a file or whether a text is in it, and what writes it. */
export const READ_BY: readonly string[] = "Edit Grep Glob LS MultiEdit NotebookEdit NotebookRead Write".split(" ");

/** Tools that look into folders: no path that one of them gets tells what it reads below. */
export const SEARCHING: readonly string[] = ["Grep", "Glob", "LS"];

/** Commands that run the command behind them, which the settings' rules are about then. */
const WRAPPERS: readonly string[] = "builtin command nice noglob nohup stdbuf time timeout xargs".split(" ");

export function isWrapper(program: string | undefined): boolean {
  return WRAPPERS.includes(program?.split("/").at(-1) ?? "");
}

/** Commands of files: `cat .env` reads what `Read(.env)` is about, and `tee` writes it. */
const OF_FILES: ReadonlySet<string> = new Set([
  ...WRAPPERS,
  ...(
    "awk base64 bat cat cmp column comm cp csplit cut dd diff egrep fgrep file find fold gawk grep gunzip gzip head hexdump install jq join " +
    "less ln ls md5sum mkdir more mv nl od paste patch perl rg rm rmdir rsync scp sed sha1sum sha256sum shred sort split stat strings tac tail tar tee " +
    "touch truncate uniq unzip wc xxd yq zcat zip"
  ).split(" "),
]);

const FILES: readonly string[] = ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "NotebookRead"];

/** Rules of which a command of files may be a way around: denials, and questions. */
export function fileDenials(rules: readonly PermissionRule[]): PermissionRule[] {
  return rules.filter(({ effect, tool }) => effect !== "allow" && FILES.includes(tool));
}

/** The first of the rules that is about a file which such commands may open. */
export function deniedFile(
  { words, isOpen }: CommandRule,
  rules: readonly PermissionRule[],
): PermissionRule | undefined {
  const [program = "", ...others] = words;
  if (!OF_FILES.has(program.split("/").at(-1) as string)) return undefined;
  if (isOpen) return rules[0];
  return rules.find((rule) => others.some((word) => !word.startsWith("-") && mayOpen(word, rule)));
}

/** Whether a file or folder that a word names may be one of a rule, or hold one. */
function mayOpen(word: string, rule: PermissionRule): boolean {
  const { of } = rule;
  if (of === undefined) return true;
  const path = word.toLowerCase().replace(/^(?:\.\/)+/, "");
  if (path.startsWith("/") || path.split("/").includes("..")) return true;
  if (isElsewhere(of)) return false;
  const place = placeOf(rule)?.toLowerCase();
  if (place === undefined) return true;
  return path === "." || place === "." || isBelow(path, place) || isBelow(place, path);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, "")}/`);
}
