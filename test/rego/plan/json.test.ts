import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { writePlanJson } from "../../../compiler/rego/plan/json.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { hasCases, readCases } from "./cases.ts";
import { parsePolicyText } from "./parse-text.ts";
import { PlanFormatError, readPlanJson } from "./read-json.ts";
import { verifyPolicy } from "./verify.ts";

/** Positions, descriptions of builtins and Go's ways to leave a list out are not kept. */
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== "object" || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [k, v] of Object.entries(value)) {
    if (k === "file" || k === "col" || k === "row" || k === "static" || v === null) continue;
    if (Array.isArray(v) && v.length === 0) continue;
    out[k] = stripped(v);
  }
  return out;
}

describe.skipIf(!hasCases)("plans of the conformance cases", () => {
  const cases = readCases();

  it("are read, verified, and written back as they were", () => {
    for (const c of cases) {
      const policy = readPlanJson(c.plan);
      expect(verifyPolicy(policy), c.note).toEqual([]);
      const again = writePlanJson(policy) as Record<string, unknown>;
      const before = { funcs: {}, ...(stripped(c.plan) as Record<string, unknown>) };
      expect(stripped(again), c.note).toEqual(before);
      expect(readPlanJson(again)).toEqual(policy);
    }
  });

  it("go through the text form and back", () => {
    for (const c of cases) {
      const policy = readPlanJson(c.plan);
      const text = policyToText(policy);
      const parsed = parsePolicyText(text);
      expect(policyToText(parsed), c.note).toBe(text);
      expect(parsed.funcs.map((f) => f.path)).toEqual(policy.funcs.map((f) => f.path));
    }
  });
});

describe("reading a plan", () => {
  const minimal = (stmt: unknown): unknown => ({
    static: { strings: [{ value: "a" }], files: [{ value: "p.rego" }] },
    plans: { plans: [{ name: "p", blocks: [{ stmts: [stmt] }] }] },
    funcs: null,
  });

  it("takes rows and columns from the sources", () => {
    const source = new SourceFile("p.rego", "package p\n\nq := 1\n");
    const plan = minimal({ type: "NopStmt", stmt: { file: 0, row: 3, col: 3 } });
    const policy = readPlanJson(plan, [source]);
    expect(policy.plans[0]?.blocks[0]?.stmts[0]?.span).toEqual({ file: source, start: 13, end: 13 });
    expect(JSON.stringify(writePlanJson(policy))).toContain('{"type":"NopStmt","stmt":{"file":0,"col":3,"row":3}}');
  });

  it("says where a plan is malformed", () => {
    const message = (document: unknown): string => {
      try {
        readPlanJson(document);
      } catch (e) {
        if (e instanceof PlanFormatError) return e.message;
        throw e;
      }
      return "";
    };
    expect(message([])).toBe("plan: expected an object");
    expect(message(minimal({ type: "JumpStmt", stmt: {} }))).toBe(
      "plans[0].blocks[0].stmts[0].type: unknown statement JumpStmt",
    );
    expect(message(minimal({ type: "BreakStmt", stmt: { index: "1" } }))).toBe(
      "plans[0].blocks[0].stmts[0].index: expected an integer",
    );
    expect(message(minimal({ type: "LenStmt", stmt: { source: { type: "float", value: 1 }, target: 2 } }))).toBe(
      'plans[0].blocks[0].stmts[0].source.type: unknown operand type "float"',
    );
    expect(message({ static: { strings: ["a"] } })).toBe("static.strings[0]: expected an object");
  });
});

describe("writing a plan", () => {
  it("refuses constants", () => {
    const policy: Policy = {
      strings: [],
      constants: [{ kind: "null" }],
      builtins: [],
      files: [],
      plans: [],
      funcs: [],
    };
    expect(() => writePlanJson(policy)).toThrow("plan JSON has no constants");
  });
});
