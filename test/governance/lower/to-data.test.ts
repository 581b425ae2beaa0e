/** The data document: its tables, authors' data beside them, and its canonical text. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText } from "../../../compiler/rego/value/index.ts";
import { compareText } from "../../../compiler/rego/value/order.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { campaign } from "../../campaign.ts";
import { compileFiles } from "../model/findings.ts";

const policyOf = (files: Parameters<typeof compileFiles>[0]) =>
  JSON.parse(compileFiles(files).lowered.text).portcullis.policy;

const EMPTY = {
  agents: {},
  exec: {
    hat_lifetime_seconds: null,
    inline_modes: { "break-glass": true, "mode-init": true },
    modes: {},
    script_extensions: [".py"],
    staging_root: null,
  },
  handoff: { forbidden_mutations: {}, forbidden_paths: {}, placeholders: {}, required_fields: [] },
  lanes: {},
  manifests: {},
  roles: {},
  settings: {
    lineage: { depth: "positional", max_chain: 64, require: false },
    call: { lineage: "optional", unknown_agents: "allow" },
    subagents: { approvers: "any" },
    versions: { lanes: null, roles: null },
  },
  tools: {},
};

describe("policy data", () => {
  it("has every table, whatever is absent", () => {
    expect(policyOf({ "roles.yaml": "roles: []\n" })).toEqual(EMPTY);
  });

  it("has what each source says", () => {
    expect(
      policyOf({
        "portcullis.yaml":
          "lineage: { depth: reported, max_chain: 8, require: true }\nsubagents: { unresolved: drop, approvers: human }\n",
        "roles.yaml": "version: r1\nroles:\n  - { role_id: R, class: agent }\n  - role_id: S\n",
        "lanes.yaml":
          "version: l1\nlanes:\n  - lane_id: L\n    allowed_callers: { roles: [S, R] }\n    allowed_actions: { tools: [u, t], writes: [{ table: w, mode: x }, { table: w, mode: a }] }\n    scope: { requires: [k], prohibits: [f] }\n",
        "tool_registry.yaml":
          "tools:\n  - { tool_name: t, enabled: false, implementation_status: partial }\n  - { tool_name: u, allowed_lanes: [], required_scope_keys: [j], prohibited_flags: [g], write_targets: [w], approval: required }\n",
        "AGENT_P-1.md": "---\nsubagents: [T-1, GONE, T_1, U]\n---\nAGENT_TYPE: 1\n",
        "AGENT_T_1.md": "AGENT_TYPE: 2\n",
        "AGENT_U.md": "no type\n",
        "a.manifest.toml": 'can_spawn = ["b", "a"]\nmax_spawn_depth = 4294967295\n',
        "manifests/x.yaml": "agent_type: b\nallowed_tools: [t]\n",
        "handoff.yaml":
          "required_fields: [z, a]\nforbidden_mutations: [/Style.Book, 'x[0]']\nplaceholders: [TBA, N/A/]\n" +
          "agents: { master: [m], sub: [__proto__, s] }\nforbidden_paths: [A/b/]\n",
        "exec.yaml":
          "modes: [m]\ninline_modes: []\nstaging_root: /srv/q/\nscript_extensions: [.py, .tar.gz]\nhat_lifetime_seconds: 60\n",
      }),
    ).toEqual({
      names: {
        folds: expect.any(Object),
        others: expect.any(String),
        apart: expect.any(String),
        second: { ß: "b", ẞ: "b" },
      },
      settings: {
        lineage: { depth: "reported", max_chain: 8, require: true },
        call: { lineage: "required", unknown_agents: "deny" },
        subagents: { approvers: "human" },
        versions: { lanes: "l1", roles: "r1" },
      },
      roles: { R: { class: "agent" }, S: {} },
      lanes: {
        L: {
          roles: { R: true, S: true },
          tools: { t: true, u: true },
          writes: { w: { a: true, x: true } },
          requires: { k: true },
          prohibits: { f: true },
        },
      },
      tools: {
        t: {
          enabled: false,
          implementation_status: "partial",
          scope_keys: {},
          prohibited_flags: {},
          approval: "none",
        },
        u: {
          lanes: {},
          scope_keys: { j: true },
          prohibited_flags: { g: true },
          write_targets: { w: true },
          approval: "required",
        },
      },
      agents: {
        P_1: { type: 1, allowlist: ["T-1", "GONE", "U"], delegated: ["T-1"] },
        T_1: { type: 2, allowlist: [], delegated: [] },
        U: { type: null, allowlist: [], delegated: [] },
      },
      manifests: {
        a: { can_spawn: { a: true, b: true }, max_spawn_depth: 4294967295 },
        b: { can_spawn: {}, max_spawn_depth: 0, tools: { t: true } },
      },
      handoff: {
        required_fields: ["z", "a"],
        forbidden_mutations: { "/Style.Book": true, "x[0]": true },
        placeholders: { TBA: true, "N/A/": true },
        agents: { m: "master", ["__proto__"]: "sub", s: "sub" },
        forbidden_paths: { "A/b/": true },
      },
      exec: {
        modes: { m: true },
        inline_modes: {},
        staging_root: "/srv/q",
        script_extensions: [".py", ".tar.gz"],
        hat_lifetime_seconds: 60,
      },
    });
  });

  it("takes ids that JavaScript has a meaning for", () => {
    const policy = policyOf({
      "roles.yaml": "roles: [{ role_id: __proto__ }, { role_id: constructor }, { role_id: '7' }]\n",
    });
    expect(Object.keys(policy.roles).sort()).toEqual(["7", "__proto__", "constructor"]);
  });

  it("is absent from an author's plain project", () => {
    expect(
      compileFiles({ "a.rego": "package a", "x/data.json": '{"n": 1}', "data.yaml": "portcullis: 1\n" }).lowered.text,
    ).toBe('{"portcullis":1,"x":{"n":1}}');
    expect(compileFiles({ "a.rego": "package a" }).lowered.text).toBe("{}");
  });
});

describe("authors' data", () => {
  it("is merged by folder and key, with exact numbers", () => {
    const { lowered } = compileFiles({
      "data.json": '{"a": {"x": 1.50, "big": 12345678901234567890}, "list": [{"b": 1, "a": 2}]}',
      "a/data.yaml": "y: 0x10\nz: 1e3\n",
      "a/b/data.json": '{"c": null}',
    });
    expect(lowered.text).toBe(
      '{"a":{"b":{"c":null},"big":12345678901234567890,"x":1.50,"y":16,"z":1e3},"list":[{"a":2,"b":1}]}',
    );
  });
});

describe("canonical text", () => {
  const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant<Value>({ kind: "null" }),
      fc.boolean().map((b): Value => ({ kind: "boolean", value: b })),
      fc.integer().map((n): Value => ({ kind: "number", text: String(n) })),
      fc.string({ unit: "binary" }).map((s): Value => ({ kind: "string", value: s })),
      fc.array(tie("value"), { maxLength: 3 }).map((items): Value => ({ kind: "array", items })),
      fc
        .uniqueArray(fc.tuple(fc.string({ unit: "binary" }), tie("value")), { selector: ([k]) => k, maxLength: 4 })
        .map(
          (entries): Value => ({ kind: "object", entries: entries.map(([k, v]) => [{ kind: "string", value: k }, v]) }),
        ),
    ),
  })).value;

  it("is JSON, and does not depend on the order of keys", () => {
    const reversed = (v: Value): Value =>
      v.kind === "object"
        ? { kind: "object", entries: v.entries.map(([k, x]) => [k, reversed(x)] as const).reverse() }
        : v.kind === "array"
          ? { kind: "array", items: v.items.map(reversed) }
          : v;
    fc.assert(
      fc.property(value, (v) => {
        const text = jsonText(v);
        expect(JSON.stringify(JSON.parse(text)).length).toBe(text.length);
        expect(jsonText(reversed(v))).toBe(text);
      }),
      campaign(2_000),
    );
  });

  it("sorts by code point", () => {
    const points = (s: string): number[] => [...s].map((c) => c.codePointAt(0) as number);
    const byPoints = (a: number[], b: number[]): number => {
      const i = a.findIndex((x, j) => x !== b[j]);
      return i < 0 ? a.length - b.length : i >= b.length ? 1 : (a[i] as number) - (b[i] as number);
    };
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Math.sign(byPoints(points(a), points(b))));
      }),
      campaign(5_000),
    );
    expect(compareText("\u{1f600}", "\uffff")).toBeGreaterThan(0);
  });
});

describe("data files below the root", () => {
  const RULE = { "a.rego": "package a\n" };

  it("hold any value, that of their folder", () => {
    const { lowered } = compileFiles({
      ...RULE,
      "x/assets/data.json": '[{"name": "a"}]',
      "x/flag/data.json": "false",
      "x/data.yaml": "limit: 3\n",
    });
    expect(lowered.diagnostics).toEqual([]);
    expect(JSON.parse(lowered.text)).toEqual({ x: { assets: [{ name: "a" }], flag: false, limit: 3 } });
  });

  it("say the same once: beside other data at the path, a list is a conflict", () => {
    const conflicts = (files: Record<string, string>): string[] =>
      compileFiles({ ...RULE, ...files }).lowered.diagnostics.map((d) => `${d.code} ${d.params?.path}`);
    expect(conflicts({ "x/data.json": "[1]", "x/y/data.json": '{"k": 1}' })).toEqual(["lower/data-conflict data.x"]);
    expect(conflicts({ "data.json": '{"x": {"y": 1}}', "x/data.json": "[1]" })).toEqual(["lower/data-conflict data.x"]);
  });
});
