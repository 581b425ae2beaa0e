/** `--pin FILE`: tools of a server as somebody has accepted them, and what it lists otherwise, beside the file. */

import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { acceptPins, isKeptList, Pins } from "@portcullis/enforcement/gateway";
import { CliError, fileProblem } from "./exit.ts";
import type { OptionWord } from "./option-words.ts";
import { type PlainOutputKind, refuseLink, refuseOthersPlainFile } from "./output-file.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { isStream, writeAtomic } from "./write.ts";

export interface PinFlags {
  readonly pin?: string;
  readonly accept: boolean;
}

export const PIN_OPTIONS: readonly OptionWord[] = [
  {
    ...{ name: "pin", value: "<file>", isPath: true },
    text: "tools are shown and called as this file has them; others are hidden, and kept in <file>.new",
  },
  { name: "accept", text: "with --pin: show what <file>.new changes, take it into the file, and end" },
];

/** `<file>.new`, as the proxy writes it. What somebody has edited is theirs until it is accepted. */
const KEPT: PlainOutputKind = {
  command: "mcp",
  option: "--pin",
  names: "file",
  wrote: (bytes) => isKeptList(bytes.toString()),
};

/** Lines that are logged, and characters of one. A server may change what it lists without end, and to compare it takes time. */
const MOST_LINES = 1_000;
const LONGEST_LINE = 4_096;

/**
 * Throws CliError for a file that cannot be read, and where somebody else's file is where the differences belong. Differences are
 * logged when they are found, the first of them.
 */
export function openPins(path: string, log: (line: string) => void): Pins {
  const read = (): string | undefined => textOf(path);
  check(path, read());
  holdKept(`${path}.new`);
  let left = MOST_LINES;
  const tell = (line: string): void => {
    if (left > 0) log(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
    else if (left === 0) log(`further differences are not logged: they stand in \`${path}.new\``);
    left--;
  };
  const keep = (text: string): void => {
    holdKept(`${path}.new`);
    writeAtomic(`${path}.new`, text);
    if (left < 0) return;
    const { before, after } = acceptPins(read(), text);
    for (const line of unifiedDiff(path, before, after).trimEnd().split("\n")) tell(line);
  };
  return new Pins({ read, keep, log: tell });
}

/** Takes what was kept, and gives the difference. Throws CliError where nothing was. */
export function acceptKept(path: string): string {
  const kept = textOf(`${path}.new`);
  if (kept === undefined)
    throw new CliError(`there is no \`${path}.new\`: the server has listed nothing else than what is accepted`);
  refuseLink(path, "name");
  const pinned = textOf(path);
  let difference: string;
  try {
    const { before, after } = acceptPins(pinned, kept);
    difference = unifiedDiff(path, before, after);
    writeAtomic(path, after);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`\`${path}\` or \`${path}.new\` is no file of pins: ${(error as Error).message}`);
  }
  rmSync(`${path}.new`, { force: true });
  return difference;
}

/** Throws CliError where somebody else's file is, or a pipe, which would be waited for. */
function holdKept(path: string): void {
  if (isStream(path)) throw new CliError(`\`${path}\` is no regular file`);
  refuseOthersPlainFile(path, KEPT);
}

function check(path: string, text: string | undefined): void {
  try {
    if (text !== undefined) acceptPins(text, '{"tools":[]}');
  } catch (error) {
    throw new CliError(`\`${path}\` is no file of pins: ${(error as Error).message}`);
  }
}

/** A pipe is not waited for: a proxy that stands still hears no signal. */
function textOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) throw new Error("it is no regular file");
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
