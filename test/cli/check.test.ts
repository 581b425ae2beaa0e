/** `check`: what a build wrote is left out, warnings can fail, and many findings of one code are counted. */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};

describe("check", () => {
  it("leaves out what a build wrote, and says so", async () => {
    expect((await portcullis("init", folder)).code).toBe(0);
    expect((await portcullis("build", folder, "-o", join(folder, "out"))).code).toBe(0);
    const { code, err } = await portcullis("check", folder, "--strict");
    expect(err).toBe(`note: ${folder}/out: left out: it is what \`portcullis build -o\` wrote\n`);
    expect(code).toBe(0);
  });

  it("names the code of the first error, and of a warning where there is no error", async () => {
    write("tool_registry.yaml", "tools: [{ tool_name: a, implementation_status: done }]\n");
    const warned = await portcullis("check", folder);
    expect(warned.err).toMatch(/\(`portcullis --explain model\/[a-z-]+` tells more\)\n$/);
    write("z.rego", "package z\n\nx if y\n");
    const { code, err } = await portcullis("check", folder);
    expect(code).toBe(1);
    expect(err.indexOf("warning[")).toBeLessThan(err.indexOf("error["));
    const first = /error\[(.*?)\]/.exec(err)?.[1];
    expect(err).toContain(`(\`portcullis --explain ${first}\` tells more)`);
  });

  it("leaves out no rule and no data that files of a build's names lie beside", async () => {
    expect((await portcullis("init", folder)).code).toBe(0);
    expect((await portcullis("build", folder, "-o", join(folder, "out"))).code).toBe(0);
    for (const name of ["bundle.tar.gz", "policy.wasm", "data.json"])
      cpSync(join(folder, "out", name), join(folder, "extensions", name));
    const planted = await portcullis("check", folder);
    expect(planted.code).toBe(1);
    expect(planted.err).toContain(
      `${folder}/extensions/rules.rego:1:1: error[sources/stale-build-output]: \`${folder}/extensions\` holds`,
    );

    // Data of the authors' own is no build's, so that the folder is one of sources.
    write("extensions/data.json", '{ "limit": 1 }\n');
    const beside = await portcullis("check", folder, "--verbose");
    expect(beside).toMatchObject({ code: 0, err: expect.not.stringContaining(`${folder}/extensions: left out`) });
  });

  it("refuses a build's output that the set has left behind, but to the build that replaces it", async () => {
    const out = join(folder, "out");
    write("a.rego", "package app\n\nallow if input.x == 1\n");
    const build = (): ReturnType<typeof portcullis> => portcullis("build", folder, "-o", out, "-e", "app/allow");
    expect(await build()).toMatchObject({ code: 0 });
    expect(await portcullis("check", folder)).toMatchObject({ code: 0 });
    write("a.rego", "package app\n\nallow if input.x == 2\n");
    const stale = await portcullis("check", folder);
    expect(stale.code).toBe(1);
    expect(stale.err).toContain(`${out}/a.rego:1:1: error[sources/stale-build-output]`);
    expect(await build()).toMatchObject({ code: 0 });
    expect(await portcullis("check", folder)).toMatchObject({ code: 0 });
  });

  it("with --strict finds what OPA's strict mode finds, as a build does, in tests too", async () => {
    write("a.rego", "package a\n\nimport data.b\n\nallow if {\n\tx := input.y\n}\n");
    write("a_test.rego", "package a_test\n\nf(x) := 1\n\ntest_f if f(time.now_ns()) == 1\n");
    expect(await portcullis("check", folder)).toMatchObject({ code: 0 });
    const { code, err } = await portcullis("check", folder, "--strict");
    expect(code).toBe(1);
    expect(
      [...err.matchAll(/(\w+\.rego:\d+:\d+): error\[([\w/-]+)\]/g)].map(([, at, what]) => `${at} ${what}`),
    ).toEqual([
      "a.rego:3:1 analyze/unused-import",
      "a.rego:6:2 analyze/unused-assignment",
      "a_test.rego:3:1 analyze/unused-argument",
    ]);
    const built = await portcullis("build", folder, "--strict", "-o", join(folder, "out"), "-e", "a/allow");
    expect(built.code).toBe(1);
    expect(built.err).toContain("error[analyze/unused-import]");
  });

  it("warns of what cannot be meant, in tests too", async () => {
    write("a.rego", "package a\n\nallow if not deny\n\ndeny contains 1 if input.x\n");
    write("a_test.rego", "package a_test\n\nimport data.a\n\ntest_a if a.deny with input as {}\n");
    const { code, err } = await portcullis("check", folder);
    expect(code).toBe(0);
    expect(err).toContain("a.rego:3:10: warning[bugs/impossible-not]: `not deny` never holds");
    expect(err).toContain("a_test.rego:5:11: warning[bugs/constant-condition]: `a.deny with input as {}` always holds");
    expect(await portcullis("check", folder, "--strict")).toMatchObject({ code: 1 });
    const built = await portcullis("build", folder, "-o", join(folder, "out"), "-e", "a/allow");
    expect(built).toMatchObject({ code: 0, err: expect.stringContaining("warning[bugs/impossible-not]") });
  });

  it("finds what is wrong with Rego that tests, and lets it ask clock and network", async () => {
    write("a.rego", "package a\n\nallow if input.y\n");
    write(
      "a_test.rego",
      "package a_test\n\nimport data.a\n\ntest_a if {\n\ttime.now_ns() > 0\n\ta.allow with input as y\n}\n",
    );
    const { code, err } = await portcullis("check", folder);
    expect(code).toBe(1);
    expect(err).toContain("a_test.rego:7:24: error[analyze/unsafe-var]: var y is unsafe");
    expect(err).not.toContain("nondeterministic");
  });

  it("fails over warnings with --deny-warnings, and counts by code", async () => {
    write("roles.yaml", `roles:\n${Array.from({ length: 24 }, (_, i) => `  - role_id: R${i}\n`).join("")}`);
    write(
      "lanes.yaml",
      "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [] }\n    allowed_actions: { tools: [] }\n",
    );
    const plain = await portcullis("check", folder);
    expect(plain.code).toBe(0);
    expect(plain.err.match(/^.*warning\[model\/role-without-lane\]/gm)).toHaveLength(10);
    expect(plain.err).toContain("   24 × model/role-without-lane, of which 10 are shown");
    expect((await portcullis("check", folder, "--deny-warnings")).code).toBe(1);
  });

  it("explains the rules of SARIF", async () => {
    write("roles.yaml", "roles:\n  - role_id: R\n");
    const { out } = await portcullis("check", folder, "--format", "sarif");
    const [rule] = JSON.parse(out).runs[0].tool.driver.rules;
    expect(rule).toMatchObject({ id: expect.stringContaining("model/"), helpUri: expect.stringContaining("https://") });
    expect(rule.help.text).toContain(rule.fullDescription.text);
  });
});
