/** Every finding of the sources stage, with a text that causes it, and the place that it must point at. */

import { describe, expect, it } from "vitest";
import { documentsCodes, syntaxCauses } from "../../../compiler/documents/index.ts";
import { loadSources, sourcesCodes } from "../../../compiler/governance/sources/index.ts";
import { brief, compileFiles, marked } from "../model/findings.ts";
import { type Files, virtualHost } from "./virtual-host.ts";

interface Fixture {
  readonly files: Files;
  readonly at: string;
  readonly marked?: string;
  readonly message?: string;
  readonly help?: string;
}

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"].map((s) => [...s] as [string, string])) {
  bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
}

const FIXTURES: { readonly [code: string]: Fixture | readonly Fixture[] } = {
  "sources/invalid-utf8": {
    files: { "roles.yaml": new Uint8Array([...new TextEncoder().encode("roles:\n  - role_id: é"), 0xc3, 0x28]) },
    at: "roles.yaml:2:15",
    message: "byte 0xc3 is not valid UTF-8",
  },
  "sources/invalid-yaml": [
    { files: { "roles.yaml": "roles:\n  - role_id: A\n bad\n" }, at: "roles.yaml:3:1" },
    { files: { "roles.yaml": "roles: [A\n" }, at: "roles.yaml:2:1" },
    { files: { "data.yaml": "a:\n  <<: 1\n" }, at: "data.yaml:2:7", marked: "1" },
    { files: { "AGENT_A.md": "---\nsubagents: [A\n---\n" }, at: "AGENT_A.md:3:1" },
  ],
  "sources/merge-conflict": {
    files: { "roles.yaml": "roles:\n<<<<<<< HEAD\n  - role_id: A\n=======\n>>>>>>> b\n" },
    at: "roles.yaml:2:1",
    marked: "<<<<<<< HEAD",
  },
  "sources/hidden-character": [
    {
      files: { "tool_registry.yaml": "tools:\n  - tool_name: a # yes\r    approval: required\n" },
      at: "tool_registry.yaml:2:23",
      message: "U+000D ends a line for some readers, and not for others",
    },
    { files: { "a.rego": "package a\n\n# so:\u2028deny if true\n" }, at: "a.rego:3:6" },
    {
      files: { "a.rego": 'package a\n\nok if input.x != "b\u202e \u2066# always\u2069\u2066"\n' },
      at: "a.rego:3:20",
      message: "U+202E shows the text in another order than it is read",
    },
    { files: { "manifests/a.toml": 'agent_type = "a" # \u0085\n' }, at: "manifests/a.toml:1:20" },
    { files: { "AGENT_A.md": "---\nsubagents: [] # \u2029x\n---\n\u202eb\n" }, at: "AGENT_A.md:2:17" },
    {
      files: { "roles.yaml": "roles:\n  - role_id: A # \0\n" },
      at: "roles.yaml:2:18",
      message: "U+0000 is a control character, which not every reader takes or shows",
    },
    { files: { "data.yaml": "a: x\u007f\n" }, at: "data.yaml:1:5" },
    { files: { "a.rego": "package a\n\n# \u001b[8m\nok if true\n" }, at: "a.rego:3:3" },
  ],
  "sources/tab-indentation": {
    files: { "roles.yaml": "roles:\n\t- role_id: A\n" },
    at: "roles.yaml:2:1",
    marked: "\t",
  },
  "sources/confusable-character": {
    files: { "manifests/a.toml": "agent_type = “a”\n" },
    at: "manifests/a.toml:1:14",
    message: 'LEFT DOUBLE QUOTATION MARK (U+201C) looks like `"` and is not',
  },
  "sources/misnamed-file": {
    files: { "role.yaml": "roles: []\n", "lanes.yaml": "lanes: []\n" },
    at: "role.yaml:1:1",
    help: "did you mean `roles.yaml`?",
  },
  "sources/bundle-manifest": {
    files: { "a.rego": "package a\n", ".manifest": '{ "rego_version": "2" }' },
    at: ".manifest:1:19",
    marked: '"2"',
  },
  "sources/unknown-rego-version": {
    files: { "a.rego": "package a\n", ".manifest": '{ "rego_version": 3 }' },
    at: ".manifest:1:19",
    marked: "3",
  },
  "sources/rego-version-glob": {
    files: { "a.rego": "package a\n", ".manifest": '{ "file_rego_versions": { "[": 2 } }' },
    at: ".manifest:1:27",
    message: "failed to compile glob pattern [",
  },
  "sources/stale-build-output": {
    files: {
      "extensions/tool.rego": "package app\n",
      "extensions/bundle.tar.gz": "",
      "extensions/data.json": '{ "portcullis": {} }\n',
    },
    at: "extensions/tool.rego:1:1",
  },
  "sources/set-inside-set": {
    files: {
      "roles.yaml": "roles: []\n",
      "lanes.yaml": "lanes: []\n",
      "old/roles.yaml": "roles: []\n",
      "old/lanes.yaml": "lanes: []\n",
    },
    at: "old/lanes.yaml:1:1",
    message: "`old` holds a policy set of its own: `lanes.yaml`, `roles.yaml`",
  },
  "sources/invalid-toml": [
    { files: { "a.manifest.toml": 'agent_type = "a"\ncan_spawn = [x]\n' }, at: "a.manifest.toml:2:14" },
    { files: { "manifests/a.toml": "a = 1\na = 2\n" }, at: "manifests/a.toml:2:1" },
  ],
  "sources/invalid-json": [
    { files: { "data.json": '{"a": 1,}' }, at: "data.json:1:9", marked: "}" },
    { files: { "data.json": '{"a": 01}' }, at: "data.json:1:7" },
    { files: { "data.json": '{"a": tru}' }, at: "data.json:1:7" },
    { files: { "data.json": '{"a": "x\ny"}' }, at: "data.json:1:9" },
    { files: { "data.json": '{"a": "\\q"}' }, at: "data.json:1:8", marked: "\\q" },
    { files: { "data.json": '{"a": "x' }, at: "data.json:1:7" },
    { files: { "data.json": '{"a": [1 2]}' }, at: "data.json:1:10" },
    { files: { "data.json": "{} {}" }, at: "data.json:1:4" },
    { files: { "data.json": "" }, at: "data.json:1:1" },
    { files: { "data.json": "{'a': 1}" }, at: "data.json:1:2" },
    { files: { "data.json": '{"a" 1}' }, at: "data.json:1:6" },
  ],
  "sources/duplicate-key": [
    { files: { "roles.yaml": "roles: []\nversion: a\nroles: []\n" }, at: "roles.yaml:3:1", marked: "roles" },
    { files: { "data.yaml": "a: {x: 1, x: 2}\n" }, at: "data.yaml:1:11" },
    { files: { "data.yaml": '1: a\n"1": b\n' }, at: "data.yaml:2:1", marked: '"1"' },
    { files: { "data.json": '{"a": 1, "\\u0061": 2}' }, at: "data.json:1:10" },
    { files: { "AGENT_A.md": "---\nsubagents: []\nsubagents: [B]\n---\n" }, at: "AGENT_A.md:3:1", marked: "subagents" },
  ],
  "sources/key-not-text": { files: { "data.yaml": "? [a, b]\n: 1\n" }, at: "data.yaml:1:3" },
  "sources/several-documents": { files: { "exec.yaml": "modes: []\n---\nmodes: []\n" }, at: "exec.yaml:2:1" },
  "sources/yaml-version": { files: { "exec.yaml": "%YAML 1.1\n---\nmodes: []\n" }, at: "exec.yaml:1:1" },
  "sources/yaml-tag": [
    {
      files: { "exec.yaml": "modes: [!!str a]\n" },
      at: "exec.yaml:1:15",
      message: "YAML tag `!!str` is not supported",
    },
    { files: { "exec.yaml": "modes: !include x.yaml\n" }, at: "exec.yaml:1:8" },
  ],
  "sources/unknown-alias": [
    { files: { "data.yaml": "a: *b\n" }, at: "data.yaml:1:4" },
    { files: { "data.yaml": "a: &a [*a]\n" }, at: "data.yaml:1:8" },
  ],
  "sources/alias-expansion": { files: { "data.yaml": bomb.join("\n") }, at: "data.yaml:4:36" },
  "sources/too-deep": [
    { files: { "data.json": "[".repeat(300) }, at: "data.json:1:202" },
    { files: { "data.yaml": `a: ${"[".repeat(300)}${"]".repeat(300)}` }, at: "data.yaml:1:204" },
    { files: { "data.yaml": "[".repeat(200_000) }, at: "data.yaml:1:202" },
    { files: { "data.yaml": "- ".repeat(200_000) }, at: "data.yaml:1:403" },
    {
      files: { "data.yaml": Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}a:`).join("\n") },
      at: "data.yaml:202:202",
    },
    { files: { "a.manifest.toml": `a = ${"[".repeat(300)}${"]".repeat(300)}` }, at: "a.manifest.toml:1:205" },
  ],
  "sources/number-not-finite": [
    { files: { "data.yaml": "a: .inf\n" }, at: "data.yaml:1:4", marked: ".inf" },
    { files: { "data.yaml": "a: [.NaN]\n" }, at: "data.yaml:1:5" },
    { files: { "a.manifest.toml": "max_spawn_depth = nan\n" }, at: "a.manifest.toml:1:19", marked: "nan" },
  ],
  // What `opa eval -b` has of them is a number, or another key.
  "sources/text-to-others": [
    ...["1_000", "1_", "0b11", "-0b1", "0X1F", "+0x1F", "-0o7", ".1_5", "1_0e3"].map((text) => ({
      files: { "data.yaml": `a: [${text}]\n` },
      at: "data.yaml:1:5",
      marked: text,
      message: `\`${text}\` is a text here, and a number to other readers`,
    })),
    ...["0x10", "1.0", "1e1", "01", "+1", "-0", "1.10"].map((text) => ({
      files: { "data.yaml": `a: { ${text}: b }\n` },
      at: "data.yaml:1:6",
      marked: text,
      message: `\`${text}\` is a text here, and another one to other readers`,
    })),
    { files: { "data.yaml": "1_0: b\n" }, at: "data.yaml:1:1", marked: "1_0" },
    {
      files: { "data.yaml": "a: b\nTrue: c\n" },
      at: "data.yaml:2:1",
      marked: "True",
      message: "`True` is a text here, and `true` to other readers",
    },
    {
      files: { "data.yaml": "null: b\n" },
      at: "data.yaml:1:1",
      marked: "null",
      message: "`null` is a text here, and nothing to other readers",
    },
    { files: { "roles.yaml": "version: 2026_03\nroles:\n  - role_id: A\n" }, at: "roles.yaml:1:10", marked: "2026_03" },
  ],
  "sources/leading-zero": [
    { files: { "data.yaml": "a: 0123\n" }, at: "data.yaml:1:4", marked: "0123" },
    { files: { "exec.yaml": "modes: [a]\n", "data.yaml": "a: [-007.5]\n" }, at: "data.yaml:1:5", marked: "-007.5" },
  ],
  "sources/lone-surrogate": [
    { files: { "data.json": '{"a": "\\ud800"}' }, at: "data.json:1:7" },
    { files: { "data.yaml": 'a: "\\udc00x"\n' }, at: "data.yaml:1:4" },
    { files: { "data.yaml": '"\\ud800": 1\n' }, at: "data.yaml:1:1" },
  ],
  "sources/unclosed-front-matter": {
    files: { "AGENT_A.md": "---\nsubagents: [B]\n# A\n" },
    at: "AGENT_A.md:1:1",
    marked: "---",
  },
  "sources/late-front-matter": [
    { files: { "AGENT_A.md": "\n \n---\nsubagents: [B]\n---\n# A\n" }, at: "AGENT_A.md:3:1", marked: "---" },
  ],
  "sources/wrong-type": [
    ...[
      ["'5'", "a string"],
      ["1e999", "a number"],
    ].map(([max = "", found = ""]) => ({
      files: {
        "tool_registry.yaml": `tools: [{ tool_name: t, arguments: { a: { type: number, max: ${max} } } }]\n`,
      },
      at: "tool_registry.yaml:1:62",
      message: `\`max\` must be a number, or numbers by role, found ${found}`,
      marked: max,
    })),
    {
      files: { "lanes.yaml": "lanes:\n  - { lane_id: L, allowed_callers: { roles: A, B, C } }\n" },
      at: "lanes.yaml:2:45",
      message: "`roles` must be a list, found a string",
      help: "write `[A, B, C]`",
    },
    {
      files: { "tool_registry.yaml": "tools:\n  - tool_name: t\n    enabled: no\n" },
      at: "tool_registry.yaml:3:14",
      message: "`enabled` must be `true` or `false`, found a string",
      help: "write `false`, without quotes",
    },
    { files: { "tool_registry.yaml": "tools:\n  - tool_name: t\n    enabled: ~\n" }, at: "tool_registry.yaml:3:14" },
    {
      files: { "roles.yaml": "version: 1\nroles: []\n" },
      at: "roles.yaml:1:10",
      help: "quote the value to make it text",
    },
    {
      files: { "lanes.yaml": "lanes:\n  - lane_id: L\n    allowed_callers: { roles: R }\n" },
      at: "lanes.yaml:3:31",
      message: "`roles` must be a list, found a string",
      help: "write `[R]`",
    },
    {
      files: { "roles.yaml": "roles:\n  - role_id: A\n  - B\n" },
      at: "roles.yaml:3:5",
      message: "`roles[1]` must be a mapping, found a string",
    },
    { files: { "roles.yaml": "- a\n" }, at: "roles.yaml:1:1", message: "this file must be a mapping, found a list" },
    {
      files: { "a.manifest.toml": "max_spawn_depth = 1.5\n" },
      at: "a.manifest.toml:1:19",
      message: "`max_spawn_depth` must be a whole number, found a number",
    },
  ],
  "sources/unknown-key": [
    {
      files: { "roles.yaml": "roles:\n  - role_id: A\n    clas: x\n" },
      at: "roles.yaml:3:5",
      marked: "clas",
      help: "did you mean `class`?",
    },
    {
      files: { "tool_registry.yaml": "tools:\n  - tool_name: t\n    adapter: { enabled: true }\n" },
      at: "tool_registry.yaml:3:5",
      marked: "adapter",
    },
    {
      files: { "x/portcullis.yml": "subagent: { unresolved: drop }\n" },
      at: "x/portcullis.yml:1:1",
      help: "did you mean `subagents`?",
    },
    { files: { "manifests/a.toml": "[can_spawns]\nx = 1\n" }, at: "manifests/a.toml:1:2", marked: "can_spawns" },
  ],
  "sources/unknown-audit-key": {
    files: { "lanes.yaml": "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [] }\n    audit: { roles: [R] }\n" },
    at: "lanes.yaml:4:14",
    marked: "roles",
  },
  "sources/missing-key": [
    { files: { "roles.yaml": "" }, at: "roles.yaml:1:1", message: "missing key `roles`" },
    { files: { "roles.yaml": "roles:\n  - rol_id: A\n" }, at: "roles.yaml:2:5", help: "`rol_id` looks like it" },
    {
      files: { "lanes.yaml": "lanes:\n  - lane_id: L\n" },
      at: "lanes.yaml:2:5",
      message: "missing key `allowed_callers`",
    },
  ],
  "sources/bad-value": {
    files: { "portcullis.yaml": "lineage: { depth: position }\n" },
    at: "portcullis.yaml:1:19",
    message: "`depth` must be one of `positional`, `reported`",
    help: "did you mean `positional`?",
  },
  "sources/out-of-range": [
    {
      files: { "a.manifest.yaml": "max_spawn_depth: -1\n" },
      at: "a.manifest.yaml:1:18",
      message: "`max_spawn_depth` must be at least 0",
    },
    { files: { "a.manifest.yaml": "max_spawn_depth: 4294967296\n" }, at: "a.manifest.yaml:1:18" },
  ],
};

