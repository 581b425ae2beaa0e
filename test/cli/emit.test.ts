/** `build --emit`: each text says what the module says, judged by a reader of its own, and the bundle does not notice. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpret } from "../interpreter/interpreter.ts";
import { parseJson } from "../interpreter/term.ts";
import { toJson } from "../interpreter/value.ts";
import { parsePolicyText } from "../rego/plan/parse-text.ts";
import { readPlanJson } from "../rego/plan/read-json.ts";
import { assertVerified } from "../rego/plan/verify.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const REGO = `package app

# METADATA
# entrypoint: true
allow if {
	some role in data.roles[input.user]
	role in {"editor", "owner"}
	count(input.path) < 20
}
`;
const DATA = '{"roles": {"ann": ["editor"], "bob": ["reader"]}}';
const INPUTS = ['{"user": "ann", "path": "a"}', '{"user": "bob", "path": "a"}', '{"user": "ann"}', '{"user": "eve"}'];

let folder = "";
const file = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(file(name), "utf8");

beforeAll(async () => {
  folder = temporaryFolder();
  write(file("rules/app.rego"), REGO);
  write(file("rules/data.json"), DATA);
  const emit = ["--emit", "ast.json", "--emit", "wat", "--emit", "plan.json", "--emit", "plan.txt", "--emit", "wat"];
  expect(await portcullis("build", file("rules"), "-o", file("out"), ...emit)).toMatchObject({ code: 0, err: "" });
  expect(await portcullis("build", file("rules"), "-o", file("bare"))).toMatchObject({ code: 0, err: "" });
});
afterAll(() => removeFolder(folder));

describe("build --emit", () => {
  it("writes the texts beside the bundle, which stays as it is without them", () => {
    const texts = ["ast.json", "plan.json", "plan.txt", "policy.wat"];
    const bare = readdirSync(file("bare")).sort();
    expect(readdirSync(file("out")).sort()).toEqual([...bare, ...texts].sort());
    for (const name of ["bundle.tar.gz", "policy.wasm"])
      expect(readFileSync(file(`out/${name}`))).toEqual(readFileSync(file(`bare/${name}`)));
  });

  it("gives the syntax trees by file", () => {
    const trees = JSON.parse(text("out/ast.json"));
    expect(Object.keys(trees)).toEqual([file("rules/app.rego")]);
    expect(trees[file("rules/app.rego")].package.path.at(-1)).toEqual({ type: "string", value: "app" });
  });

  it("gives a plan in OPA's format that decides as the module does", async () => {
    const policy = readPlanJson(JSON.parse(text("out/plan.json")));
    assertVerified(policy);
    expect(policy.files).toContain(file("rules/app.rego"));
    const module = await load(readFileSync(file("out/bundle.tar.gz")));
    const answers = INPUTS.map((input) => module.evaluate("app/allow", JSON.parse(input)));
    expect(answers).toEqual([true, undefined, undefined, undefined]);
    const planned = INPUTS.map((input) =>
      toJson(interpret(policy, "app/allow", { input: parseJson(input), data: parseJson(DATA) })),
    );
    const asResults = (answer: unknown): string => (answer === undefined ? "[]" : JSON.stringify([{ result: answer }]));
    expect(planned).toEqual(answers.map((answer) => parseJson(asResults(answer))));
  });

  it("gives the plan after the optimiser, which has what it knows of the data in it", () => {
    const plan = text("out/plan.txt");
    assertVerified(
      parsePolicyText(
        plan,
        [...plan.matchAll(/^constant #/gm)].map(() => ({ kind: "null" })),
      ),
    );
    expect(plan).toMatch(/^plan app\/allow$/m);
    expect(plan).toContain('"bob"');
    expect(text("out/plan.json")).not.toContain('"bob"');
  });

  it("gives the module's text, from which binaryen makes the same functions", async () => {
    const binaryen = (await import("binaryen")).default;
    const module = binaryen.parseText(text("out/policy.wat"));
    module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
    expect(module.validate()).toBe(1);
    const parsed = new WebAssembly.Module(module.emitBinary() as Uint8Array<ArrayBuffer>);
    module.dispose();
    const built = new WebAssembly.Module(readFileSync(file("out/policy.wasm")));
    expect(WebAssembly.Module.exports(parsed)).toEqual(WebAssembly.Module.exports(built));
    expect(WebAssembly.Module.imports(parsed)).toEqual(WebAssembly.Module.imports(built));
  });

  it("refuses a text that there is not, and writes nothing", async () => {
    const { code, err } = await portcullis("build", file("rules"), "-o", file("none"), "--emit", "llvm");
    expect(code).toBe(2);
    expect(err).toContain("ast.json, plan.json, plan.txt, wat");
    expect(existsSync(file("none"))).toBe(false);
  });

  it("writes none of them when there are errors", async () => {
    write(file("wrong/app.rego"), "package app\n\n# METADATA\n# entrypoint: true\np if x\n");
    const { code } = await portcullis("build", file("wrong"), "-o", file("none"), "--emit", "plan.json");
    expect(code).toBe(1);
    expect(existsSync(file("none"))).toBe(false);
  });
});
