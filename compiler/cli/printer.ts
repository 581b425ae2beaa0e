/**
 * The printer: everything that a command says goes through here. Much of it comes from outside (names of files, keys of
 * YAML, reasons, an unverified token's words), and a terminal or a CI would obey some of it. So control characters and what
 * reorders text are shown as `\uXXXX`, which JSON reads back as the same text, and no line looks like a command of a CI.
 */

import { escapeCharacter, escapeUnprintable } from "@portcullis/rego/diagnostics";
import type { Paint, Terminal, Voice } from "./terminal.ts";

/** GitHub reads a command after white space at the start of a line; it and others read `##…[` anywhere in one. */
const COMMAND = /^[^\S\n]*::|##(?=[a-z]*\[)/gim;

/** Text as it may be printed. */
export function printable(text: string): string {
  return escapeUnprintable(text).replace(COMMAND, (found) =>
    found.startsWith("#") ? `${escapeCharacter("#")}#` : found.replace(":", escapeCharacter),
  );
}

/** The same for a text that stands in one line: nothing from outside begins a line of its own. */
export function printableLine(text: string): string {
  return printable(text.replace(/\n/g, "\\n"));
}

/** A terminal that prints what may be printed. Colours are ours: they are put in after everything else was escaped. */
export function printing(voice: Voice): Terminal {
  const paint = paintMarks(voice.paint);
  const print = (text: string): string => paint.resolve(printable(text));
  return {
    out: (text) => voice.out(print(text)),
    line: (text) => voice.out(`${paint.resolve(printableLine(text))}\n`),
    err: (text) => voice.err(print(text)),
    outBytes: (bytes) => voice.outBytes(bytes),
    command: (line) => voice.out(`${escapeUnprintable(line.replace(/\n/g, "%0A"))}\n`),
    draw: (text) => voice.err(`\r${paint.resolve(printableLine(text))}`),
    readInput: () => voice.readInput(),
    get streams() {
      return voice.streams;
    },
    paint: paint.paint,
    interactive: voice.interactive,
  };
}

const COLOURS = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

/**
 * Colours as marks that text from outside cannot contain: they hold a name of this run. `resolve` makes them what the
 * terminal understands.
 */
function paintMarks(paint: Paint): { readonly paint: Paint; resolve(text: string): string } {
  if (paint.red("x") === "x") return { paint, resolve: (text) => text };
  const name = crypto.randomUUID();
  const codes = COLOURS.flatMap((colour) => paint[colour]("\n").split("\n") as [string, string]);
  const mark = (index: number): string => `<${name}:${index}>`;
  const marked = COLOURS.map((colour, i) => [
    colour,
    (text: string) => (text === "" ? "" : `${mark(2 * i)}${text}${mark(2 * i + 1)}`),
  ]);
  return {
    paint: Object.fromEntries(marked) as unknown as Paint,
    resolve: (text) =>
      text.replace(new RegExp(`<${name}:(\\d+)>`, "g"), (_, index: string) => codes[Number(index)] ?? ""),
  };
}
