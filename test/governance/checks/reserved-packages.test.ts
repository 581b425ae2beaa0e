/** Rego in a package of the decision library is told, whatever METADATA and other faults stand beside it, and told once. */

import { describe, expect, it } from "vitest";
import { findingsOf } from "../../../compiler/governance/editor/language-server/findings.ts";
import { check } from "../../../compiler/governance/pipeline.ts";
import { loadSources } from "../../../compiler/governance/sources/index.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { type Files, virtualHost } from "../sources/virtual-host.ts";
import { brief, HOSPITAL } from "./author.ts";

/** Rego and data of a set, each way that findings are made. */
const WAYS: readonly (readonly [string, (files: Files) => Promise<readonly Diagnostic[]>])[] = [
  ["check", async (files) => (await check({ host: virtualHost({ p: files }), dirs: ["p"] })).diagnostics],
  [
    "test",
    async (files) =>
      (await compileTests({ host: virtualHost({ p: files }), dirs: ["p"], checkOnly: true })).diagnostics,
  ],
  ["the editor", async (files) => findingsOf(loadSources(virtualHost({ p: files }), ["p"]), undefined).diagnostics],
];

const METADATA = "# METADATA\n# title: Mine\n";
const RESERVED = "pipeline/reserved-package a.rego";

describe.each(WAYS)("%s", (_way, findings) => {
  const found = async (files: Files): Promise<string[]> =>
    (await findings({ ...HOSPITAL, ...files }))
      .filter((d) => d.code.startsWith("pipeline/") || d.severity === "error")
      .map(brief);

  it.each([
    ["a rule", "package portcullis.tool\n\nx := 1\n", [`${RESERVED}:3:1 x := 1`]],
    [
      "an annotation of the package, which the library has as well",
      `${METADATA}package portcullis.tool\n\nx := data.portcullis.tool.decision\n`,
      [`${RESERVED}:5:1 x := data.portcullis.tool.decision`],
    ],
    [
      "an annotation of a document, which the library has as well",
      `package portcullis.tool\n\n# METADATA\n# scope: document\n# entrypoint: true\ndecision := data.portcullis.lane.decision\n`,
      [`${RESERVED}:6:1 decision := data.portcullis.lane.decision`],
    ],
    [
      "an annotation without a rule",
      `${METADATA}# scope: subpackages\npackage portcullis\n`,
      [`${RESERVED}:4:1 package portcullis`],
    ],
    ["a package of another name", `${METADATA}package portcullis.mine\n\nx := 1\n`, [`${RESERVED}:5:1 x := 1`]],
    ["a longer name of a rule", "package portcullis\n\next.a := 1\n\ntool.x := 1\n", [`${RESERVED}:5:1 tool.x := 1`]],
    [
      "an annotation with a fault of its own",
      "package portcullis.tool\n\n# METADATA\n# scope: package\nx := 1\n",
      ["rego/illegal-metadata a.rego:4:10", `${RESERVED}:`],
    ],
    [
      "an error of another kind",
      `${METADATA}package portcullis.tool\n\nx := nothing\n`,
      ["analyze/unsafe-var a.rego:5:6", RESERVED],
    ],
  ])("finds %s", async (_name, text, expected) => {
    const all = await found({ "a.rego": text });
    const reserved = all.filter((line) => line.startsWith("pipeline/reserved-package"));
    expect(reserved).toHaveLength(1);
    for (const one of expected) expect(all).toContainEqual(expect.stringContaining(one));
    if (expected.length === 1)
      expect(all.filter((line) => !line.startsWith("pipeline/unknown-extension"))).toEqual(expected);
  });

  it("finds none in a set's own package, in an extension, or in what tests", async () => {
    const deny = 'deny contains {"gate": "G", "reason": "r"} if input.role == "NURSE"\n';
    expect(
      await found({
        "a.rego": `${METADATA}package hospital\n\nportcullis.tool := 1\n`,
        "b.rego": `package portcullis.ext.tool\n\n${deny}`,
        "c.rego": `package portcullis\n\next.lane.${deny}`,
        "a_test.rego": "package portcullis.tool_test\n\ntest_x if true\n",
      }),
    ).toEqual([]);
  });
});
