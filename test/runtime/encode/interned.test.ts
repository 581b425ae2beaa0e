import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { Interned, load, type Policy } from "../../../runtime/index.ts";

let policy: Policy;
let other: Policy;
beforeAll(async () => {
  policy = await load(readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url)));
  const text =
    'package app\n\nhello := input.name if input.name != ""\n\nsame if input.a == input.b\n\nknown if input.name == "PLANNER"';
  const { compiled } = await compileModules({
    modules: [new SourceFile("app.rego", text)],
    entrypoints: ["app/hello", "app/same", "app/known"],
  });
  other = await load(compiled!.wasm);
});

/** Some role, lane and tool of the example that go together. */
const granted = JSON.parse(readFileSync(new URL("../../../generated/data.json", import.meta.url), "utf8")).portcullis
  .policy;

function someTool(): { role: string; lane: string; tool: string } {
  for (const [lane, { roles, tools }] of Object.entries<{ roles: object; tools: object }>(granted.lanes)) {
    for (const role of Object.keys(roles))
      for (const tool of Object.keys(tools)) if (policy.tool({ role, lane, tool }).allowed) return { role, lane, tool };
  }
  throw new Error("the example allows no tool");
}

const handles = <T extends object>(asker: Policy, request: T): { [K in keyof T]: Interned } =>
  Object.fromEntries(Object.entries(request).map(([key, text]) => [key, asker.intern(text)])) as {
    [K in keyof T]: Interned;
  };

describe("handles", () => {
  it("stand for their texts", () => {
    const request = someTool();
    expect(policy.tool(handles(policy, request))).toEqual({ allowed: true, gate: "ALLOW", reason: "tool_allowed" });
    expect(policy.tool({ ...request, role: policy.intern("STRANGER") })).toEqual(
      policy.tool({ ...request, role: "STRANGER" }),
    );
    expect(policy.tool({ ...request, tool: policy.intern("") }).allowed).toBe(false);
  });

  it("of another policy are read as their texts, whatever their addresses", () => {
    const request = someTool();
    expect(policy.tool(handles(other, request)).allowed).toBe(true);
    // Every address there may be: that of the role is among them, and counts for its own policy only.
    for (let address = 8; address < 65536; address += 8) {
      const strange = new Interned("STRANGER", address, {});
      if (policy.tool({ ...request, role: strange }).allowed) expect(address).toBe("refused");
    }
  });

  it("are echoed and compared like their texts", () => {
    expect(other.evaluate("app/hello", { name: other.intern("somebody new") })).toBe("somebody new");
    expect(other.evaluate("app/hello", { name: other.intern("PLANNER") })).toBe("PLANNER");
    expect(other.evaluate("app/known", { name: other.intern("PLANNER") })).toBe(true);
    expect(other.evaluate("app/same", { a: other.intern("new"), b: "new" })).toBe(true);
    expect(other.evaluate("app/same", { a: other.intern("new"), b: "PLANNER" })).toBeUndefined();
  });

  it("are texts to JSON, and cannot be changed", () => {
    const handle = policy.intern("X");
    expect(JSON.stringify({ handle })).toBe('{"handle":"X"}');
    expect(`${handle}`).toBe("X");
    expect(Object.isFrozen(handle)).toBe(true);
  });
});

describe("batch", () => {
  it("answers each request as a call of its own does", () => {
    const request = someTool();
    const requests = [request, { ...request, role: "STRANGER" }, handles(policy, request), null as never, request];
    expect(policy.batch("tool", requests)).toEqual(requests.map((one) => policy.tool(one)));
    expect(policy.batch("tool", [])).toEqual([]);
  });

  it("denies what fails, and goes on", () => {
    const request = someTool();
    const broken = Object.defineProperty({ ...request }, "role", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    const [first, second, third] = policy.batch("tool", [request, broken, request]);
    expect([first?.allowed, second?.allowed, third?.allowed]).toEqual([true, false, true]);
  });

  it("denies kinds that the policy lacks", () => {
    expect(other.batch("lane", [{ role: "R", lane: "L" }])).toMatchObject([{ allowed: false, gate: "INTERNAL_ERROR" }]);
  });
});
