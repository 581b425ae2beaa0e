/** The version of Rego that each module of a folder is read as, by the folder's `.manifest`. */

import { describe, expect, it } from "vitest";
import { loadSources, type SourceCache } from "../../../compiler/governance/sources/index.ts";
import { globMatches } from "../../../compiler/rego/wasm/glob-matches.ts";
import { type Files, virtualHost } from "./virtual-host.ts";

const MODULES = { "a.rego": "package a\n", "b/c.rego": "package c\n", "b/c_test.rego": "package c\n" };

function read(manifest: string, others: Files = {}) {
  const host = virtualHost({ p: { ...MODULES, ".manifest": manifest, ...others } });
  const { set, diagnostics } = loadSources(host, ["p"], { matchesGlob: globMatches });
  return { ...set, diagnostics, versions: set.rego.map(({ file }) => file.regoVersion) };
}

describe("the versions of a manifest", () => {
  it.each<[string, string, readonly number[], number]>([
    ["none", "{}", [1, 1, 1], 1],
    ["one for all", '{"rego_version":2}', [2, 2, 2], 2],
    ["null, as if it were not there", '{"rego_version":null,"file_rego_versions":null}', [1, 1, 1], 1],
    ["a file's own", '{"file_rego_versions":{"/b/c.rego":2}}', [1, 2, 1], 1],
    ["a folder's", '{"rego_version":2,"file_rego_versions":{"/b/*":0}}', [2, 0, 0], 2],
    ["the first that matches, by text", '{"file_rego_versions":{"/b/*":0,"*":2}}', [2, 2, 2], 1],
    ["not as they are written", '{"file_rego_versions":{"/b/*":0,"/*":2}}', [2, 2, 2], 1],
    ["nothing without the slash", '{"file_rego_versions":{"a.rego":2}}', [1, 1, 1], 1],
  ])("%s", (_, manifest, versions, whole) => {
    expect(read(manifest)).toMatchObject({ versions, regoVersion: whole, diagnostics: [] });
  });

  it.each<[string, string, string]>([
    ["no JSON", "{", "expected a key in double quotes, found the end of the file"],
    ["no object", "[]", "it is a list, not an object"],
    ["null", "null", "it is nothing (null), not an object"],
    ["a text", '{"rego_version":"2"}', "`rego_version` is a string, not a whole number"],
    ["a fraction", '{"rego_version":2.0}', "`rego_version` is `2.0`, not a whole number"],
    ["a list", '{"file_rego_versions":[]}', "`file_rego_versions` is a list, not an object"],
    ["a file's null", '{"file_rego_versions":{"/a.rego":null}}', "`/a.rego` is nothing (null), not a whole number"],
    ["another case", '{"Rego_Version":2}', "`Rego_Version` must be written `rego_version`"],
    ["letters that fold", '{"rego_ver\u017fion":2}', "must be written `rego_version`"],
    ["a key twice", '{"rego_version":1,"rego_version":2}', "duplicate key `rego_version`"],
    ["a version to come", '{"rego_version":3}', "unknown bundle rego-version 3 for file '/a.rego'"],
    ["one of a file", '{"file_rego_versions":{"/b/c.rego":-1}}', "unknown bundle rego-version -1 for file '/b/c.rego'"],
    ["one of no file", '{"file_rego_versions":{"/x":3}}', "unknown bundle rego-version 3 for file '/x'"],
    ["a bad glob", '{"file_rego_versions":{"[":2}}', "failed to compile glob pattern ["],
    ["bytes of no text", "\ufeff{}x", "expected the end of the file, found `x`"],
  ])("are refused: %s", (_, manifest, message) => {
    const { diagnostics } = read(manifest);
    expect(diagnostics.map((d) => d.severity)).toEqual(["error"]);
    expect(diagnostics[0]?.message).toContain(message);
    expect(diagnostics[0]?.span?.file.name).toBe("p/.manifest");
  });

  it("are not those of a binary manifest, which OPA would read", () => {
    expect(read("{}", { ".manifest.pb": "" }).diagnostics.map((d) => d.code)).toEqual(["sources/bundle-manifest"]);
  });

  it("of the folder `.` are not those of a folder elsewhere", () => {
    const host = virtualHost({
      ".": { ...MODULES, ".manifest": '{"rego_version":2}' },
      "../q": { "a.rego": "package q\n" },
      "/r": { "a.rego": "package r\n" },
    });
    const { set } = loadSources(host, [".", "../q", "/r"], { matchesGlob: globMatches });
    const versions = set.rego.map(({ file }) => [file.name, file.regoVersion]);
    expect(Object.fromEntries(versions)).toEqual({
      "../q/a.rego": 1,
      "/r/a.rego": 1,
      "a.rego": 2,
      "b/c.rego": 2,
      "b/c_test.rego": 2,
    });
  });

  it("are those of the named folder, not of one below", () => {
    expect(read("{}", { "b/.manifest": '{"rego_version":2}' }).versions).toEqual([1, 1, 1]);
    const host = virtualHost({ p: MODULES, q: { "a.rego": "package q\n", ".manifest": '{"rego_version":2}' } });
    const { set } = loadSources(host, ["p", "q"], { matchesGlob: globMatches });
    expect(set.rego.map(({ file }) => file.regoVersion)).toEqual([1, 1, 1, 2]);
    expect(set.regoVersion).toBe(1);
  });

  it("are the inner folder's where both are named", () => {
    const inner = { "c.rego": "package c\n", ".manifest": '{"rego_version":2}' };
    const outer = { ...MODULES, "b/.manifest": '{"rego_version":2}', ".manifest": "{}" };
    const host = virtualHost({ p: outer, "p/b": inner });
    for (const dirs of [
      ["p", "p/b"],
      ["p/b", "p"],
    ]) {
      const { set } = loadSources(host, dirs, { matchesGlob: globMatches });
      expect(set.rego.map(({ file }) => file.regoVersion)).toEqual([1, 2, 2]);
    }
  });

  it("are read again when the manifest changes, though the module does not", () => {
    const cache: SourceCache = new Map();
    const module = new TextEncoder().encode("package a\n");
    const versions = ["1", "2", "1"].map((version) => {
      const host = virtualHost({ p: { "a.rego": module, ".manifest": `{"rego_version":${version}}` } });
      return loadSources(host, ["p"], { cache, matchesGlob: globMatches }).set.rego[0]?.file.regoVersion;
    });
    expect(versions).toEqual([1, 2, 1]);
  });

  it("are an error where patterns cannot be matched, and no policy by themselves", () => {
    const files = { ".manifest": '{"file_rego_versions":{"/a.rego":2}}', "a.rego": "package a\n" };
    const { diagnostics } = loadSources(virtualHost({ p: files }), ["p"]);
    expect(diagnostics.map((d) => d.code)).toEqual(["sources/rego-version-glob"]);
    expect(loadSources(virtualHost({ p: { ".manifest": "{}" } }), ["p"]).diagnostics.map((d) => d.code)).toEqual([
      "sources/empty-folder",
    ]);
  });
});
