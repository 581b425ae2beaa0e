/** `portcullis eval` with a query: what it is asked of, the formats, the exit codes. */
import { readFileSync, writeFileSync } from "node:fs";
import { readBundle } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../compiler/rego/bundle/tar.ts";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(async () => {
  folder = temporaryFolder();
  write(
    `${folder}/rules/authz.rego`,
    "package authz\n\n# METADATA\n# entrypoint: true\nallow if input.user == data.owner\n\nages[name] := user.age if some name, user in data.users\n",
  );
  write(`${folder}/rules/data.json`, { owner: "ann" });
  write(`${folder}/users.json`, { users: { ann: { age: 3 }, bob: { age: 12345678901234 } } });
  write(`${folder}/input.json`, { user: "ann" });
  expect((await portcullis("build", `${folder}/rules`, "-o", `${folder}/out`)).code).toBe(0);
});
afterAll(() => removeFolder(folder));

const evaluate = (...args: string[]): Promise<Ran> => portcullis("eval", ...args);

describe("portcullis eval QUERY", () => {
  it("needs no policy, and shows variables as a table", async () => {
    expect(await evaluate("x := 1; y := [2, 3][_]; x < y")).toMatchObject({
      code: 0,
      out: "x  y\n1  2\n1  3\n",
      err: "",
    });
    expect((await evaluate("1 + 1")).out).toBe("2\n");
    expect((await evaluate("data.nothing")).out).toBe("undefined\n");
    expect((await evaluate("x := 2; x * 21")).out).toBe("x  x * 21\n2  42\n");
  });

  it.each([
    ["a folder", () => [`${folder}/rules`]],
    ["files of Rego and JSON", () => [`${folder}/rules/authz.rego`, "-d", `${folder}/rules/data.json`]],
    ["a bundle", () => [`${folder}/out/bundle.tar.gz`]],
  ])("asks %s, as an argument and as --data", async (_, sources) => {
    const [first = "", ...more] = sources();
    const input = ["-i", `${folder}/input.json`];
    expect(await evaluate(first, ...more, "data.authz.allow", ...input)).toMatchObject({ code: 0, out: "true\n" });
    expect((await evaluate("-d", first, ...more, "data.authz.allow", ...input)).out).toBe("true\n");
    expect((await evaluate(first, ...more, "data.authz.allow")).out).toBe("undefined\n");
  });

  // OPA reads YAML there, and refuses the others.
  it.each([
    [
      "data in YAML",
      { "data.yaml": "blocked: [ann]\n" },
      "the data.yaml of `BUNDLE` is YAML, which is not read in a bundle",
    ],
    [
      "data in YAML in a folder",
      { "a/data.yml": "b: c\n" },
      "the a/data.yml of `BUNDLE` is YAML, which is not read in a bundle",
    ],
    [
      "data that gives one value twice",
      { "data.json": '{"blocked":{"ann":true}}', "blocked/data.json": '{"ann":false}' },
      "the data.json of `BUNDLE` gives a value that another of its files gives, too",
    ],
    [
      "data behind a byte order mark",
      { "data.json": '\ufeff{"blocked":{}}' },
      "the data.json of `BUNDLE` is not a JSON object",
    ],
    [
      "a manifest with a key twice",
      { ".manifest": '{"revision":"a","revision":"b"}' },
      "the .manifest of `BUNDLE` cannot be read: duplicate key `revision`",
    ],
    [
      "a manifest of a version in words",
      { ".manifest": '{"rego_version":"1"}' },
      "the .manifest of `BUNDLE` cannot be read: bundle load failed on manifest decode: `rego_version` is a string, not a whole number",
    ],
    [
      "a manifest of a version that is not known",
      { ".manifest": '{"file_rego_versions":{"/a.rego":7}}' },
      "the .manifest of `BUNDLE` cannot be read: unknown bundle rego-version 7 for file '/a.rego'",
    ],
  ])("refuses a bundle with %s", async (_, more, problem) => {
    const files = { "a.rego": "package a\n\nallow if not input.user in data.blocked\n", ...more };
    const entries = Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
    const bundle = `${folder}/data.tar.gz`;
    writeFileSync(bundle, await packBundle(entries));
    const ran = await evaluate(bundle, "data.a.allow", "-i", `${folder}/input.json`);
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(problem.replace("BUNDLE", bundle)) });
  });

  it("answers an entrypoint as the module does, of a file of Rego too", async () => {
    const data = ["-d", `${folder}/rules/data.json`, "-i", `${folder}/input.json`];
    expect((await evaluate(`${folder}/rules/authz.rego`, "authz/allow", ...data)).out).toBe("true\n");
    expect((await evaluate(`${folder}/out/policy.wasm`, "authz/allow", "-i", `${folder}/input.json`)).out).toBe(
      "true\n",
    );
  });

  it("prints for scripts, with every digit", async () => {
    const ages = (format: string): Promise<Ran> =>
      evaluate(
        `${folder}/rules`,
        "-d",
        `${folder}/users.json`,
        "data.authz.ages[name]; big := 12345678901234567890",
        "--format",
        format,
      );
    expect((await ages("raw")).out).toBe("3 true\n12345678901234 true\n");
    expect((await ages("bindings")).out).toBe(
      '{\n  "big": 12345678901234567890,\n  "name": "ann"\n}\n{\n  "big": 12345678901234567890,\n  "name": "bob"\n}\n',
    );
    expect((await ages("values")).out).toBe("[\n  3,\n  true\n]\n[\n  12345678901234,\n  true\n]\n");
    const { result } = JSON.parse((await ages("json")).out);
    expect(result.map((r: { bindings: { name: string } }) => r.bindings.name)).toEqual(["ann", "bob"]);
    expect((await evaluate('"a text"', "--format", "raw")).out).toBe("a text\n");
    expect((await evaluate("data.nothing", "--format", "json")).out).toBe("{}\n");
    expect((await evaluate("[1]", "--format", "pretty")).out).toBe("[\n  1\n]\n");
    const entrypoint = [`${folder}/rules`, "authz/allow", "-i", `${folder}/input.json`];
    expect((await evaluate(...entrypoint, "--format", "values")).out).toBe("[\n  true\n]\n");
  });

  it.each([
    [["true"], 0, 1],
    [["false"], 1, 1],
    [["data.nothing"], 1, 0],
    [['{"allowed": false}'], 1, 1],
    [['{"allowed": true}'], 0, 1],
    [["x := false"], 0, 1],
  ])("%j exits %d with --fail and %d with --fail-defined", async (query, failing, defined) => {
    expect((await evaluate(...query)).code).toBe(0);
    expect((await evaluate(...query, "--fail")).code).toBe(failing);
    expect((await evaluate(...query, "--fail-defined")).code).toBe(defined);
  });

  it("exits 1 for a fault of the query, and for an evaluation that failed", async () => {
    const unsafe = await evaluate("x > 1");
    expect(unsafe.code).toBe(1);
    expect(unsafe.err).toContain("query:1:1: error[analyze/unsafe-var]");
    write(`${folder}/both.rego`, "package both\n\nx := 1 if input.n\n\nx := 2 if input.n\n");
    const failed = await evaluate(`${folder}/both.rego`, "data.both.x with input.n as 1");
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toContain("error: conflict:");
    const { errors } = JSON.parse(
      (await evaluate(`${folder}/both.rego`, "data.both.x with input.n as 1", "--format", "json")).out,
    );
    expect(errors).toMatchObject([{ code: "conflict" }]);
  });

  it("says what is wrong with what was asked", async () => {
    expect((await evaluate("lane")).err).toContain("names an entrypoint");
    expect((await evaluate(`${folder}/out/policy.wasm`, "data.authz.allow")).err).toContain("is a bare module");
    const entrypoint = await evaluate(`${folder}/rules`, "authz/allow", "--profile");
    expect(entrypoint).toMatchObject({ code: 2 });
    expect(entrypoint.err).toContain("are for queries: `data.authz.allow`");
    expect((await evaluate(`${folder}/rules`, "authz/allow", "-d", `${folder}/rules`)).code).toBe(2);
  });

  it("counts expressions, and times stages", async () => {
    const asked = ["-d", `${folder}/rules`, "-d", `${folder}/users.json`, "data.authz.ages", "--profile", "--metrics"];
    const { out } = await evaluate(...asked);
    expect(out).toMatch(/TIME +EVALUATED +PLACE +EXPRESSION/);
    expect(out).toMatch(/ 1 +\S*authz\.rego:7:27 +some name, user in data\.users/);
    const { metrics, profile } = JSON.parse((await evaluate(...asked, "--format", "json")).out);
    expect(Object.keys(metrics)).toEqual(["module_bytes", "timer_compile_ns", "timer_eval_ns", "timer_load_ns"]);
    expect(profile.map((p: { text: string }) => p.text).sort()).toEqual([
      "data.authz.ages",
      "some name, user in data.users",
    ]);
  });

  it("asks the decision library as well, in the words of queries", async () => {
    write(`${folder}/set/roles.yaml`, "roles: [{ role_id: R }]\n");
    write(`${folder}/set/lanes.yaml`, "lanes: [{ lane_id: L, allowed_callers: { roles: [R] } }]\n");
    const asked = 'x := data.portcullis.lane.decision.gate with input as {"role": "R", "lane": "NONE"}';
    const { out, code } = await evaluate(`${folder}/set`, asked, "--format", "bindings");
    expect({ out, code }).toEqual({ out: '{\n  "x": "LANE"\n}\n', code: 0 });
  });
});

