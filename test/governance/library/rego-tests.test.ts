/** The library's own tests, `*_test.rego`, compiled by the product; with `PORTCULLIS_OPA=1` also by a real `opa`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { load, type Policy } from "../../../runtime/index.ts";
import { adapterModules, adapterTests, libraryModules, librarySchemas, libraryTests } from "./library-modules.ts";

const modules = [...libraryModules(), ...adapterModules()];
const texts = [...libraryTests(), ...adapterTests()];

const tests = texts.map(({ name, text }) => {
  const { module } = parseModule(new SourceFile(name, text));
  const rules = (module?.rules ?? []).flatMap(({ head }) => (head.ref.head.kind === "Var" ? [head.ref.head.name] : []));
  return { name, rules: rules.filter((rule) => rule.startsWith("test_")) };
});

const pathOf = (name: string): string => `portcullis/${name.replace(".rego", "")}`;

describe("the tests beside the library", () => {
  let policy: Policy;
  beforeAll(async () => {
    const { compiled, diagnostics } = await compileModules({
      modules: [...modules, ...texts].map((module) => new SourceFile(module.name, module.text)),
      schemas: librarySchemas(),
      entrypoints: tests.flatMap(({ name, rules }) => rules.map((rule) => `${pathOf(name)}/${rule}`)),
    });
    expect(diagnostics.map(({ message }) => message)).toEqual([]);
    policy = await load(compiled!.wasm);
  });

  it.each(tests)("of $name hold", ({ name, rules }) => {
    expect(rules.length).toBeGreaterThan(0);
    const failing = rules.filter((rule) => policy.evaluate(`${pathOf(name)}/${rule}`, undefined) !== true);
    expect(failing).toEqual([]);
  });

  it("are named after what they test", () => {
    const names = modules.map(({ name }) => name.replace(".rego", "_test.rego"));
    expect(tests.map(({ name }) => name).sort()).toEqual(names.sort());
  });
});

describe.skipIf(process.env["PORTCULLIS_OPA"] === undefined)("a real opa", () => {
  const folder = fileURLToPath(new URL("../../../compiler/governance/library/", import.meta.url));
  const files = [
    ...[...libraryModules(), ...libraryTests()].map(({ name }) => join(folder, name)),
    ...[...adapterModules(), ...adapterTests()].map(({ name }) => join(folder, "adapters", name)),
  ];
  const opa = (...args: string[]): string => execFileSync("opa", args, { encoding: "utf8" });

  it("finds nothing to say about the library, strictly and with its schemas", () => {
    expect(opa("check", "--strict", "--schema", join(folder, "schemas"), ...files)).toBe("");
    expect(opa("fmt", "--list", ...files)).toBe("");
  });

  it("passes the tests, which reach every line but the default answers", () => {
    opa("test", ...files);
    const { files: covered } = JSON.parse(opa("test", "--coverage", "--format", "json", ...files)) as {
      files: { [path: string]: { not_covered?: { start: { row: number } }[] } };
    };
    const missed = Object.entries(covered).flatMap(([path, { not_covered = [] }]) => {
      const text = [...modules, ...texts].find(({ name }) => path.endsWith(`/${name}`))!.text;
      return not_covered
        .map(({ start }) => text.split("\n")[start.row - 1]!)
        .filter((line) => !line.startsWith("default "));
    });
    expect(missed).toEqual([]);
  });

  it("takes no number for the key that is written like it", () => {
    const policy = {
      roles: { R: {}, 1: {} },
      lanes: { L: { roles: { R: true, 1: true }, tools: { 1: true } }, 1: { roles: { R: true }, tools: {} } },
      tools: { 1: { enabled: true, implementation_status: "implemented" } },
      agents: { 1: { type: 1, allowlist: ["A"], delegated: ["A"] } },
      exec: { modes: { 1: true }, inline_modes: { 1: true } },
    };
    const asked: [string, object, string][] = [
      ["lane", { role: 1, lane: "L" }, "ROLE"],
      ["lane", { role: "R", lane: 1 }, "LANE"],
      ["tool", { role: "R", lane: "L", tool: 1 }, "TOOL"],
      ["subagent", { persona: 1, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" } }, "INTERNAL_ERROR"],
      ["exec", { mode: 1, kind: "inline" }, "MODE"],
    ];
    const scratch = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
    const data = join(scratch, "data.json");
    const modules = libraryModules().map(({ name }) => join(folder, name));
    try {
      writeFileSync(data, JSON.stringify({ portcullis: { policy } }));
      for (const [decision, input, gate] of asked) {
        const loaded = [...modules, data].flatMap((path) => ["--data", path]);
        const query = `data.portcullis.${decision}.decision.gate with input as ${JSON.stringify(input)}`;
        expect(opa("eval", "--format", "raw", ...loaded, query).trim()).toBe(gate);
      }
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });
});
