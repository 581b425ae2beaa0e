/** The line that says how far long work is: for a person alone, after a while, and gone in the end. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { generatePolicies } from "../../bench/generate-policies.ts";
import { progress } from "../../compiler/cli/progress.ts";
import { isWatched, type Terminal } from "../../compiler/cli/terminal.ts";
import { hasPseudoTerminal, onTerminal } from "./pseudo-terminal.ts";
import { removeFolder, temporaryFolder, write } from "./terminal.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the line of progress", () => {
  let drawn: string[] = [];
  const terminal = (interactive: boolean): Terminal =>
    ({ interactive, draw: (text) => void drawn.push(text) }) as Partial<Terminal> as Terminal;
  /** Steps of this many milliseconds each. */
  const work = (steps: number, each: number, interactive = true): void => {
    const bar = progress(terminal(interactive), "working");
    const step = bar.watch(steps);
    for (let i = 0; i < steps; i++) {
      vi.advanceTimersByTime(each);
      step();
    }
    bar.end();
  };
  beforeEach(() => {
    drawn = [];
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => void vi.useRealTimers());

  it("comes after a second, and at most five times in each one that follows", () => {
    work(20, 100);
    expect(drawn.slice(0, -2)).toEqual([50, 60, 70, 80, 90, 100].map((percent) => `working: ${percent} %`));
  });

  it("is taken away in the end", () => {
    work(2, 1000);
    expect(drawn.slice(-2)).toEqual([" ".repeat("working: 100 %".length + 1), ""]);
  });

  it("does not come for short work, nor without a watcher", () => {
    work(9, 100);
    work(100, 100, false);
    expect(drawn).toEqual([]);
  });

  it("comes for a million quick steps, too", () => {
    work(1_000_000, 0.002);
    expect(drawn.length).toBeGreaterThan(3);
  });
});

describe("who watches", () => {
  it.each([
    ["a person at a terminal", true, {}, true],
    ["unseen: a file", undefined, {}, false],
    ["unseen: a CI with a terminal", true, { CI: "true" }, false],
    ["a terminal that cannot change a line", true, { TERM: "dumb" }, false],
  ] as const)("%s", (_, isTTY, env, watched) => {
    expect(isWatched(isTTY === undefined ? {} : { isTTY }, env)).toBe(watched);
  });

  it.skipIf(!hasPseudoTerminal)(
    "a stage that takes long is drawn on a terminal, and no line of it is left",
    async () => {
      const folder = temporaryFolder();
      for (const [path, text] of generatePolicies("M")) write(join(folder, "policies", path), text);
      const build = `"${process.execPath}" compiler/bin/portcullis.js build "${join(folder, "policies")}" -o "${join(folder, "out")}"`;
      const seen = async (env: NodeJS.ProcessEnv): Promise<string> => {
        const terminal = onTerminal(build, env, root);
        expect(await terminal.ended()).toBe(0);
        return terminal.seen();
      };
      const watched = await seen({});
      expect(watched).toMatch(/\w …\r/);
      expect(watched).not.toMatch(/…[^\r]*\n/);
      expect(await seen({ CI: "true" })).not.toContain("…");
      removeFolder(folder);
    },
  );
});