describe("a bundle of a governed set", () => {
  const QUERY = "data.portcullis.tool.decision.gate";
  const built = (): string => `${folder}/governed/bundle.tar.gz`;
  beforeAll(async () => {
    write(`${folder}/desk/roles.yaml`, "roles: [{ role_id: R }]\n");
    write(
      `${folder}/desk/more.rego`,
      'package portcullis.ext.tool\n\ndeny contains {"gate": "MINE", "reason": "mine"} if input.tool == "t"\n',
    );
    expect(await portcullis("build", `${folder}/desk`, "-o", `${folder}/governed`)).toMatchObject({ code: 0 });
  });

  /** The bundle with other files in it. */
  async function changed(name: string, change: (path: string, text: string) => string, more = ""): Promise<string> {
    const files = [...(await readBundle(readFileSync(built())))].map(([path, bytes]) => ({
      path,
      bytes: path.endsWith(".rego") ? Buffer.from(change(path, Buffer.from(bytes).toString())) : bytes,
    }));
    if (more !== "") files.push({ path: "desk/mine.rego", bytes: Buffer.from(more) });
    return write(`${folder}/${name}.tar.gz`, Buffer.from(await packBundle(files)));
  }

  it("answers as it was built, alone, with data and with its own sources", async () => {
    write(`${folder}/request.json`, { role: "R", tool: "t", lane: "L" });
    const gate = await evaluate(`${folder}/desk`, QUERY, "-i", `${folder}/request.json`);
    expect(gate).toMatchObject({ code: 0, err: "" });
    for (const sources of [
      [built()],
      ["-d", built()],
      ["-d", built(), "-d", `${folder}/users.json`],
      [`${folder}/desk`, "-d", built()],
    ])
      expect(await evaluate(...sources, QUERY, "-i", `${folder}/request.json`)).toEqual(gate);
  });

  it.each([
    [
      "a module of the library that was changed",
      (path: string, text: string) => (path === "portcullis/tool.rego" ? `${text}\nx := 1\n` : text),
      "",
    ],
    [
      "a module of the library under another's path",
      (path: string, text: string) => (path === "portcullis/lane.rego" ? "package portcullis.lane\n" : text),
      'package portcullis.lane\n\ndecision := {"allowed": true}\n',
    ],
    ["one more module", (_: string, text: string) => text, "package portcullis.tool\n\nx := 1\n"],
  ])("is reported where the library did not write what stands in its package: %s", async (what, change, more) => {
    const path = await changed(what.replaceAll(" ", "-"), change, more);
    const { code, err } = await evaluate("-d", path, QUERY);
    expect(code).toBe(1);
    expect(err).toContain("pipeline/reserved-package");
    expect(err).not.toContain("portcullis/agents.rego");
  });
});
