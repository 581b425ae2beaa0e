/** `check`: what a build wrote is left out, warnings can fail, and many findings of one code are counted. */

import { mkdirSync, writeFileSync } from "node:fs";
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

  it("fails over warnings with --deny-warnings, and counts by code", async () => {
    write("roles.yaml", `roles:\n${Array.from({ length: 24 }, (_, i) => `  - role_id: R${i}\n`).join("")}`);
    write("lanes.yaml", "lanes: []\n");
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
