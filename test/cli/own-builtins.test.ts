/** `--capabilities` and `--builtin`: authors' own builtins in check, build, test and eval. */
import { readFileSync } from "node:fs";
import { load } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
let capabilities = "";
let module = "";
const declarations = {
  features: ["rego_v1"],
  builtins: [
    {
      name: "acme.score",
      decl: {
        type: "function",
        args: [{ type: "object", dynamic: { key: { type: "string" }, value: { type: "any" } } }],
        result: { type: "number" },
      },
    },
    { name: "acme.broken", decl: { type: "function", result: { type: "any" } } },
  ],
};

beforeAll(() => {
  folder = temporaryFolder();
  write(`${folder}/rules/app.rego`, "package app\n\n# METADATA\n# entrypoint: true\nallow if acme.score(input) > 5\n");
  write(
    `${folder}/rules/app_test.rego`,
    `package app_test

test_low if not data.app.allow with input as {"points": [1, 2]}

test_high if data.app.allow with input as {"points": [1, 2, 3]}

test_replaced if data.app.allow with acme.score as 6 with input as {}

test_broken if acme.broken()
`,
  );
  write(
    `${folder}/replaced/app_test.rego`,
    "package app_test\n\ntest_replaced if acme.score({}) == 6 with acme.score as 6\n",
  );
  capabilities = write(`${folder}/capabilities.json`, declarations);
  const functions = `export default {
  "acme.score": ([{ points }]) => points.reduce((sum, n) => sum + n, 0),
  "acme.broken": () => { throw new Error("no scores today"); },
};
`;
  module = write(`${folder}/scores.mjs`, `${functions}export const capabilities = ${JSON.stringify(declarations)};\n`);
  write(`${folder}/undeclared.mjs`, functions);
  write(`${folder}/native.mjs`, "export default { count: () => 1 };\n");
  write(`${folder}/list.mjs`, "export default [1];\n");
  write(`${folder}/allowing.json`, { points: [4, 4] });
});
afterAll(() => removeFolder(folder));

describe("builtins of an author's own", () => {
  it("are undefined functions until they are declared", async () => {
    const { code, err } = await portcullis("check", `${folder}/rules`);
    expect(code).toBe(1);
    expect(err).toContain("acme.score");
    expect(await portcullis("check", `${folder}/rules`, "--capabilities", capabilities)).toMatchObject({ code: 1 });
    expect(await portcullis("check", `${folder}/rules`, "--builtin", module)).toMatchObject({ code: 0 });
  });

  it("are told of where a command does not take them", async () => {
    const built = await portcullis("build", `${folder}/rules`, "--builtin", module, "-o", `${folder}/out`);
    expect(built).toMatchObject({ code: 0 });
    const { code, err } = await portcullis("prove", `${folder}/out/bundle.tar.gz`);
    expect(code).toBe(2);
    expect(err).toContain("acme.score");
    expect(err).toContain("only `eval` and `test` have a clock and chance, and take builtins of your own");
    expect(err).not.toContain("fetch it again");
  });

  it("run in tests, where one that throws is an error that names it", async () => {
    const { code, out } = await portcullis("test", `${folder}/rules`, "--builtin", module, "--format", "json");
    expect(code).toBe(1);
    const { results } = JSON.parse(out) as { results: { name: string; outcome: string; failure?: string }[] };
    expect(results.map((r) => [r.name, r.outcome, r.failure])).toEqual([
      ["data.app_test.test_low", "pass", undefined],
      ["data.app_test.test_high", "pass", undefined],
      ["data.app_test.test_replaced", "pass", undefined],
      ["data.app_test.test_broken", "error", "the builtin `acme.broken` failed: no scores today"],
    ]);
  });

  it("that are declared alone can be replaced, and to call one is an error", async () => {
    const declared = write(
      `${folder}/with-operators.mjs`,
      `export default {};\nexport const capabilities = ${JSON.stringify(declarations)};\n`,
    );
    expect(await portcullis("test", `${folder}/replaced`, "--builtin", declared)).toMatchObject({ code: 0 });
    const { out } = await portcullis("test", `${folder}/rules`, "--builtin", declared, "--run", "high");
    expect(out).toContain("the builtin `acme.score` failed: it is declared, and no `--builtin` supplies it");
  });

  it("run in eval, of sources and of a bundle", async () => {
    const input = ["-i", `${folder}/allowing.json`, "--builtin", module];
    expect(await portcullis("eval", `${folder}/rules`, "app/allow", ...input)).toMatchObject({
      code: 0,
      out: "true\n",
    });
    const built = await portcullis("build", `${folder}/rules`, "-o", `${folder}/out`, "--builtin", module);
    expect(built).toMatchObject({ code: 0 });
    const bundle = `${folder}/out/bundle.tar.gz`;
    expect(await portcullis("eval", bundle, "app/allow", ...input)).toMatchObject({ code: 0, out: "true\n" });
    expect(await portcullis("eval", bundle, "app/allow")).toMatchObject({ code: 2 });
  });

  it("run in a host of the runtime, over plain values", async () => {
    const bundle = readFileSync(`${folder}/out/bundle.tar.gz`);
    const asked: unknown[] = [];
    const score = ([input]: readonly unknown[]) => asked.push(input) + 5;
    const policy = await load(bundle, { builtins: [{ "acme.score": score }] });
    expect(policy.evaluate("app/allow", { points: [1], "": { deep: null } })).toBe(true);
    expect(asked).toEqual([{ points: [1], "": { deep: null } }]);
    const late = await load(bundle, { builtins: [{ "acme.score": (async () => 9) as never }] });
    expect(late.evaluate("app/allow", {})).toBeUndefined();
    expect(late.lastFault?.message).toBe(
      "the builtin `acme.score` failed: its result holds a value that Rego does not have: a Promise",
    );
  });

  it.each([
    ["undeclared.mjs", "`acme.score` is declared nowhere"],
    ["native.mjs", "`count` is part of every module, and cannot be replaced"],
    ["list.mjs", "its default export is no object of functions by name"],
    ["absent.mjs", "cannot be used: no such file or folder\n"],
  ])("of %s are refused", async (file, message) => {
    const { code, err } = await portcullis("test", `${folder}/rules`, "--builtin", `${folder}/${file}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toContain("    at ");
  });

  it("need a capabilities file for Rego v1, and for the interface of our modules", async () => {
    const without = write(`${folder}/without.json`, { ...declarations, features: [] });
    const refused = await portcullis("check", `${folder}/rules`, "--capabilities", without);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("illegal capabilities: rego_v1 feature required for parsing v1 Rego");
    const later = write(`${folder}/later.json`, { ...declarations, wasm_abi_versions: [{ version: 2 }] });
    const build = (target: string) =>
      portcullis("build", `${folder}/rules`, "-o", `${folder}/out`, "--capabilities", later, "--target", target);
    expect((await build("wasm")).err).toContain("compiler ABI version not in capabilities (have [{2 0}], want {1 3})");
    expect((await build("rego")).err).not.toContain("ABI");
  });

  it("need a capabilities file that is one", async () => {
    const broken = write(`${folder}/broken.json`, "{");
    for (const file of [broken, `${folder}/none.json`, `${folder}/allowing.json`]) {
      const { code, err } = await portcullis("check", `${folder}/rules`, "--capabilities", file);
      expect(code).toBe(2);
      expect(err).toContain("cannot be used");
    }
  });
});
