/** Two texts of a file as a unified diff, which `patch -p0` and `git apply -p0` read. */

import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from "diff";

/** More changed lines than these are not told apart: the time grows with their square, here half a second. */
const MOST_EDITS = 2_000;

/**
 * Empty where the texts are the same. Line ends count as they are. Texts that differ in very many lines are one change: all
 * lines out, all lines in.
 */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const options = { headerOptions: FILE_HEADERS_ONLY, maxEditLength: MOST_EDITS };
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, options) ?? whole(path, before, after);
}

function whole(path: string, before: string, after: string): string {
  const [removed, added] = [marked("-", before), marked("+", after)];
  const hunk = {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  };
  const patch = { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

function marked(mark: string, text: string): { readonly count: number; readonly lines: readonly string[] } {
  const lines = text.split("\n");
  const ended = lines.at(-1) === "";
  if (ended) lines.pop();
  const count = lines.length;
  return {
    count,
    lines: [...lines.map((line) => mark + line), ...(ended || count === 0 ? [] : ["\\ No newline at end of file"])],
  };
}
