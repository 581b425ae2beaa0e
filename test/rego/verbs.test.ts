/** The five functions of the package, over texts: what they give, and that no source makes them throw. */

import { describe, expect, it } from "vitest";
import { CapabilitiesError, check, compile, diagnosticText, format, parse, test } from "../../compiler/rego/index.ts";
import { LoadError, load } from "../../runtime/index.ts";

const allow = "package authz\n\ndefault allow := false\n\nallow if input.user == data.owner\n";
const entrypoints = ["authz/allow"];

describe("compile", () => {
  it("gives a module and a bundle that answer alike, and the revision that both carry", async () => {
    const { compiled, diagnostics } = await compile({
      modules: { "a.rego": allow },
      data: { owner: "ann" },
      entrypoints,
    });
    expect(diagnostics).toEqual([]);
    expect(compiled?.entrypoints).toEqual(entrypoints);
    for (const bytes of [compiled!.wasm, compiled!.bundle]) {
      const policy = await load(bytes);
      expect(policy.revision).toBe(compiled!.revision);
      expect(policy.evaluate("authz/allow", { user: "ann" })).toBe(true);
      expect(policy.evaluate("authz/allow", { user: "bob" })).toBe(false);
    }
  });

  it("gives the same bytes in whatever order modules are listed", async () => {
    const other = "package b\n\nx := 1\n";
    const one = await compile({ modules: { "a.rego": allow, "b.rego": other }, entrypoints });
    const two = await compile({ modules: { "b.rego": other, "a.rego": allow }, entrypoints });
    expect(one.compiled).toBeDefined();
    expect(two.compiled?.bundle).toEqual(one.compiled?.bundle);
  });

  it("keeps every module inside the bundle, at a path of its own, whatever its name", async () => {
    const rule = (n: number): string => `package p\n\nx${n} := ${n}\n`;
    const modules = { "../../p.rego": rule(1), "/p.rego": rule(2), "C:\\x\\p": rule(3), "": rule(4), "..": rule(5) };
    const { compiled, diagnostics } = await compile({ modules, entrypoints: ["p/x1", "p/x5"] });
    expect(diagnostics).toEqual([]);
    const policy = await load(compiled!.bundle);
    expect([policy.evaluate("p/x1", null), policy.evaluate("p/x5", null)]).toEqual([1, 5]);
  });

  it("leaves to the host what data does not hold", async () => {
    const { compiled } = await compile({ modules: { "a.rego": allow }, entrypoints });
    const policy = await load(compiled!.wasm, { data: { owner: "eve" } });
    expect(policy.evaluate("authz/allow", { user: "eve" })).toBe(true);
  });

  it("says which entrypoint does not exist, and where a module is wrong", async () => {
    const missing = await compile({ modules: { "a.rego": allow }, entrypoints: ["authz/deny"] });
    expect(missing.compiled).toBeUndefined();
    expect(missing.diagnostics.map((d) => d.severity)).toContain("error");
    const wrong = await compile({ modules: { "a.rego": "package a\n\nx := y\n" }, entrypoints: ["a/x"] });
    expect(wrong.compiled).toBeUndefined();
    expect(wrong.diagnostics.map((d) => [d.code, d.span?.file.name])).toEqual([["analyze/unsafe-var", "a.rego"]]);
  });

  it("refuses data and capabilities that are malformed", async () => {
    const modules = { "a.rego": allow };
    await expect(compile({ modules, data: [1] as never })).rejects.toThrow(TypeError);
    await expect(compile({ modules, capabilities: { builtins: 1, features: ["rego_v1"] } })).rejects.toThrow(
      CapabilitiesError,
    );
  });

  it("takes data as JSON takes it", async () => {
    const modules = { "a.rego": "package a\n\nx := data.d\n" };
    const data = { d: { none: undefined, not: Number.NaN, deep: [{ one: 1e21 }] } };
    const { compiled } = await compile({ modules, data, entrypoints: ["a/x"] });
    expect((await load(compiled!.wasm)).evaluate("a/x", null)).toEqual({ not: null, deep: [{ one: 1e21 }] });
  });
});

describe("check", () => {
  it("finds what only an analysis finds, types too", () => {
    expect(check({ modules: { "a.rego": allow } })).toEqual({ ok: true, diagnostics: [] });
    const { ok, diagnostics } = check({ modules: { "a.rego": 'package a\n\nx if count(1) == "a"\n' } });
    expect(ok).toBe(false);
    expect(diagnostics.map((d) => d.opa)).toContain("rego_type_error");
  });

  it("asks before a builtin without a fixed answer is called", () => {
    const modules = { "a.rego": "package a\n\nx := time.now_ns()\n" };
    expect(check({ modules }).ok).toBe(false);
    expect(check({ modules, allowBuiltins: ["time.now_ns"] }).ok).toBe(true);
  });

  it("is as strict as OPA where that is asked for", () => {
    const text = "package a\n\nimport data.b\n\nf(x, y) := x\n\np if {\n\tz := 1\n\tf(1, 2)\n}\n";
    expect(check({ modules: { "a.rego": text } }).ok).toBe(true);
    const { ok, diagnostics } = check({ modules: { "a.rego": text }, strict: true });
    expect(ok).toBe(false);
    expect(diagnostics.map((d) => d.message)).toEqual([
      "import data.b unused",
      "unused argument y. (hint: use _ (wildcard variable) instead)",
      "assigned var z unused",
    ]);
    expect(() => check({ modules: {}, strict: "yes" as never })).toThrow(TypeError);
  });

  it("holds modules to capabilities and inputs to schemas", () => {
    const modules = { "a.rego": "package a\n\nx := lower(input.name)\n" };
    const capabilities = { features: ["rego_v1"], builtins: [] };
    expect(check({ modules, capabilities }).ok).toBe(false);
    const schemas = { "": { type: "object", properties: { name: { type: "number" } } } };
    expect(check({ modules, schemas }).ok).toBe(false);
    expect(check({ modules }).ok).toBe(true);
  });
});

