/**
 * The loops of CONTRIBUTING: a change of each kind is made in a copy of the sources, what the page says is run there, and the
 * change is noticed. Prints how long each took; a part of them is followed in an everyday run.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../campaign.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const copy = join(root, "out/loops");
const LEFT_OUT = new Set(["node_modules", "dist", "out"]);

interface Loop {
  /** How its row of the table begins. */
  readonly row: string;
  /** File, what stands there, and what is put in its place. */
  readonly changes: readonly (readonly [file: string, from: string, to: string])[];
  readonly passes: boolean;
  /** What the run prints. */
  readonly tells: RegExp;
}

const TOOLS = "compiler/governance/sources/fields/tool-registry.ts";
const FULL_SET = "test/governance/lower/full-set.ts";
const AFTER = '  status: text("Informs: for readers."),\n';

const LOOPS: readonly Loop[] = [
  {
    row: "a gate",
    changes: [
      [
        "compiler/governance/library/tool.rego",
        '.implementation_status == "implemented"',
        '.implementation_status != "planned"',
      ],
    ],
    passes: false,
    tells: /FAIL.*rego-tests/,
  },
  {
    row: "a function of rtlib",
    changes: [["compiler/rego/wasm/rtlib/builtins/strings.ts", "newBoolean(hasSuffix(", "newBoolean(hasPrefix("]],
    passes: false,
    tells: /FAIL.*strings\.test/,
  },
  {
    row: "a field",
    changes: [
      [TOOLS, AFTER, `${AFTER}  cost_center: text("Informs: for readers."),\n`],
      [FULL_SET, "idempotent: true", 'cost_center: "news", idempotent: true'],
    ],
    passes: true,
    tells: /1 passed/,
  },
  {
    row: "a field",
    changes: [
      [TOOLS, AFTER, `${AFTER}  cost_center: text("Decides: who pays."),\n`],
      [FULL_SET, "idempotent: true", 'cost_center: "news", idempotent: true'],
    ],
    passes: false,
    tells: /FAIL.*cost_center/,
  },
  {
    row: "an option",
    changes: [["compiler/cli/commands/fmt.ts", '.option("--fail"', '.option("--failing"']],
    passes: false,
    tells: /FAIL.*fmt\.test/,
  },
];

/** What the page says is run after such a change. */
function commandOf(row: string): string {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const line = page.split("\n").find((one) => one.startsWith(`| ${row}: `));
  const command = /\| `([^`]+)` \|$/.exec(line ?? "")?.[1];
  if (command === undefined) throw new Error(`CONTRIBUTING.md has no row for ${row}`);
  return command;
}

/** Modules of packages are shared; those of the workspace are the copy's, by the aliases of the suite. */
beforeAll(() => {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const folder of ["compiler", "runtime", "test", "policies"])
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(basename(path)),
    });
  for (const file of ["package.json", "tsconfig.json"]) cpSync(join(root, file), join(copy, file));
  for (const folder of ["node_modules", "compiler/node_modules"])
    symlinkSync(join(root, folder), join(copy, folder), "dir");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe("a loop of CONTRIBUTING", () => {
  it.each(sampled(LOOPS, 1 / 10).map((loop) => [loop.row, loop] as const))("%s", (row, { changes, passes, tells }) => {
    for (const [file, from, to] of changes) {
      const text = readFileSync(join(copy, file), "utf8");
      expect(text.includes(from), `${file} has ${from}`).toBe(true);
      writeFileSync(
        join(copy, file),
        text.replace(from, () => to),
      );
    }
    const started = performance.now();
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST)/.test(name)));
    const { status, stdout, stderr } = spawnSync("sh", ["-c", commandOf(row)], {
      cwd: copy,
      env: { ...env, NO_COLOR: "1" },
    });
    console.log(`${row}: ${((performance.now() - started) / 1000).toFixed(1)} s from the change to its test`);
    for (const [file] of changes) cpSync(join(root, file), join(copy, file));
    const said = `${stdout}${stderr}`;
    expect(said).toMatch(tells);
    expect(status === 0, said).toBe(passes);
  });
});
