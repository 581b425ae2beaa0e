/** `--decision-log`: a line for each decision, also where a process before did not get to the end of its own. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CallRecord } from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { decisionLog } from "../../compiler/cli/decision-log.ts";
import { removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

describe("a log of decisions", () => {
  it.each([
    ["is not there", undefined, []],
    ["is empty", "", []],
    ["is whole", "{}\n", ["{}"]],
    ["ends in half a line", '{}\n{"time":"20', ["{}", '{"time":"20']],
    ["ends in half a letter", Buffer.from([0x22, 0xc3]), ['"\ufffd']],
  ])("begins a line of its own where the file %s", (name, before, lines) => {
    const path = join(folder, name);
    if (before !== undefined) write(path, before);
    const log = decisionLog(path);
    for (const tool of ["a", "b"]) log.write({} as CallRecord, tool);
    log.close();
    const [, ...written] = readFileSync(path, "utf8").split("\n").reverse();
    expect(written.slice(2).reverse()).toEqual(lines);
    expect(written.slice(0, 2).map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(["b", "a"]);
  });

  it("says with the next line, or its last, how many calls were refused because theirs could not be written", () => {
    const path = join(folder, "refused");
    const log = decisionLog(path);
    const refuse = (): void =>
      expect(() => log.write({ reason: 1n } as unknown as CallRecord, "no JSON")).toThrow(TypeError);
    for (let n = 0; n < 2; n++) refuse();
    log.write({} as CallRecord, "a");
    log.write({} as CallRecord, "b");
    for (let n = 0; n < 3; n++) refuse();
    log.close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const said = lines.map((line) => JSON.parse(line) as { name?: string; refused?: number });
    expect(said.map(({ name, refused }) => [name, refused])).toEqual([
      ["a", 2],
      ["b", undefined],
      [undefined, 3],
    ]);
  });
});