describe("format and parse", () => {
  it("give canonical text and a tree", () => {
    expect(format("package a\nallow  if  input.x==1 # why\n").text).toBe("package a\n\nallow if input.x == 1 # why\n");
    const { module } = parse("package a\n\nx := 1\n\ny := 2\n", "y.rego");
    expect(module?.rules.map((rule) => rule.span.file.name)).toEqual(["y.rego", "y.rego"]);
  });

  it("give findings for a text that is not a module", () => {
    for (const result of [format("package", "n.rego"), parse("package", "n.rego")]) {
      expect("text" in result ? result.text : result.module).toBeUndefined();
      expect(result.diagnostics[0]?.span?.file.name).toBe("n.rego");
    }
  });
});

describe("test", () => {
  const modules = {
    "a.rego": allow,
    "a_test.rego": `package a_test

import data.authz

test_owner if authz.allow with input.user as "ann"

test_other if { print("asked"); authz.allow with input.user as "bob" }

test_cases[name] if {
	some name, user in {"owner": "ann", "stranger": "bob"}
	authz.allow with input.user as user
}

todo_test_later if false
`,
  };
  const data = { owner: "ann" };

  it("runs test_ rules, with their cases and with what they print", async () => {
    const { ok, results, diagnostics } = await test({ modules, data });
    expect(diagnostics).toEqual([]);
    expect(ok).toBe(false);
    expect(results.map(({ name, outcome }) => [name.split(".").at(-1), outcome])).toEqual([
      ["test_owner", "pass"],
      ["test_other", "fail"],
      ["test_cases", "fail"],
      ["todo_test_later", "skip"],
    ]);
    expect(results[1]).toMatchObject({ location: "a_test.rego:7", printed: ["asked"] });
    expect(results[2]?.cases?.map(({ name, outcome }) => [name, outcome])).toEqual([
      ["owner", "pass"],
      ["stranger", "fail"],
    ]);
  });

  it("runs those that are wanted, and is well where all pass", async () => {
    const only = (name: string): boolean => name === "data.a_test.test_owner";
    expect(await test({ modules, data, only })).toMatchObject({ ok: true, results: [{ outcome: "pass" }] });
    const skipped = await test({ modules, data, only: (name) => name.includes("todo") });
    expect(skipped).toMatchObject({ ok: true, results: [{ outcome: "skip" }] });
    expect(await test({ modules: { "a.rego": allow } })).toEqual({ ok: true, results: [], diagnostics: [] });
  });

  it("is not well where a module is wrong", async () => {
    const { ok, results, diagnostics } = await test({ modules: { ...modules, "b.rego": "package b\n\nx := y\n" } });
    expect([ok, results.length, diagnostics.length > 0]).toEqual([false, 0, true]);
  });

  it("tells of a builtin that only a host has", async () => {
    const jwt = { "j_test.rego": 'package j_test\n\ntest_jwt if io.jwt.decode("a.b.c")\n' };
    await expect(test({ modules: jwt })).rejects.toThrow(LoadError);
    const supplied = { "io.jwt.decode": () => true };
    expect(await test({ modules: jwt, load: { builtins: [supplied] } })).toMatchObject({ ok: true });
  });
});

describe("whatever the text", () => {
  const texts = [
    "",
    "\0",
    "package",
    "package a\n\nx := {",
    '"',
    "`",
    "[".repeat(20_000),
    "# METADATA\n# x: [\n",
    "\ud800",
    "{}",
  ];

  it.each(texts.map((text) => [text.slice(0, 20), text]))("%j is a finding", async (_, text) => {
    const modules = { "x.rego": text };
    const found = [
      await compile({ modules, entrypoints: ["a/x"] }),
      check({ modules }),
      format(text),
      parse(text),
      await test({ modules }),
    ];
    for (const { diagnostics } of found) {
      expect(diagnostics.length).toBeGreaterThan(0);
      for (const d of diagnostics) expect(diagnosticText(d)).toContain(d.code);
    }
  });
});

describe("the text of a finding", () => {
  it("marks the fault, and lets no control character through", () => {
    const { diagnostics } = check({ modules: { "a\u001b[31m.rego": "package a\n\nx := unknown\n" } });
    expect(diagnosticText(diagnostics[0]!)).toBe(
      "a\\u001b[31m.rego:3:6: error[analyze/unsafe-var]: var unknown is unsafe\n3 | x := unknown\n  |      ^^^^^^^",
    );
  });
});
