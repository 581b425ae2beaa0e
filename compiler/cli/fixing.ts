/** `check --fix`: shows names that were meant and rules that are written again, and writes them when somebody says so. */

import { lstatSync, readFileSync } from "node:fs";
import type { Host } from "@portcullis/documents";
import { editedText, renamesOf } from "@portcullis/governance/checks";
import { type Diagnostic, type Edit, hasErrors, type SourceFile } from "@portcullis/rego/diagnostics";
import { agreed, type Consent } from "./agreed.ts";
import { count } from "./commands/options.ts";
import { CliError, EXIT_FINDINGS } from "./exit.ts";
import type { Terminal } from "./terminal.ts";
import { writeAllAtomic } from "./write.ts";

/**
 * Shows the changes, and writes them with `--yes` or after a yes at the terminal. `recheck` says what the set would be found
 * with: changes that bring an error that was not there are not written. Gives whether anything was written.
 */
export async function fixFindings(
  terminal: Terminal,
  host: Host,
  diagnostics: readonly Diagnostic[],
  flags: Consent,
  recheck: (host: Host) => Promise<readonly Diagnostic[]>,
): Promise<boolean> {
  const fixes = new Map([...renamesOf(diagnostics)].filter(([file]) => isWritable(terminal, file)));
  if (fixes.size === 0) {
    terminal.err("nothing to fix: no finding proposes another name or another form\n");
    return false;
  }
  for (const [file, changes] of fixes) show(terminal, file, changes);
  const texts = new Map([...fixes].map(([file, changes]) => [file.name, editedText(file, changes)]));
  const worse = newErrors(diagnostics, await recheck(withTexts(host, texts)));
  if (worse.length > 0) {
    const [first] = worse;
    terminal.err(
      `not written: it would bring ${count(worse.length, "new error")}, the first \`${first?.code}\`: ${first?.message}\n`,
    );
    return false;
  }
  if (!(await agreed(terminal, flags))) return false;
  writeAllAtomic(
    [...fixes.keys()].map((file) => ({ path: file.name, content: mark(file) + (texts.get(file.name) as string) })),
  );
  const all = [...fixes.values()].flat();
  const what = all.some(({ text }) => text.includes("\n")) ? "change" : "name";
  terminal.err(`${count(all.length, what)} written in ${count(fixes.size, "file")}\n`);
  return true;
}

/** The lines that change, as a difference. */
function show(terminal: Terminal, file: SourceFile, fixes: readonly Edit[]): void {
  const { red, green, bold } = terminal.paint;
  terminal.out(`${bold(file.name)}\n`);
  const lines = new Set(fixes.map(({ at }) => file.positionAt(at.start).line));
  for (const line of lines) {
    const start = file.lineStarts()[line - 1] as number;
    const here = fixes.filter(({ at }) => file.positionAt(at.start).line === line);
    const last = Math.max(...here.map(({ at }) => file.positionAt(at.end).line));
    const before = file.text.slice(start, (file.lineStarts()[last - 1] as number) + file.lineText(last).length);
    let after = before;
    for (const { at, text } of [...here].reverse())
      after = after.slice(0, at.start - start) + text + after.slice(at.end - start);
    const marked = (sign: string, text: string): string =>
      text
        .split("\n")
        .map((l) => `${sign} ${l.replace(/\r$/, "")}`)
        .join("\n");
    terminal.out(`${line}\n${red(marked("-", before))}\n${green(marked("+", after))}\n`);
  }
}

/** The same files with other texts in the places of some, by the names that findings have. */
function withTexts(host: Host, texts: ReadonlyMap<string, string>): Host {
  return {
    listFiles: (dir) => host.listFiles(dir),
    readFile(dir, path) {
      const bytes = host.readFile(dir, path);
      const name = [`${dir.replace(/\/+$/, "")}/${path}`, path].find((n) => texts.has(n));
      return name === undefined ? bytes : new TextEncoder().encode(texts.get(name));
    },
  };
}

function newErrors(before: readonly Diagnostic[], after: readonly Diagnostic[]): Diagnostic[] {
  if (!hasErrors(after)) return [];
  const known = new Set(before.map((d) => `${d.code} ${d.message}`));
  return after.filter((d) => d.severity === "error" && !known.has(`${d.code} ${d.message}`));
}

/** A link is left as it is: what lies behind it may be no part of the set. */
function isWritable(terminal: Terminal, file: SourceFile): boolean {
  const there = lstatSync(file.name, { throwIfNoEntry: false });
  if (there?.isSymbolicLink())
    terminal.err(`\`${file.name}\` is a link and is left as it is: fix the file behind it\n`);
  return there?.isFile() ?? false;
}

/** The mark at the start that reading took off. Fails where somebody has written the file since it was checked. */
function mark(file: SourceFile): string {
  const text = readFileSync(file.name, "utf8");
  if (text.replace(/^\ufeff/, "") !== file.text.replace(/^\ufeff/, ""))
    throw new CliError(`\`${file.name}\` has changed since it was checked, so nothing was written`, EXIT_FINDINGS);
  return text.startsWith("\ufeff") && !file.text.startsWith("\ufeff") ? "\ufeff" : "";
}
