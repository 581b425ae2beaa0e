/**
 * Runs a `console` block: each line `$ portcullis …` with the output that stands below it, where `…` stands for anything.
 * A command must succeed, unless `$ echo $?` after it shows another exit code. `echo '…' | ` before a command is its input.
 * `name() { …; }` names a command for those that follow on the page.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { main } from "../../compiler/cli/main.ts";
import type { Voice } from "../../compiler/cli/terminal.ts";
import { root } from "./page.ts";

/** Stands behind a command of which standard output is not shown. */
const DROPPED = " > /dev/null";

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

/** What the sessions of one page share. */
export interface Shell {
  /** Commands that the page has named. */
  readonly named: Map<string, string>;
  /** What the last command printed. */
  printed: string;
}

export async function runSession(text: string, shell: Shell): Promise<void> {
  const steps = text
    .replaceAll(/\\\n */g, "")
    .split(/^\$ /m)
    .filter((step) => step.trim() !== "");
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
    const [, name, body] = /^(\w+)\(\) \{ (.*); \}$/.exec(command) ?? [];
    if (name !== undefined && body !== undefined) {
      shell.named.set(name, body);
      continue;
    }
    const result = await run(command, shell.named);
    code = result.code;
    shell.printed = result.out;
    const codeIsShown = steps[at + 1]?.startsWith("echo $?") === true;
    // What is left where standard output is dropped is shown.
    const problem = command.endsWith(DROPPED) ? "" : result.err;
    if (!codeIsShown) expect(`${result.code} ${problem}`, command).toBe("0 ");
    expect(`${result.out}${result.err}`.trim(), command).toMatch(pattern(expected));
  }
}

/**
 * Words are split at spaces, but for those in single quotes. `"$PWD/…"` is a path below the working folder, `~/…` one below a home
 * beside it, and `*` in a name stands for whatever is there.
 */
async function run(command: string, named: Shell["named"]): Promise<Outcome> {
  const piped = /^echo '([^']*)' \| (.*)$/.exec(command);
  const asked = piped?.[2] ?? command;
  const fromFile = /^(.*) < (\S+)$/.exec(named.get(asked) ?? asked);
  const whole = (fromFile?.[1] ?? named.get(asked) ?? asked)
    .replaceAll(/"\$PWD\/([^"]+)"/g, (_, path) => resolve(path))
    .replaceAll(/(?<= )~(?=\/)/g, resolve("../home"));
  const line = whole.endsWith(DROPPED) ? whole.slice(0, -DROPPED.length) : whole;
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].flatMap((m) =>
    m[1] === undefined ? expanded(m[2] ?? "") : m[1],
  );
  const [program = "", ...args] = words;
  const input = fromFile ? readFileSync(fromFile[2] as string, "utf8") : (piped?.[1] ?? "");
  if (!["openssl", "mkdir"].includes(program)) expect(program, command).toBe("portcullis");
  const outcome = program === "portcullis" ? await portcullis(args, input) : another(program, args);
  return line === whole ? outcome : { ...outcome, out: "" };
}

/** What people have beside Portcullis. Its remarks are shown where it fails. */
function another(program: string, args: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  const code = status ?? 127;
  return { code, out: stdout ?? "", err: code === 0 ? "" : (stderr ?? String(error)) };
}

/** The files that a word with `*` in its last part names; any other word stays. */
function expanded(word: string): string[] {
  if (!word.includes("*")) return [word];
  const [folder, name] = [dirname(word), word.slice(word.lastIndexOf("/") + 1)];
  const form = new RegExp(`^${name.split("*").map(escaped).join(".*")}$`);
  const found = readdirSync(folder).filter((one) => form.test(one));
  expect(found, word).not.toEqual([]);
  return found.map((one) => join(folder, one));
}

/** A file of the page, in which `…` stands for the line that the last command printed there. */
export function pasted(text: string, { printed }: Shell): string {
  const [before, after, ...more] = text.split(/^ *…\n/m);
  if (before === undefined || after === undefined) return text;
  expect(more).toEqual([]);
  const indent = /^ */.exec(after)?.[0] ?? "";
  const [first, last] = [before.trimEnd().split("\n").at(-1), after.split("\n")[0]].map((line = "") => line.trim());
  const lines = printed.trim().split("\n");
  expect([lines[0], lines.at(-1)]).toEqual([first, last]);
  return `${before}${lines
    .slice(1, -1)
    .map((line) => `${indent}${line}\n`)
    .join("")}${after}`;
}

function pattern(expected: string): RegExp {
  const parts = expected.trim().split("…").map(escaped);
  return new RegExp(`^${parts.join("[\\s\\S]*")}`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
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
