/**
 * A file that a command writes where an option says. What the same command wrote there before is replaced, and its own content
 * tells; any other file is somebody's own: a source of the policy, a key, a bundle.
 */

import { lstatSync, readFileSync, type Stats } from "node:fs";
import { CliError, EXIT_USAGE } from "./exit.ts";
import { isStream } from "./write.ts";

/** For the help of commands that call `refuseOthersFile`. */
export const REPLACES = "A file that is there is replaced only where this command wrote it.";

export interface OutputKind {
  /** The command, as it is typed: `explore`. */
  readonly command: string;
  /** The option that names the output, and what it names. Without it the output lies beside what is named. */
  readonly option?: "-o" | "--out" | "--pin";
  readonly names?: "file" | "folder";
  /** Whether the command wrote this content. */
  readonly wrote: (bytes: Buffer) => boolean | Promise<boolean>;
}

/** One whose content tells at once. */
export type PlainOutputKind = OutputKind & { readonly wrote: (bytes: Buffer) => boolean };

/**
 * Throws CliError if a file would be replaced that the command did not write. The file is looked at, and no path compared: so no
 * link, `..` or other spelling hides one. An empty file, as `mktemp` makes it, holds nothing to lose.
 */
export async function refuseOthersFile(path: string, kind: OutputKind): Promise<void> {
  const inWay = inWayOf(path);
  if (inWay === undefined || (inWay !== "link" && (await kind.wrote(inWay)))) return;
  throw notReplaced(path, kind);
}

/** The same, for what is written while messages wait. */
export function refuseOthersPlainFile(path: string, kind: PlainOutputKind): void {
  const inWay = inWayOf(path);
  if (inWay === undefined || (inWay !== "link" && kind.wrote(inWay))) return;
  throw notReplaced(path, kind);
}

/** Throws CliError for a link, in whose place a file would be put that belongs behind it. `verb`: what the command does to it. */
export function refuseLink(path: string, verb: string): void {
  if (takesBytes(path) || statOf(path)?.isSymbolicLink() !== true) return;
  throw new CliError(`\`${path}\` is a link and is left as it is: ${verb} the file behind it`);
}

/** A link that leads nowhere is there, too: writing would put a file in its place. */
export function isThere(path: string): boolean {
  return statOf(path) !== undefined;
}

/** The content of a file that would be replaced. `undefined`: writing loses nothing, or says itself why it cannot be. */
function inWayOf(path: string): Buffer | "link" | undefined {
  const there = statOf(path);
  // Writing says so of a folder, and replaces no device.
  if (there === undefined || there.isDirectory() || takesBytes(path)) return undefined;
  // A link may lead to what the command wrote, and is somebody's own all the same.
  if (!there.isFile()) return "link";
  return there.size === 0 ? undefined : contentOf(path);
}

function notReplaced(path: string, { command, option, names = "file" }: OutputKind): CliError {
  const elsewhere = option === undefined ? "" : `name another ${names} with \`${option}\`, or `;
  return new CliError(
    `\`${path}\` is not what \`portcullis ${command}\` wrote, and is not replaced`,
    EXIT_USAGE,
    `${elsewhere}move this file away`,
  );
}

/** By the first line, which says it: `build` writes the same types as `types`. */
export function isGeneratedTypes(bytes: Buffer): boolean {
  return bytes.toString().startsWith("// Made by `portcullis build`");
}

/** The names of the members of an object in JSON; none for anything else. */
export function memberNames(bytes: Buffer): readonly string[] {
  try {
    const value = JSON.parse(bytes.toString()) as unknown;
    return typeof value === "object" && value !== null ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

/** A member of an object in JSON, or of the first object in a list; else `undefined`. */
export function memberOf(bytes: Buffer, name: string): unknown {
  try {
    const [first] = [JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>> | null].flat();
    return first?.[name];
  } catch {
    return undefined;
  }
}

/** `undefined` as well where a file stands in the place of a folder on the way: writing says so. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Not a link that leads in a circle. */
function takesBytes(path: string): boolean {
  try {
    return isStream(path);
  } catch {
    return false;
  }
}

/** Empty if the file cannot be read: then no command takes it for its own. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
