/** Links: what one leads to outside of a set is not of the set, and nothing is written through one. */

import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const RULE = "package secret\n\nrule := 1\n";
const MESSY = "package messy\n\n\nrule:=1\n";
const TIDY = "package messy\n\nrule := 1\n";

let [outside, set] = ["", ""];
beforeEach(() => {
  outside = temporaryFolder();
  set = join(temporaryFolder(), "set");
  write(join(set, "own.rego"), "package own\n\nrule := 1\n");
});
afterEach(() => {
  removeFolder(outside);
  removeFolder(join(set, ".."));
});

describe("a link that leads nowhere", () => {
  it.each([["check"], ["test"], ["fmt"]])(
    "is an error of `%s`: the rules that it stood for are missing",
    async (verb) => {
      symlinkSync(join(outside, "gone.rego"), join(set, "deny.rego"));
      symlinkSync("loop.rego", join(set, "loop.rego"));
      const { code, err, out } = await portcullis(verb, set);
      expect(code).not.toBe(0);
      expect(err + out).toContain("deny.rego");
    },
  );

  it("is nothing where it is the lock of an editor, or no source by its name", async () => {
    symlinkSync("ann@host.1234:5678", join(set, ".#own.rego"));
    symlinkSync("gone", join(set, "notes.txt"));
    expect(await portcullis("check", set)).toMatchObject({ code: 0 });
  });
});

describe("a link that leads out of the set", () => {
  it.each([
    ["check", ["check"]],
    ["build", ["build", "-o", "@OUT@"]],
    ["list", ["list"]],
    ["test", ["test"]],
  ])("is an error of `%s`, which prints nothing of what lies there", async (_, argv) => {
    // A key that a parser would show when it complains.
    write(join(outside, "key.pem"), "lanes: [top secret\n");
    symlinkSync(join(outside, "key.pem"), join(set, "lanes.yaml"));
    const out = join(set, "..", "out");
    const ran = await portcullis(...argv.map((arg) => arg.replace("@OUT@", out)), set);
    expect(ran.code).not.toBe(0);
    expect(ran.out + ran.err).not.toContain("secret");
    expect(ran.out + ran.err).toContain("is a link that leads out of");
    expect(() => lstatSync(out)).toThrow("ENOENT");
  });

  it("does not become a rule, data, or a test", async () => {
    write(join(outside, "rule.rego"), RULE);
    write(join(outside, "data.json"), '{"a": 1}');
    write(join(outside, "case.yaml"), "cases: []\n");
    mkdirSync(join(set, "test"));
    for (const [name, at] of [
      ["rule.rego", "rule.rego"],
      ["data.json", "data.json"],
      ["case.yaml", "test/case.yaml"],
    ] as const) {
      symlinkSync(join(outside, name), join(set, at));
    }
    const { code, err } = await portcullis("build", set, "-o", join(set, "..", "out"));
    expect(code).toBe(1);
    expect(err.match(/is a link that leads out of/g)).toHaveLength(2);
  });

  it("is read where its folder is named too, and where it leads to another file of the set", async () => {
    write(join(set, "..data", "rule.rego"), RULE);
    symlinkSync(join("..data", "rule.rego"), join(set, "alias.rego"));
    const link = join(set, "..", "named");
    symlinkSync(set, link);
    for (const dirs of [[set], [link]]) {
      const { code, err } = await portcullis("check", ...dirs);
      expect(err).not.toContain("leads out of");
      // Both files of the set say the same, which is a conflict of rules, or not: they were read.
      expect(code, err).toBeLessThan(2);
    }
  });

  it("is neither printed nor rewritten by `fmt`", async () => {
    write(join(outside, "rule.rego"), MESSY);
    symlinkSync(join(outside, "rule.rego"), join(set, "rule.rego"));
    for (const flags of [[], ["--diff"], ["-w"]]) {
      const { code, bytes, err } = await portcullis("fmt", ...flags, set);
      expect(code).toBe(2);
      expect(Buffer.from(bytes).toString()).not.toContain("messy");
      expect(err).toContain("is a link that leads out of");
    }
    expect(readFileSync(join(outside, "rule.rego"), "utf8")).toBe(MESSY);
  });
});

