/** What `build` may write to: a folder of its own, where it replaces and removes what an earlier build wrote, and nothing else. */

import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const RULE = "package app\n\n# METADATA\n# entrypoint: true\nallow if input.x == 1\n";

let folder = "";
const at = (...names: string[]): string => join(folder, ...names);
const read = (...names: string[]): string => readFileSync(at(...names), "utf8");
const left = (name: string): string[] => readdirSync(at(name), { recursive: true }).map(String).sort();

beforeEach(() => {
  folder = temporaryFolder();
  write(at("set/app.rego"), RULE);
  write(at("set/data.json"), '{ "desk": { "freezes": ["x"] } }\n');
});
afterEach(() => removeFolder(folder));

/** Builds, is refused with these words, and leaves every file as it was. */
async function refused(words: string, output: string, ...sources: string[]): Promise<void> {
  const before = left(".");
  const { code, err, out } = await portcullis("build", ...sources, "-o", output);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(words);
  expect(err).toContain("help: ");
  expect(left(".")).toEqual(before);
}

describe("build -o", () => {
  it("refuses a folder of the sources, by whatever name", async () => {
    symlinkSync(at("set"), at("linked"));
    for (const [output, source] of [
      [at("set"), at("set")],
      [`${at("set")}/.`, at("set")],
      [at("set"), at("linked")],
      [at("set"), at("set/app.rego")],
    ] as const)
      await refused(`\`${output}\` is a folder of the sources`, output, source);
    expect(read("set/data.json")).toBe('{ "desk": { "freezes": ["x"] } }\n');
  });

  it("refuses a folder inside of the sources that holds some, which would be left out from then on", async () => {
    write(at("set/deep/more.rego"), "package deep.more\n\ny := 2\n");
    await refused(`\`${at("set/deep")}\` holds sources`, at("set/deep"), at("set"));
  });

  it.each(["data.json", "types.ts", "policy.wasm", "app.rego", "plan.txt", "bundle.tar.gz", ".manifest"])(
    "refuses to replace a %s that no build wrote",
    async (name) => {
      write(at("set/roles.yaml"), "roles: [{ role_id: R }]\n");
      write(at("out", name), "mine\n");
      const { code, err } = await portcullis("build", at("set"), "-o", at("out"), "--emit", "plan.txt");
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining(`\`${at("out", name)}\` is not what an earlier build wrote`),
      });
      expect(left("out")).toEqual([name]);
      expect(read("out", name)).toBe("mine\n");
    },
  );

  it("refuses to replace another's file beside an earlier build's", async () => {
    expect(await portcullis("build", at("set"), "-o", at("out"))).toMatchObject({ code: 0 });
    write(at("out/more.rego"), "mine\n");
    write(at("set/more.rego"), "package more\n\ny := 2\n");
    await refused(`\`${at("out/more.rego")}\` is not what an earlier build wrote`, at("out"), at("set"));
  });

  it("replaces what an earlier build wrote, its texts too", async () => {
    const build = (): ReturnType<typeof portcullis> =>
      portcullis("build", at("set"), "-o", at("out"), "--emit", "plan.txt", "--emit", "wat");
    write(at("set/roles.yaml"), "roles: [{ role_id: R }]\n");
    expect(await build()).toMatchObject({ code: 0 });
    write(at("set/app.rego"), RULE.replace("1", "2"));
    write(at("set/roles.yaml"), "roles: [{ role_id: S }]\n");
    expect(await build()).toMatchObject({ code: 0 });
    expect(read("out/app.rego")).toContain("input.x == 2");
    expect(read("out/types.ts")).toContain('"S"');
  });

  it("removes what the build before wrote and this one does not, and only that", async () => {
    write(at("set/roles.yaml"), "roles: [{ role_id: R }]\n");
    write(at("set/deep/er/more.rego"), "package deep.er.more\n\ny := 2\n");
    write(at("set/deep/changed.rego"), "package deep.changed\n\ny := 2\n");
    expect(await portcullis("build", at("set"), "-o", at("out"))).toMatchObject({ code: 0 });
    write(at("out/deep/changed.rego"), "mine\n");
    write(at("out/notes.txt"), "mine\n");
    write(at("other/other.rego"), RULE.replace("app", "other"));
    expect(await portcullis("build", at("other"), "-o", at("out"))).toMatchObject({ code: 0 });
    expect(left("out")).toEqual(
      [
        ".manifest",
        "bundle.tar.gz",
        "data.json",
        "deep",
        join("deep", "changed.rego"),
        "notes.txt",
        "other.rego",
        "policy.wasm",
      ].sort(),
    );
    expect(await portcullis("build", at("other"), "-o", at("out"), "-t", "rego")).toMatchObject({ code: 0 });
    expect(existsSync(at("out/policy.wasm"))).toBe(false);
  });

  it("removes nothing through a link", async () => {
    write(at("set/deep/more.rego"), "package deep.more\n\ny := 2\n");
    expect(await portcullis("build", at("set"), "-o", at("out"))).toMatchObject({ code: 0 });
    removeFolder(at("out/deep"));
    symlinkSync(at("set/deep"), at("out/deep"));
    write(at("other/other.rego"), RULE.replace("app", "other"));
    await refused("is a link", at("out"), at("other"));
    expect(existsSync(at("set/deep/more.rego"))).toBe(true);
  });
});
