/** The files below a folder that a host reads. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesBelow } from "../../compiler/cli/init/agent-hosts/folders.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

it("are read once each, however many links lead to their folders", () => {
  // Two links in each of 40 folders to the next one: by all ways it would be 2 ** 40 files.
  for (let i = 0; i < 40; i++) {
    const at = join(folder, `${i}`);
    mkdirSync(at);
    for (const name of ["a", "b"]) symlinkSync(join(folder, `${i + 1}`), join(at, name));
  }
  mkdirSync(join(folder, "40"));
  writeFileSync(join(folder, "40/SKILL.md"), "");
  symlinkSync(join(folder, "0"), join(folder, "40/round"));
  expect(filesBelow(join(folder, "0"))).toEqual([join(folder, "0", ...Array(40).fill("a"), "SKILL.md")]);
});
