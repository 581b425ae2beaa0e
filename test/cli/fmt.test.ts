/** `fmt` at the command line: what is written, what is refused, and who is told of it. Exit codes are those of `opa fmt`. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

describe("fmt --v0-v1", () => {
  it("rewrites the modules of a folder, which are then checked", async () => {
    const file = `${folder}/old/rule.rego`;
    write(file, 'package old\n\ndeny[msg] { input.x; msg := "no" }\n');
    const before = await portcullis("check", `${folder}/old`);
    expect(before).toMatchObject({ code: 1 });
    expect(before.err + before.out).toContain("`portcullis fmt --write --v0-v1` rewrites it");
    expect(await portcullis("fmt", "--write", "--v0-v1", `${folder}/old`)).toMatchObject({ code: 0, out: "", err: "" });
    expect(readFileSync(file, "utf8")).toBe(
      'package old\n\nimport rego.v1\n\ndeny contains msg if {\n\tinput.x\n\tmsg := "no"\n}\n',
    );
    expect(await portcullis("check", `${folder}/old`)).toMatchObject({ code: 0 });
    // Written for both versions: nothing to do the second time, and v1 needs no import.
    expect(await portcullis("fmt", "--list", "--v0-v1", file)).toMatchObject({ code: 0, out: "" });
    expect(await portcullis("fmt", "--write", "--drop-v0-imports", file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/^package old\n\ndeny contains msg if/);
  });

  it("leaves alone what only a person can change, and says what", async () => {
    const file = `${folder}/deprecated.rego`;
    const text = "package old\n\np { any(input.xs) }\n";
    write(file, text);
    const { code, err } = await portcullis("fmt", "--write", "--v0-v1", file);
    expect(code).toBe(2);
    expect(err).toContain("deprecated built-in function calls in expression: any");
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("reads v1 with --v1-compatible", async () => {
    const file = `${folder}/new.rego`;
    write(file, "package new\n\np if input.x\n");
    expect(await portcullis("fmt", "--write", "--v0-v1", "--v1-compatible", file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe("package new\n\nimport rego.v1\n\np if input.x\n");
    expect(await portcullis("fmt", "--v0-v1", "--drop-v0-imports", file)).toMatchObject({ code: 2 });
  });
});

describe("fmt --fail", () => {
  const source = "package a\np if {x:=1}\n";
  const [bad, good, broken] = ["bad", "good", "broken"].map((name) => () => `${folder}/fail/${name}.rego`) as [
    () => string,
    () => string,
    () => string,
  ];
  beforeAll(() => {
    write(bad(), source);
    write(good(), "package a\n\np := 1\n");
    write(broken(), "package a\n\np := \n");
  });

  it("ends with 2, and neither prints nor writes what is not formatted", async () => {
    const { code, bytes, err } = await portcullis("fmt", "--fail", bad(), good());
    expect({ code, text: new TextDecoder().decode(bytes) }).toEqual({ code: 2, text: "package a\n\np := 1\n" });
    expect(err).toBe(`${bad()}: not formatted\n`);
    expect(await portcullis("fmt", "--fail", "--write", bad())).toMatchObject({ code: 2, out: "" });
    expect(readFileSync(bad(), "utf8")).toBe(source);
  });

  it("lists with --list, and still ends with 2", async () => {
    expect(await portcullis("fmt", "--fail", "--list", bad(), good())).toMatchObject({ code: 2, out: `${bad()}\n` });
    expect(await portcullis("fmt", "--list", bad(), good())).toMatchObject({ code: 0, out: `${bad()}\n` });
    expect(await portcullis("fmt", "--fail", good())).toMatchObject({ code: 0 });
  });

  it("prints a diff with --diff, writes nothing, and still ends with 2", async () => {
    const { code, bytes } = await portcullis("fmt", "--fail", "--diff", "--write", bad(), good());
    expect({ code, text: new TextDecoder().decode(bytes) }).toEqual({
      code: 2,
      text: `--- ${bad()}\n+++ ${bad()}\n@@ -1,2 +1,3 @@\n package a\n-p if {x:=1}\n+\n+p if x := 1\n`,
    });
    expect(readFileSync(bad(), "utf8")).toBe(source);
    expect(await portcullis("fmt", "--diff", bad())).toMatchObject({ code: 0 });
    expect((await portcullis("fmt", "--diff", good())).bytes).toHaveLength(0);
  });

  it("goes on after a file that it cannot read as text", async () => {
    const bytes = `${folder}/fail/bytes.rego`;
    writeFileSync(bytes, new Uint8Array([0xff, 0xfe]));
    const { code, out, err } = await portcullis("fmt", "--list", bytes, bad());
    expect({ code, out, err }).toEqual({ code: 2, out: `${bad()}\n`, err: `error: \`${bytes}\` is not valid UTF-8\n` });
  });

  it("ends with 2 for a folder with nothing to format, and touches nothing then", async () => {
    write(`${folder}/texts/a.yaml`, "a: 1\n");
    mkdirSync(`${folder}/empty`);
    const err = (name: string) =>
      `error: \`${folder}/${name}\` has nothing to format\nhelp: name a folder with \`.rego\` files\n`;
    for (const name of ["empty", "texts"])
      for (const flags of [[], ["--list", "--fail"], ["--write"], ["--diff"]])
        expect(await portcullis("fmt", ...flags, `${folder}/${name}`)).toMatchObject({
          code: 2,
          out: "",
          err: err(name),
        });
    expect(await portcullis("fmt", "--write", bad(), `${folder}/empty`)).toMatchObject({ code: 2, err: err("empty") });
    expect(readFileSync(bad(), "utf8")).toBe(source);
  });

  it("ends with 2 for a text that is not Rego, without --fail too", async () => {
    expect(await portcullis("fmt", broken())).toMatchObject({ code: 2, out: "" });
    expect(await portcullis("fmt", "--list", broken(), bad())).toMatchObject({ code: 2, out: `${bad()}\n` });
  });
});
