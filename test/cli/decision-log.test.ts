/** `--decision-log`: a line for each decision, also where a process before did not get to the end of its own. */

import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
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

  const namesIn = (path: string): unknown[] =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => {
        try {
          return (JSON.parse(line) as { name: string }).name;
        } catch {
          return "half";
        }
      });

  it("begins a line of its own where another process has left half of one since", () => {
    const path = join(folder, "shared");
    const log = decisionLog(path);
    log.write({} as CallRecord, "a");
    appendFileSync(path, '{"time":"20');
    log.write({} as CallRecord, "b");
    appendFileSync(path, '{"name":"c"}\n');
    log.write({} as CallRecord, "d");
    log.close();
    expect(namesIn(path)).toEqual(["a", "half", "b", "c", "d"]);
  });

  it.each([
    ["moved away", (path: string): void => renameSync(path, `${path}.1`)],
    ["removed", (path: string): void => rmSync(path)],
    ["emptied", (path: string): void => truncateSync(path)],
  ])("writes into the file of its name where that was %s", (what, rotate) => {
    const path = join(folder, what);
    const log = decisionLog(path);
    log.write({} as CallRecord, "a");
    rotate(path);
    log.write({} as CallRecord, "b");
    log.close();
    expect(namesIn(path)).toEqual(["b"]);
    if (what === "moved away") expect(namesIn(`${path}.1`)).toEqual(["a"]);
  });

  it("takes no line where no file can be in its place", () => {
    const path = join(folder, "in the way");
    const log = decisionLog(path);
    rmSync(path);
    mkdirSync(path);
    expect(() => log.write({} as CallRecord, "a")).toThrow(/cannot write/);
    rmSync(path, { recursive: true });
    log.write({} as CallRecord, "b");
    log.close();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ name: "b", refused: 1 });
  });
});
