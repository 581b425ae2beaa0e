/** A terminal over arrays, and the command line run on it. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { main } from "../../compiler/cli/main.ts";
import type { Voice } from "../../compiler/cli/terminal.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What was written as bytes. */
  readonly bytes: Uint8Array;
}

/** Runs one command line, without its program's name. */
export async function portcullis(...argv: string[]): Promise<Ran> {
  let out = "";
  let err = "";
  const bytes: Uint8Array[] = [];
  const plain = (text: string): string => text;
  const terminal: Voice = {
    out: (text) => void (out += text),
    outBytes: (chunk) => void bytes.push(chunk),
    err: (text) => void (err += text),
    readInput: async () => new Uint8Array(),
    paint: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain },
    interactive: false,
  };
  const code = await main(argv, terminal);
  return { code, out, err, bytes: Buffer.concat(bytes) };
}

/** A fresh folder by its canonical path. */
export function temporaryFolder(): string {
  return realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-test-")));
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Writes a file, its folders made; anything but text and bytes as JSON. Gives the path back. */
export function write(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  const raw = typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content);
  writeFileSync(path, raw);
  return path;
}