/** Codes that have no file to be in; they have tests of their own below. */
const ELSEWHERE = ["sources/unreadable-folder", "sources/unreadable-file", "sources/empty-folder"];

describe("findings of the sources stage", () => {
  it("has a fixture for every code", () => {
    expect([...Object.keys(FIXTURES), ...ELSEWHERE].sort()).toEqual(
      Object.keys({ ...documentsCodes, ...sourcesCodes }).sort(),
    );
  });

  for (const [code, fixtures] of Object.entries(FIXTURES)) {
    for (const [i, fixture] of [fixtures].flat().entries()) {
      it(`${code} #${i + 1}`, () => {
        const found = syntaxCauses(compileFiles(fixture.files).load.diagnostics);
        const finding = found.find((d) => brief(d) === `${code} ${fixture.at}`);
        expect(finding, found.map(brief).join("\n")).toBeDefined();
        if (fixture.marked !== undefined && finding !== undefined) expect(marked(finding)).toBe(fixture.marked);
        if (fixture.message !== undefined) expect(finding?.message).toBe(fixture.message);
        if (fixture.help !== undefined) expect(finding?.help).toBe(fixture.help);
      });
    }
  }

  it("sources/unreadable-folder", () => {
    const host = virtualHost({ p: { "roles.yaml": "roles: []" } });
    expect(loadSources(host, ["q"]).diagnostics.map((d) => d.message)).toEqual([
      "cannot read `q`: no such file or folder",
    ]);
    expect(loadSources(host, ["p", "p/x.yaml"]).diagnostics.map((d) => d.code)).toEqual(["sources/unreadable-folder"]);
  });

  it("sources/unreadable-file", () => {
    const host = { ...virtualHost({ p: {} }), listFiles: () => ["roles.yaml"] };
    const { diagnostics, set } = loadSources(host, ["p"]);
    expect(diagnostics.map((d) => d.message)).toEqual(["cannot read `p/roles.yaml`: no such file or folder"]);
    expect([...set.broken]).toEqual(["roles"]);
  });

  it("sources/empty-folder", () => {
    const host = virtualHost({ p: {}, q: { "README.md": "x", "src/a.ts": "" }, r: { "a.rego": "package a" } });
    expect(loadSources(host, ["p", "q", "r"]).diagnostics.map((d) => d.message)).toEqual([
      "`p` holds no policy sources",
      "`q` holds no policy sources",
    ]);
  });

  it("says what to do, in full sentences, for every code", () => {
    for (const [code, entry] of Object.entries({ ...documentsCodes, ...sourcesCodes })) {
      expect(code).toMatch(/^sources\/[a-z0-9-]+$/);
      expect(entry.message).not.toMatch(/\.$/);
      expect(entry.explain).toMatch(/\.$/);
      expect(entry.explain.length).toBeGreaterThan(60);
    }
  });
});
