/** A path that two Rego files of a bundle would have is a finding: hosts refuse such a bundle. */

import { load } from "@portcullis/runtime";
import { expect, it } from "vitest";
import { check, compile } from "../../../compiler/governance/pipeline.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const rule = (name: string): string => `package ${name}\n\n# METADATA\n# entrypoint: true\nallow := true\n`;
const ROLES = "roles:\n  - { role_id: R, class: agent, privileges: { lanes: [L] } }\n";
const LANES =
  "lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [] }, description: d }\n";

it.each([
  ["two folders", { a: { "p.rego": rule("a") }, b: { "p.rego": rule("b") } }, "b/p.rego", "p.rego"],
  [
    "two folders, the same file",
    { a: { "x/p.rego": rule("a") }, b: { "x/p.rego": rule("a").replace("true\nallow", "true\n\nallow") } },
    "b/x/p.rego",
    "x/p.rego",
  ],
  [
    "the library and a folder",
    { a: { "roles.yaml": ROLES, "lanes.yaml": LANES, "portcullis/tool.rego": rule("mine") } },
    "a/portcullis/tool.rego",
    "portcullis/tool.rego",
  ],
])("%s", async (_name, folders, file, path) => {
  const host = virtualHost(folders as never);
  const { compiled, diagnostics } = await compile({ host, dirs: Object.keys(folders) });
  expect(compiled).toBeUndefined();
  const found = diagnostics.filter(({ code }) => code === "pipeline/path-twice");
  expect(found.map(({ message, span }) => [span?.file.name, message])).toEqual([
    [file, `\`${path}\` is the path of two Rego files of the bundle`],
  ]);
  expect(found[0]?.related).toHaveLength(1);
  expect((await check({ host, dirs: Object.keys(folders) })).ok).toBe(false);
});

it("is not found for tests, for other files, or for one file in two folders that are named", async () => {
  const test = "package a_test\n\ntest_a if true\n";
  const folders = {
    a: { "p.rego": rule("a"), "p_test.rego": test, "x/data.yaml": "a: 1\n", "q/r.rego": rule("q") },
    b: { "q.rego": rule("b"), "p_test.rego": test, "x/data.yaml": "b: 1\n" },
    "a/q": { "r.rego": rule("q") },
  };
  const { compiled, diagnostics } = await compile({ host: virtualHost(folders), dirs: ["a", "b", "a/q"] });
  expect(diagnostics.map(({ code, span }) => `${code} ${span?.file.name}`)).toEqual([]);
  expect((await load(compiled!.bundle)).entrypoints).toHaveLength(3);
});
