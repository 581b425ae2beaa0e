/** Loading: which file is what, several folders, and the promises for any bytes and any order. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadSources } from "../../../compiler/governance/sources/index.ts";
import { nearMiss, recognise } from "../../../compiler/governance/sources/recognise.ts";
import { campaign } from "../../campaign.ts";
import { compileFiles, compileHost } from "../model/findings.ts";
import { type Files, virtualHost } from "./virtual-host.ts";

describe("recognition", () => {
  it.each([
    ["portcullis.yaml", "settings"],
    ["a/b/portcullis.yml", "settings"],
    ["roles.yaml", "roles"],
    ["x/lanes.yml", "lanes"],
    ["tool_registry.yaml", "tool_registry"],
    ["AGENT_X.md", "agent"],
    ["deep/AGENT_.md", "agent"],
    ["a.manifest.yaml", "manifest"],
    ["a.manifest.toml", "manifest"],
    ["manifests/a.yaml", "manifest"],
    ["x/manifests/team/a.toml", "manifest"],
    ["manifests/exec.yaml", "manifest"],
    ["handoff.yaml", "handoff"],
    ["exec.yml", "exec"],
    ["a.rego", "rego"],
    ["tests/a_test.rego", "rego"],
    ["data.json", "data"],
    ["a/b/data.yaml", "data"],
    ["tests/a.yaml", "tests"],
    ["tests/lanes.yaml", "tests"],
    ["tests/manifests/a.yaml", "manifest"],
    ["manifests/tests/a.yaml", "tests"],
    ["handoff-samples/positive/a.json", "sample"],
    ["x/handoff-samples/negative/a.json", "sample"],
  ])("%s is %s", (path, kind) => {
    expect(recognise(path)?.kind).toBe(kind);
  });

  it.each([
    "README.md",
    "agent_x.md",
    "Roles.yaml",
    "roles.json",
    "roles.toml",
    "x.yaml",
    "a.json",
    ".manifest.yaml",
    "tests/a.toml",
    "constructor.yaml",
    "positive/a.json",
  ])("%s is not a file of ours", (path) => {
    expect(recognise(path)).toBeUndefined();
  });

  it("says why a likely file is ignored", () => {
    expect(nearMiss("agent_x.md")).toMatch(/AGENT_<NAME>/);
    expect(nearMiss("a/Roles.yaml")).toMatch(/case/);
    expect(nearMiss("roles.json")).toMatch(/YAML/);
    expect(nearMiss("x.png")).toBeUndefined();
  });
});

describe("loading", () => {
  it("knows data by its folder and tests by their name", () => {
    const host = virtualHost({
      p: { "a/b/data.json": '{"x": 1}', "data.yaml": "y: 2", "r.rego": "package r", "r_test.rego": "package r_test" },
    });
    const { set } = loadSources(host, ["p"]);
    expect(set.data.map((d) => d.prefix)).toEqual([["a", "b"], []]);
    expect(set.rego.map((r) => [r.path, r.test])).toEqual([
      ["r.rego", false],
      ["r_test.rego", true],
    ]);
  });

  it("joins folders, counts a file once, and takes single files", () => {
    const files = { "roles.yaml": "roles: []", "manifests/a.yaml": "can_spawn: []" };
    const host = virtualHost({
      p: files,
      "p/manifests": { "a.yaml": "can_spawn: []" },
      q: { "lanes.yaml": "lanes: []" },
    });
    const { set, diagnostics } = loadSources(host, ["q", "p/manifests", "p", "./p/"]);
    expect(set.manifests.map((m) => m.file.name)).toEqual(["p/manifests/a.yaml"]);
    expect([set.roles.length, set.lanes.length]).toEqual([1, 1]);
    // Taken by itself, the inner folder holds a file of no known name.
    expect(diagnostics.map((d) => d.code)).toEqual(["sources/empty-folder"]);
    expect(loadSources(host, ["p/roles.yaml"]).set.roles.map((r) => r.file.name)).toEqual(["p/roles.yaml"]);
  });

  it("takes JSON and YAML of any name that is named itself as data at the root, and none that lies in a folder", () => {
    const host = virtualHost({
      p: { "a.rego": "package a", "sub/mock.json": '{"mock": 1}', "roles.json": "{}" },
      "p/sub": { "mock.json": '{"mock": 1}', "users.yaml": "users: [ann]" },
    });
    expect(loadSources(host, ["p"]).set.data).toEqual([]);
    const { set, diagnostics } = loadSources(host, ["p/a.rego", "p/sub/mock.json", "p/sub/users.yaml"]);
    expect(set.data.map(({ file, prefix }) => [file.name, prefix])).toEqual([
      ["p/sub/mock.json", []],
      ["p/sub/users.yaml", []],
    ]);
    expect(diagnostics).toEqual([]);
    expect(loadSources(host, ["p/roles.json"]).diagnostics.map((d) => d.code)).toContain("sources/misnamed-file");
  });

  it("notes what it ignores", () => {
    const { notes } = loadSources(virtualHost({ p: { "roles.yaml": "roles: []", "b.txt": "", "Lanes.yaml": "" } }), [
      "p",
    ]);
    expect(notes.map((n) => n.path)).toEqual(["p/Lanes.yaml", "p/b.txt"]);
  });

  const PLAIN = { "a.rego": "package a\n" };
  const SET = { ...PLAIN, "roles.yaml": "roles: []\n" };
  it.each([
    // Rules that would be lost, whatever the file holds and wherever it lies.
    [{ ...SET, "handoffs.yaml": "" }, "p/handoffs.yaml", "p/handoff.yaml"],
    [{ ...SET, "role.yaml": "x: 1" }, "p/role.yaml", "p/roles.yaml"],
    [{ ...SET, "deep/Tool-Registry.yml": "" }, "p/deep/Tool-Registry.yml", "p/deep/tool_registry.yaml"],
    [{ ...SET, "portculis.yaml": "" }, "p/portculis.yaml", "p/portcullis.yaml"],
    [{ ...SET, "exec.json": "{}" }, "p/exec.json", "p/exec.yaml"],
    [{ ...SET, "deep/Data.json": "{}" }, "p/deep/Data.json", "p/deep/data.json"],
    [{ ...SET, "deep/b.rego.txt": "" }, "p/deep/b.rego.txt", "p/deep/b.rego"],
    [{ ...SET, "b.REGO": "" }, "p/b.REGO", "p/b.rego"],
    [{ ...SET, "deep/b.rgo": "# a\npackage a.b\n" }, "p/deep/b.rgo", "p/deep/b.rego"],
    [{ ...SET, "b.reg": "package a\r\n\r\nx := 1\r\n" }, "p/b.reg", "p/b.rego"],
    [{ ...SET, "manifest/a.yaml": "can_spawn: []" }, "p/manifest/a.yaml", "p/manifests/a.yaml"],
    [{ ...SET, "Manifests/a.toml": "agent_type = 'a'" }, "p/Manifests/a.toml", "p/manifests/a.toml"],
    [{ ...SET, "manifests/a.json": '{"allowed_tools": []}' }, "p/manifests/a.json", "p/manifests/a.yaml"],
    // Tests that would not run.
    [
      { ...SET, "handoff-samples/positive/a.yaml": "" },
      "p/handoff-samples/positive/a.yaml",
      "p/handoff-samples/positive/a.json",
    ],
    [{ ...SET, "tests/a.json": '{"decision": "lane", "cases": []}' }, "p/tests/a.json", "p/tests/a.yaml"],
    [
      { ...SET, "tests/old/a.json": '{\n\t"matrices": [],\n\t"decision":"lane",}' },
      "p/tests/old/a.json",
      "p/tests/old/a.yaml",
    ],
    [{ ...SET, "test/a.JSON": '{"cases":[{}],"decision":"lane"}' }, "p/test/a.JSON", "p/tests/a.yaml"],
    [{ ...SET, "tests/a.toml": 'decision = "lane"\n[[cases]]\nname = "a"' }, "p/tests/a.toml", "p/tests/a.yaml"],
    [{ ...SET, "tests/a.TOML": 'decision = "lane"\ncases = []' }, "p/tests/a.TOML", "p/tests/a.yaml"],
    [{ ...SET, "a.Manifest.yaml": "" }, "p/a.Manifest.yaml", "p/a.manifest.yaml"],
    [{ ...SET, "deep/agent_x.md": "" }, "p/deep/agent_x.md", "p/deep/AGENT_x.md"],
    [{ ...PLAIN, "lane.yaml": "" }, "p/lane.yaml", "p/lanes.yaml"],
    // Other names that people give to these files.
    [{ ...SET, "settings.yaml": "" }, "p/settings.yaml", "p/portcullis.yaml"],
    [{ ...SET, "approvals.yaml": "" }, "p/approvals.yaml", "p/approvers.yaml"],
    [{ ...SET, "rate_limits.yaml": "" }, "p/rate_limits.yaml", "p/limits.yaml"],
    [{ ...SET, "execution.yml": "" }, "p/execution.yml", "p/exec.yaml"],
    // Letters of another alphabet, with marks, or of full width, and characters that do not show.
    [{ ...SET, "l\u0456mits.yaml": "" }, "p/l\u0456mits.yaml", "p/limits.yaml"],
    [{ ...SET, "limits.\u0443aml": "" }, "p/limits.\u0443aml", "p/limits.yaml"],
    [{ ...SET, "l\u00edmits.yaml": "" }, "p/l\u00edmits.yaml", "p/limits.yaml"],
    [{ ...SET, "limits\uff0eyaml": "" }, "p/limits\uff0eyaml", "p/limits.yaml"],
    [{ ...SET, "limits.yaml\u200b": "" }, "p/limits.yaml\u200b", "p/limits.yaml"],
    [{ ...SET, "limits.yaml ": "" }, "p/limits.yaml ", "p/limits.yaml"],
    [{ ...SET, "b.r\u0435go": "" }, "p/b.r\u0435go", "p/b.rego"],
    [{ ...SET, "AGENT_X.markdown": "" }, "p/AGENT_X.markdown", "p/AGENT_X.md"],
    // The copy of a file that is not there.
    [{ ...SET, "limits.yaml~": "" }, "p/limits.yaml~", "p/limits.yaml"],
    [{ ...SET, "approvers.yml.bak": "" }, "p/approvers.yml.bak", "p/approvers.yaml"],
    [{ ...SET, "b.rego.orig": "" }, "p/b.rego.orig", "p/b.rego"],
    [{ "lane.yaml": "" }, "p/lane.yaml", "p/lanes.yaml"],
  ])("refuses a name that is nearly one of ours: %j", (files, name, meant) => {
    const { diagnostics } = loadSources(virtualHost({ p: files as never }), ["p"]);
    const found = diagnostics.filter((d) => d.code === "sources/misnamed-file");
    expect(found.map((d) => [d.severity, d.span?.file.name, d.meant?.map((path) => `p/${path}`)])).toEqual([
      ["error", name, [meant]],
    ]);
  });

  it.each([
    { ...SET, "rules.yaml": "" },
    { ...SET, "b.reg": "Windows Registry Editor Version 5.00\n", "b.rgo": "", "b.go": "package main\n" },
    { ...SET, "b.rego.disabled": "package a\n", "b.rego.j2": "package a\n", rego: "package a\n" },
    { ...PLAIN, "b.rgo": "a package\npackage of two\n" },
    { ...SET, "roles.yaml~": "", "a.rego.bak": "", "limits.yml": "limits: []\n", "limits.yaml.orig": "" },
    { ...SET, "deploy/settings.json": "{}", "deploy/tools.yaml": "", "deploy/rate_limits.yaml": "" },
    { ...SET, "manifest/service.yaml": "kind: Service", "test/fixture.json": '{"cases": []}' },
    {
      ...SET,
      "tests/fixture.json": '{"cases": []}',
      "tests/decision.json": '{"decision": "lane"}',
      "tests/x.toml": "a = 1",
    },
    { ...SET, "tests/fixture.json": '{"input": {"decision": "lane", "cases": []}}' },
    // Files of a project that has no roles, lanes, tools or agents.
    { ...PLAIN, "settings.json": "{}", "agent_notes.md": "", "k8s/role.yaml": "kind: Role" },
  ])("takes no other name for one of ours: %j", (files) => {
    const { diagnostics } = loadSources(virtualHost({ p: files as never }), ["p"]);
    expect(diagnostics.map((d) => d.code)).toEqual([]);
  });

  it("finds everything in one run", () => {
    const { diagnostics } = compileFiles({
      "roles.yaml": "roles:\n  - role_id: A\n    clas: x\n  - role: B\n",
      "lanes.yaml": "lanes: [",
      "tool_registry.yaml": "tools:\n  - tool_name: t\n    enabled: no\n",
      "a.manifest.toml": "x = ",
      "data.json": "{",
    });
    expect(new Set(diagnostics.filter((d) => d.severity === "error").map((d) => d.code))).toEqual(
      new Set([
        "sources/unknown-key",
        "sources/missing-key",
        "sources/invalid-yaml",
        "sources/wrong-type",
        "sources/invalid-toml",
        "sources/invalid-json",
      ]),
    );
  });

  it("draws no conclusions from what it could not read", () => {
    const lanes = "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [A] }\n    allowed_actions: { tools: [t] }\n";
    const { diagnostics } = compileFiles({
      "roles.yaml": "roles: [",
      "tool_registry.yaml": "tools: {}",
      "lanes.yaml": lanes,
    });
    expect(diagnostics.filter((d) => d.severity === "error").map((d) => d.code)).toEqual([
      "sources/invalid-yaml",
      "sources/wrong-type",
    ]);
    expect(diagnostics.some((d) => d.code === "model/undefined-tool")).toBe(false);
  });
});

const NAMES = [
  ...[
    "portcullis.yaml",
    "roles.yaml",
    "lanes.yaml",
    "tool_registry.yaml",
    "handoff.yaml",
    "exec.yaml",
    "AGENT_A.md",
    "AGENT_B-C.md",
  ],
  ...[
    "a.manifest.yaml",
    "manifests/b.toml",
    "data.json",
    "x/data.yaml",
    "tests/t.yaml",
    "r.rego",
    "handoff-samples/positive/a.json",
  ],
];

describe("for any bytes", () => {
  it("gives findings, never an exception", () => {
    const fragment = fc.constantFrom(
      ...[
        "roles:\n",
        "lanes:\n",
        "tools:\n",
        "  - role_id: A\n",
        "  - lane_id: L\n",
        "    allowed_callers: {roles: [A]}\n",
        "  - tool_name: t\n",
      ],
      ...[
        "can_spawn: [a, b]\n",
        'can_spawn = ["a"]\n',
        "max_spawn_depth = 3\n",
        "---\n",
        "subagents: [A, B]\n",
        "AGENT_TYPE: 1\n",
        "&a [*a]\n",
        "<<: *a\n",
      ],
      ...[
        '{"a": 1}',
        "{",
        "[",
        "]",
        "\u0000",
        "\ud83d\ude00",
        "\ufeff",
        "\t",
        "__proto__: 1\n",
        "constructor: x\n",
        "cases:\n",
        "  - name: n\n",
      ],
      ...[
        "    axes: {role: {every: roles}}\n",
        "matrices:\n",
        "    allow: []\n",
        "decision: lane\n",
        "modes: [a, 'b|c']\n",
        "staging_root: /\n",
      ],
    );
    const text = fc.array(fragment, { maxLength: 10 }).map((f) => new TextEncoder().encode(f.join("")));
    const content = fc.oneof(fc.uint8Array({ maxLength: 60 }), text);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), content), { selector: ([n]) => n, maxLength: 5 }),
        (files) => {
          const { diagnostics, lowered } = compileFiles(Object.fromEntries(files));
          for (const { span } of diagnostics) {
            if (span === undefined) continue;
            expect(span.start).toBeGreaterThanOrEqual(0);
            expect(span.end).toBeGreaterThanOrEqual(span.start);
            expect(span.start).toBeLessThanOrEqual(span.file.text.length);
          }
          JSON.parse(lowered.text);
        },
      ),
      campaign(5_000),
    );
  });
});

describe("in any order", () => {
  it("gives the same data and the same findings", () => {
    const files: Files = {
      "roles.yaml": "roles:\n  - role_id: B\n  - role_id: A\n",
      "more/roles.yaml": "roles:\n  - role_id: C\n  - role_id: A\n",
      "lanes.yaml": "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [B, X] }\n",
      "AGENT_Z.md": "---\nsubagents: [A, A-B]\n---\nAGENT_TYPE: 1\n",
      "AGENT_A.md": "AGENT_TYPE: 2\n",
      "AGENT_A-B.md": "AGENT_TYPE: 2\n",
      "x/AGENT_A_B.md": "AGENT_TYPE: 1\n",
      "manifests/a.yaml": "can_spawn: [b]\n",
      "manifests/b.toml": 'can_spawn = ["a"]\n',
      "data.json": '{"n": {"x": 1}}',
      "n/data.yaml": "y: 2\nx: 3\n",
    };
    const expected = compileFiles(files);
    const say = (c: typeof expected): string[] =>
      c.diagnostics.map((d) => `${d.code} ${d.span?.file.name} ${d.span?.start} ${d.message}`);
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(files), { minLength: Object.keys(files).length }), (order) => {
        const host = virtualHost({ p: Object.fromEntries(order.map((n) => [n, files[n] as string])) });
        const shuffled = compileHost(host, ["p"]);
        expect(shuffled.lowered.text).toBe(expected.lowered.text);
        expect(say(shuffled)).toEqual(say(expected));
      }),
      campaign(200),
    );
  });
});
