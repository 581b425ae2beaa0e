/** FROM-OPA.md: what it names of ours exists, and it names all that `opa` and `regal` have, where those are installed. */

import { spawnSync } from "node:child_process";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import type { Context } from "../../compiler/cli/context.ts";
import { codes as analyzeCodes } from "../../compiler/rego/analyze/index.ts";
import { codes as bugCodes } from "../../compiler/rego/bugs/index.ts";
import { pageText } from "./page.ts";

const page = pageText("compiler/FROM-OPA.md");
/** Without its blocks. */
const prose = page.replace(/^```[\s\S]*?^```$/gm, "");

interface Section {
  /** `opa check`. */
  readonly name: string;
  /** What stands below **Ours:**, to the end of the paragraph. */
  readonly ours: string;
  readonly rows: readonly { readonly theirs: string; readonly ours: string }[];
}

const sections: readonly Section[] = prose
  .split(/^## /m)
  .slice(1)
  .filter((text) => /^(opa|regal) /.test(text))
  .map((text) => ({
    name: text.slice(0, text.indexOf("\n")),
    ours: /^\*\*Ours:\*\* (.*)$/m.exec(text)?.[1] ?? "",
    rows: [...text.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].map(([, theirs = "", ours = ""]) => ({ theirs, ours })),
  }));

const root = new Command("portcullis").version("0");

beforeAll(async () => {
  const context = { finish: () => {}, definitions: async () => root } as unknown as Context;
  for (const { load } of COMMANDS) (await load())(root, context);
});

const spans = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
const flagsIn = (text: string): string[] => [...text.matchAll(/(?<![\w-])--?[a-z][\w-]*/g)].map(([flag]) => flag);

function commandNamed(name: string): Command | undefined {
  return root.commands.find((command) => command.name() === name);
}

function has(command: Command, flag: string): boolean {
  return command.options.some(({ short, long }) => short === flag || long === flag);
}

/** `portcullis check DIR --strict`: the command, if there is one with these flags. */
function whole(span: string): Command | undefined {
  const [, name = "", ...words] = span.split(" ");
  const command = name.startsWith("-") ? root : commandNamed(name);
  const flags = name.startsWith("-") ? [name] : flagsIn(words.join(" "));
  return command !== undefined && flags.every((flag) => has(command, flag)) ? command : undefined;
}

describe("ours", () => {
  it("are commands and options that exist, wherever the page has them whole", () => {
    const named = spans(prose).filter((span) => span.startsWith("portcullis "));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((span) => !span.startsWith("portcullis.yaml") && whole(span) === undefined)).toEqual([]);
    const steps = [...page.matchAll(/^ +portcullis .*$/gm)].map(([line]) => line.trim());
    expect(steps.length).toBe(2);
    expect(steps.filter((step) => whole(step) === undefined)).toEqual([]);
  });

  it("are options of the command that stands for theirs, wherever a row has them alone", () => {
    const missing = sections.flatMap(({ name, ours, rows }) => {
      const first = spans(ours).find((span) => span.startsWith("portcullis "));
      const command = first === undefined ? undefined : whole(first);
      return rows
        .flatMap((row) => spans(row.ours))
        .filter((span) => span.startsWith("--"))
        .filter((span) => command === undefined || !flagsIn(span).every((flag) => has(command, flag)))
        .map((span) => `${name}: ${span}`);
    });
    expect(missing).toEqual([]);
  });

  it("are told for each of theirs, or why there is no such thing", () => {
    expect(sections.length).toBeGreaterThan(20);
    for (const { name, ours, rows } of sections) {
      expect(ours, name).not.toBe("");
      for (const row of rows) expect(row.ours, `${name} ${row.theirs}`).not.toBe("");
    }
  });

  it("are codes that exist", () => {
    const named = spans(prose).filter((span) => /^(bugs|analyze)\//.test(span));
    expect(named.filter((code) => !(code in bugCodes) && !(code in analyzeCodes))).toEqual([]);
    expect(Object.keys(bugCodes).filter((code) => !named.includes(code))).toEqual([]);
  });
});

/** Flags that every command has. */
const COMMON = new Set(["--help", "--v0-compatible"]);

function help(program: string, ...words: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, [...words, "--help"], { encoding: "utf8" });
  return stdout || stderr;
}

/** The commands below a program or a command, by its help. */
function commandsOf(text: string): string[] {
  const list = /Available Commands:\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? "";
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
}

function flagsOf(text: string): string[] {
  return [...text.slice(text.indexOf("\nFlags:")).matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
}

describe.each(["opa", "regal"])("all of %s", (program) => {
  const installed = process.env[`PORTCULLIS_${program.toUpperCase()}`] !== undefined;
  const path = program === "regal" ? (process.env["PORTCULLIS_REGAL"] ?? "regal") : program;

  it.skipIf(!installed)("stands in the list: every command, and every flag", () => {
    const commands = [...commandsOf(help(path)), ...(program === "opa" ? ["refactor"] : ["test"])];
    expect(commands.length).toBeGreaterThan(5);
    const missing = commands.flatMap((command) => {
      const section = sections.find(({ name }) => name === `${program} ${command}`);
      if (section === undefined) return program === "regal" && command === "completion" ? [] : [command];
      const listed = new Set(section.rows.flatMap(({ theirs }) => flagsIn(theirs)));
      return flagsOf(help(path, command))
        .filter((flag) => !COMMON.has(flag) && !listed.has(flag))
        .map((flag) => `${command} ${flag}`);
    });
    // `regal test` takes the flags of `opa test`.
    expect(missing.filter((flag) => !(program === "regal" && flag.startsWith("test ")))).toEqual([]);
  });
});
