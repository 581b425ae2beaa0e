/** What counts as a build's output: folders that repeat the set, and no other. */

import { describe, expect, it } from "vitest";
import { libraryModules } from "../../../compiler/governance/library/library.embedded.ts";
import { loadSources } from "../../../compiler/governance/sources/index.ts";
import { type Files, virtualHost } from "./virtual-host.ts";

const RULE = "package app\n\nallow if input.x == 1\n";
const POLICY = '{"portcullis":{"policy":{}}}';

function load(files: Files, isReplaced?: (folder: string) => boolean) {
  const { set, diagnostics, notes } = loadSources(
    virtualHost({ p: files }),
    ["p"],
    isReplaced === undefined ? {} : { isReplaced },
  );
  return {
    rego: set.rego.map(({ file }) => file.name),
    data: set.data.length,
    codes: diagnostics.map((d) => d.code),
    left: notes.filter((n) => n.message.startsWith("left out")).map((n) => n.path),
  };
}

describe("a build's output", () => {
  const [library] = libraryModules;
  const output = { "out/bundle.tar.gz": "", "out/data.json": POLICY };

  it("is left out while it repeats the set, the library and nothing else", () => {
    const files = { ...output, "a/b.rego": RULE, "out/a/b.rego": RULE };
    expect(load({ ...files, [`out/portcullis/${library?.name}`]: library?.text ?? "" })).toEqual({
      rego: ["p/a/b.rego"],
      data: 0,
      codes: [],
      left: ["p/out"],
    });
  });

  it.each<[string, Files]>([
    ["a rule that the set lacks", { "out/a.rego": RULE }],
    ["a rule that the set has elsewhere", { "out/a.rego": RULE, "b/a.rego": RULE }],
    ["a rule that the set has otherwise", { "out/a.rego": RULE, "a.rego": `${RULE}\n` }],
    ["a rule with the name of one of the library", { [`out/portcullis/${library?.name}`]: RULE }],
    ["a file of governance", { "out/manifests/a.yaml": "agent: A\n" }],
    ["data in a folder of its own", { "out/x/data.json": "{}" }],
  ])("with %s is an error", (_, more) => {
    const { codes, rego } = load({ ...output, ...more });
    expect(codes).toContain("sources/stale-build-output");
    expect(rego).not.toContain("p/out/a.rego");
  });

  it("may differ where it is written anew", () => {
    const { codes } = load({ ...output, "out/a.rego": RULE }, (folder) => folder === "p/out");
    expect(codes).not.toContain("sources/stale-build-output");
  });

  it.each<[string, string]>([
    ["the authors' own", '{"limit":1}'],
    ["no object", "[]"],
    ["no JSON", "{"],
  ])("is no folder whose data is %s", (_, data) => {
    const { left, rego } = load({ "x/bundle.tar.gz": "", "x/data.json": data, "x/policy.wasm": "", "x/a.rego": RULE });
    expect(left).toEqual([]);
    expect(rego).toEqual(["p/x/a.rego"]);
  });

  it("is a folder whose data repeats the set's own", () => {
    const data = '{"limit":1}';
    const files = { "data.json": data, "x/bundle.tar.gz": "", "x/data.json": data, "a.rego": RULE, "x/a.rego": RULE };
    expect(load(files)).toEqual({ rego: ["p/a.rego"], data: 1, codes: [], left: ["p/x"] });
  });

  it("inside of another is compared from its own folder", () => {
    const files = { ...output, "a.rego": RULE, "out/a.rego": RULE };
    const inner = { "out/opa/bundle.tar.gz": "", "out/opa/data.json": POLICY, "out/opa/a.rego": RULE };
    expect(load({ ...files, ...inner })).toMatchObject({ rego: ["p/a.rego"], codes: [], left: ["p/out", "p/out/opa"] });
  });
});
