/**
 * Runs a `console` block: each line `$ portcullis …` with the output that stands below it, where `…` stands for anything.
 * A command must succeed, unless `$ echo $?` after it shows another exit code. `echo '…' | ` before a command is its input.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { main } from "../../compiler/cli/main.ts";
import type { Voice } from "../../compiler/cli/terminal.ts";
import { root } from "./page.ts";

const plain = { bold: String, dim: String, red: String, green: String, yellow: String, cyan: String };

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function portcullis(args: readonly string[], input = ""): Promise<Outcome> {
  let out = "";
  let err = "";
  const terminal: Voice = {
    out: (text) => void (out += text),
    outBytes: (bytes) => void (out += new TextDecoder().decode(bytes)),
    err: (text) => void (err += text),
    readInput: async () => new TextEncoder().encode(input),
    paint: plain,
    interactive: false,
  };
  return { code: await main(args, terminal), out, err };
}

export async function runSession(text: string): Promise<void> {
  const steps = text.split(/^\$ /m).filter((step) => step.trim() !== "");
  expect(steps.length).toBeGreaterThan(0);
  let code = 0;
  for (const [at, step] of steps.entries()) {
    const [command = "", ...output] = step.split("\n");
    const expected = output.join("\n");
    if (command === "echo $?") {
      expect(expected.trim(), command).toBe(String(code));
      continue;
    }
    if (/^(make|npm|npx|cd|cat) /.test(command)) continue;
    const result = await run(command);
    code = result.code;
    const codeIsShown = steps[at + 1]?.startsWith("echo $?") === true;
    if (!codeIsShown) expect(`${result.code} ${result.err}`, command).toBe("0 ");
    expect(`${result.out}${result.err}`.trim(), command).toMatch(pattern(expected));
  }
}

/** Words are split at spaces, but for those in single quotes. `"$PWD/…"` is a path below the working folder. */
async function run(command: string): Promise<Outcome> {
  const piped = /^echo '([^']*)' \| (.*)$/.exec(command);
  const fromFile = /^(.*) < (\S+)$/.exec(piped?.[2] ?? command);
  const line = (fromFile?.[1] ?? piped?.[2] ?? command).replaceAll(/"\$PWD\/([^"]+)"/g, (_, path) => resolve(path));
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? "");
  const [program, ...args] = words;
  expect(program, command).toBe("portcullis");
  return portcullis(args, fromFile ? readFileSync(fromFile[2] as string, "utf8") : (piped?.[1] ?? ""));
}

function pattern(expected: string): RegExp {
  const escaped = expected
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[\\s\\S]*")}`);
}

/** Every `make` target that a page names is one of the Makefile's. */
export function unknownTargets(text: string): string[] {
  const makefile = readFileSync(join(root, "Makefile"), "utf8");
  const named = [...text.matchAll(/(?:`|^|&& )make ([a-z-]+)/gm)].map((m) => m[1] as string);
  return [...new Set(named)].filter((target) => !new RegExp(`^${target}:`, "m").test(makefile));
}

export function brokenLinks(page: string, links: readonly string[]): string[] {
  return links.filter((link) => !existsSync(join(root, page, "..", link)));
}
