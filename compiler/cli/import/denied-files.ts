/**
 * Files that settings deny to a tool, or ask about, are denied to what else reads and writes them: to tools of another name, and to the
 * commands that Claude Code knows as readers and writers of files. No draft can say what any other program opens.
 */

import { type CommandRule, isElsewhere, nameOf, type PermissionRule, placeOf } from "./permission-rules.ts";
import { isProtected } from "./protected-files.ts";

/** Tools that a denial of `Read` is about, besides: what shows a file or whether a text is in it, and what writes it. */
export const READ_BY: readonly string[] = "Edit Grep Glob LS LSP MultiEdit NotebookEdit NotebookRead Write".split(" ");

/** Tools that look into folders: no path that one of them gets tells what it reads below. */
export const SEARCHING: readonly string[] = ["Grep", "Glob", "LS"];

/** Commands that run the command behind them, which the settings' rules are about then. */
const WRAPPERS: readonly string[] = (
  "builtin chrt command doas env exec flock ionice ltrace nice noglob nohup nsenter sandbox-exec script setsid stdbuf strace sudo " +
  "taskset time timeout unshare watch xargs"
).split(" ");

/** Commands of a shell that read their arguments as code, or load more commands. */
const READING_CODE: readonly string[] = (
  ". alias autoload bind compgen complete coproc emulate enable eval fc hash let mapfile nocorrect readarray source sysopen sysread sysseek " +
  "syswrite trap zcompile zf_chmod zf_chown zf_ln zf_mkdir zf_mv zf_rm zf_rmdir zmodload zpty zsocket ztcp"
).split(" ");

export function isWrapper(program: string | undefined): boolean {
  return WRAPPERS.includes(nameOf(program));
}

/** Commands of files: `cat .env` reads what `Read(.env)` is about, and `tee` writes it. */
const OF_FILES: ReadonlySet<string> = new Set([
  ...WRAPPERS,
  ...(
    "awk base64 bat cat cd cmp column comm cp csplit cut dd diff egrep expand fgrep file find fmt fold gawk grep gunzip gzip head hexdump install " +
    "jq join less link ln ls man mawk md5sum mkdir more mv nawk nl numfmt od paste patch perl pr pushd rev rg rm rmdir rsync scp sed sha1sum " +
    "sha256sum shred sort split stat strings tac tail tar tee touch tr truncate tsort unexpand uniq unzip wc xxd yq zcat zip"
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
  const [program, ...others] = words;
  if (!isOfFiles(program, others)) return undefined;
  if (isOpen) return rules[0];
  return rules.find((rule) => others.some((word) => !word.startsWith("-") && mayOpen(word, rule)));
}

function isOfFiles(program: string | undefined, [first]: readonly string[]): boolean {
  const name = nameOf(program);
  // `git` without a word behind it may be any of its own commands, and its options name folders.
  return OF_FILES.has(name) || (name === "git" && /^(?:-.*|diff|grep)$/.test(first ?? "-"));
}

/** Commands that go elsewhere, or take the whole project away, without a word or with one of `.` and `-`. */
const OF_WHOLE: readonly string[] = ["cd", "mv", "pushd", "rm", "rmdir"];

/** Whether a command of an allowed rule is one that is asked about, whatever a rule allows: for what it runs, or the files it may name. */
export function isAskedAbout({ words: [program, ...others], isOpen }: CommandRule): boolean {
  const name = nameOf(program);
  if (!isOfFiles(program, others)) return isOpen && READING_CODE.includes(name);
  const isWhole = others.length === 0 || others.some((word) => /^[.-]\/?$/.test(word));
  return isOpen || others.some(isAway) || (OF_WHOLE.includes(name) && isWhole);
}

/** Whether a word may be a file outside of the project, or a protected one. */
function isAway(word: string): boolean {
  const path = word.toLowerCase().replaceAll("=", "/");
  return /^(?:\/|-.*\/)/.test(path) || path.split("/").includes("..") || isProtected(path);
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