describe("a link to a folder", () => {
  it.each([["check"], ["test"], ["list"]])(
    "that leads out of the set is an error of `%s` where sources lie there: their rules are missing",
    async (verb) => {
      write(join(outside, "deep/deny.rego"), RULE);
      symlinkSync(outside, join(set, "shared"));
      // These lead back.
      symlinkSync(outside, join(outside, "deep/again"));
      symlinkSync(join(set, ".."), join(outside, "deep/up"));
      const { code, err, out } = await portcullis(verb, set);
      expect(code).not.toBe(0);
      expect(err + out).toContain("shared/deep/deny.rego");
      expect(err + out).toContain("is behind a link that leads out of");
      expect((err + out).match(/leads out of/g)).toHaveLength(1);
    },
  );

  it("is nothing where no sources lie there, where it leads to a folder of the set, and where it is left out", async () => {
    write(join(outside, "notes.txt"), "none");
    write(join(set, "own/more.rego"), "package own.more\n\nrule := 1\n");
    symlinkSync(outside, join(set, "notes"));
    symlinkSync("own", join(set, "alias"));
    symlinkSync(".", join(set, "itself"));
    expect(await portcullis("check", set)).toMatchObject({ code: 0 });
    write(join(outside, "deny.rego"), RULE);
    expect(await portcullis("check", set, "--ignore", "notes")).toMatchObject({ code: 0 });
    symlinkSync(outside, join(set, "node_modules"));
    expect(await portcullis("check", set, "--ignore", "notes")).toMatchObject({ code: 0 });
  });

  it("is followed where the set has the folder, and leaves it out by its name", async () => {
    write(join(set, "node_modules/shared/broken.rego"), "package broken\n\nrule :=\n");
    expect((await portcullis("check", set)).code).toBe(0);
    symlinkSync(join("node_modules", "shared"), join(set, "shared"));
    expect(await portcullis("check", set)).toMatchObject({
      code: 1,
      err: expect.stringContaining("shared/broken.rego"),
    });
  });

  it("is not looked behind by `fmt`, and a record there does not pass unseen", async () => {
    write(join(outside, "rule.rego"), MESSY);
    write(join(outside, "record.json"), "{}");
    symlinkSync(outside, join(set, "shared"));
    const ran = await portcullis("fmt", "-w", set);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("is behind a link that leads out of") });
    expect(readFileSync(join(outside, "rule.rego"), "utf8")).toBe(MESSY);
    const validated = await portcullis("handoff", "validate", set, "--root", set);
    expect(validated).toMatchObject({ code: 2, err: expect.stringContaining("shared/record.json") });
  });
});

describe("fmt --write", () => {
  it("leaves a link a link, and formats what it leads to where that is of the same folder", async () => {
    write(join(set, "z.rego"), MESSY);
    symlinkSync("z.rego", join(set, "a.rego"));
    const ran = await portcullis("fmt", "-w", set);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain("a.rego` is a link and is left as it is");
    expect(readlinkSync(join(set, "a.rego"))).toBe("z.rego");
    expect(readFileSync(join(set, "a.rego"), "utf8")).toBe(TIDY);
  });

  it("refuses a link that is named", async () => {
    write(join(outside, "rule.rego"), MESSY);
    symlinkSync(join(outside, "rule.rego"), join(set, "rule.rego"));
    const { code, err } = await portcullis("fmt", "-w", join(set, "rule.rego"));
    expect(code).toBe(2);
    expect(err).toContain("is a link and is left as it is: format the file behind it");
    expect(lstatSync(join(set, "rule.rego")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(outside, "rule.rego"), "utf8")).toBe(MESSY);
  });
});

describe("build -o", () => {
  const left = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

  it("writes nothing through a folder that is a link, be it the output or one inside", async () => {
    const out = join(set, "..", "out");
    symlinkSync(outside, out);
    for (const named of [out, `${out}/`, join(out, ".")]) {
      const { code, err } = await portcullis("build", set, "-o", named, "-e", "own/rule");
      expect(code, err).toBe(2);
      expect(err).toContain(`\`${out}\` is a link, and nothing is written through it`);
    }
    expect(left(outside)).toEqual([]);
  });

  it("nor through one that stands where a folder of the bundle belongs", async () => {
    write(join(set, "deep", "er", "rule.rego"), RULE);
    const out = join(set, "..", "out");
    mkdirSync(join(out, "deep"), { recursive: true });
    symlinkSync(outside, join(out, "deep", "er"));
    const { code, err } = await portcullis("build", set, "-o", out, "-e", "own/rule");
    expect(code, err).toBe(2);
    expect(err).toContain("er` is a link, and nothing is written through it");
    expect(left(outside)).toEqual([]);
    expect(left(out)).toEqual(["deep", join("deep", "er")]);
  });

  it("writes below a folder that is reached through a link: that is where it was named", async () => {
    symlinkSync(outside, join(set, "..", "linked"));
    const { code, err } = await portcullis("build", set, "-o", join(set, "..", "linked", "out"), "-e", "own/rule");
    expect(code, err).toBe(0);
    expect(left(join(outside, "out"))).toContain("bundle.tar.gz");
  });
});

describe("import -o", () => {
  it("takes a link for a file that is there, also one that leads nowhere", async () => {
    const source = write(join(outside, "settings.json"), { permissions: { allow: ["Bash(ls)"] } });
    const imported = (to: string) => portcullis("import", "--from", "claude-settings", source, "-o", to);
    await imported(join(outside, "draft"));
    const link = join(set, "claude-settings", "roles.yaml");
    expect(readdirSync(join(outside, "draft", "claude-settings"))).toContain("roles.yaml");
    mkdirSync(join(link, ".."));
    symlinkSync(join(outside, "gone"), link);
    expect(await imported(set)).toMatchObject({ code: 2, err: expect.stringContaining(`${link}\` is there already`) });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });
});
