/** `schema` prints what the compiler holds files against; every file that `init` writes satisfies the schema that it names. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

const NAMES = [
  "settings",
  "roles",
  "lanes",
  "tool_registry",
  "approvers",
  "agent",
  "manifest",
  "handoff",
  "exec",
  "limits",
  "tests",
  "claims",
];
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });

describe("schema", () => {
  it("lists the formats, for people and as JSON", async () => {
    const { out } = await portcullis("schema");
    expect(out.trim().split("\n")).toHaveLength(NAMES.length);
    const json = JSON.parse((await portcullis("schema", "--format", "json")).out);
    expect(json.formats.map((f: { name: string }) => f.name)).toEqual(NAMES);
  });

  it("prints one by the name of the format or of the file, and writes all into a folder", async () => {
    const named = await portcullis("schema", "lanes");
    expect(named).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(named.out)).toMatchObject({ title: "lanes.yaml", required: ["lanes"] });
    expect((await portcullis("schema", "lanes.yaml")).out).toBe(named.out);
    expect((await portcullis("schema", "portcullis.yaml")).out).toContain("urn:portcullis:schema:settings");
    expect(await portcullis("schema", "-o", join(folder, "all"))).toMatchObject({ code: 0 });
    for (const name of NAMES) expect(existsSync(join(folder, `all/${name}.json`))).toBe(true);
    expect(readFileSync(join(folder, "all/lanes.json"), "utf8")).toBe(named.out);
  });

  it("knows no other, and says which was meant", async () => {
    const { code, err } = await portcullis("schema", "lane");
    expect(code).toBe(2);
    expect(err).toContain("did you mean `lanes`?");
    expect((await portcullis("schema", "quux")).err).toContain("the formats are settings, roles");
  });

  it("says of every field what it is for", async () => {
    const missing: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { properties = {}, ...rest } = node as { properties?: object };
      for (const [key, value] of Object.entries(properties) as [string, { description?: string }][]) {
        if (!/\.$/.test(value.description ?? "")) missing.push(`${path}.${key}`);
        walk(value, `${path}.${key}`);
      }
      for (const value of Object.values(rest)) walk(value, path);
    };
    for (const name of NAMES) walk(JSON.parse((await portcullis("schema", name)).out), name);
    expect(missing.filter((path) => !path.includes(".audit."))).toEqual([]);
  });

  it("holds for every file of a fresh policy set, by the schema that the file names", async () => {
    const { out } = await portcullis("init", join(folder, "p"), "--format", "json");
    const files = (JSON.parse(out).files as string[]).filter((f) => f.endsWith(".yaml"));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      const name = /^# yaml-language-server: \$schema=https:\/\/\S+\/dist\/schemas\/(\w+)\.json\n/.exec(text)?.[1];
      expect(NAMES).toContain(name);
      const schema = JSON.parse((await portcullis("schema", name as string)).out);
      const validate = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
      expect(validate(parse(text)), `${file}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });

  it("refuses what the compiler refuses", async () => {
    const claims = ajv.compile({ ...JSON.parse((await portcullis("schema", "claims")).out), $id: "urn:test:claims" });
    expect(claims({ claims: [{ never: { decision: "tool", role: "A" }, because: "x" }] })).toBe(true);
    expect(claims({ claims: [{ never: {}, always: {} }] })).toBe(false);
    expect(claims({ claims: [{ because: "x" }] })).toBe(false);
    expect(claims({ claims: [{ never: { rôle: "A" } }] })).toBe(false);
    const agent = ajv.compile({ ...JSON.parse((await portcullis("schema", "agent")).out), $id: "urn:test:agent" });
    expect(agent({ subagents: "A, B", anything: 1 })).toBe(true);
    expect(agent({ subagents: ["A"] })).toBe(true);
    expect(agent({ subagents: { A: 1 } })).toBe(false);
  });
});
