/** What a `.manifest` says of the versions of Rego, against `opa check -b` and `opa eval -b` of the same folder. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { check, compile } from "../../compiler/governance/pipeline.ts";
import { type Files, virtualHost } from "../governance/sources/virtual-host.ts";
import { opa } from "../rego/syntax/oracle.ts";

if (opa === undefined) console.warn("SKIPPED: no `opa`, to say what a manifest means");

/** A body of v2 alone, one of v0 alone, and one that v1 and v2 read and understand differently. */
const V2 = "package a\n\np if { input.x or input.y }\n";
const V0 = "package a\n\np { input.x }\n";
const BOTH = "package a\n\np if not count(input.xs) > 0\n";
const OTHER = BOTH.replace("package a", "package b");

const manifests = [
  ...["0", "1", "2", "3", "-1", "null", '"2"', "2.0", "1e0", "[]", "true", "{}"].map((v) => `{"rego_version":${v}}`),
  ...["{}", "null", "[]", '"x"', "1", '{"/a.rego":2}', '{"a.rego":2}', '{"/*":2}', '{"*":2}', '{"/b.rego":2}'].map(
    (v) => `{"file_rego_versions":${v}}`,
  ),
  // Which one of several, and whether it is one at all.
  ...[
    '"*/*.rego":2,"/*":1',
    '"/*":1,"*/*.rego":2',
    '"/a.rego":1,"*":2',
    '"/a.rego":2,"/a*":1',
    '"/z":1,"/a.rego":2',
  ].map((v) => `{"rego_version":1,"file_rego_versions":{${v}}}`),
  ...["/?.rego", "/[a-c].rego", "/[!b].rego", "/[!a].rego", "/[b-c].rego", "/{a,b}.rego", "/{b,c}.rego"].map(
    (pattern) => `{"file_rego_versions":{${JSON.stringify(pattern)}:2}}`,
  ),
  ...["/[abc].rego", "/**", "**.rego", "/a.reg", "/a\\.rego", "/\\a.rego", "", "/a.rego*", "*a.rego", "/a?rego"].map(
    (pattern) => `{"file_rego_versions":{${JSON.stringify(pattern)}:2}}`,
  ),
  ...[
    "[",
    "{",
    "/{a,b.rego",
    "/[a.rego",
    "/a]",
    "/a}",
    "[]",
    "[!]",
    "{}",
    "/\\",
    "[a-]",
    "[z-a]",
    "/{a,{a,b}}.rego",
  ].map((pattern) => `{"file_rego_versions":{${JSON.stringify(pattern)}:2}}`),
  ...['"/a.rego":3', '"/b.rego":3', '"/a.rego":"2"', '"/a.rego":2.5', '"/b.rego":true', '"/a.rego":0'].map(
    (v) => `{"rego_version":2,"file_rego_versions":{${v}}}`,
  ),
  ...'[]|1|"x"||{|{}|{"revision":"r"}|{"rego_version":2,"more":1}'.split("|"),
];

/** Where ours is stricter: what two readers might read differently is refused. */
const STRICTER: { readonly [manifest: string]: string } = {
  null: "null is no manifest",
  '{"REGO_VERSION":2}': "a name in another case",
  '{"rego_version":2}x': "text behind the object",
  '{"rego_version":1,"rego_version":2}': "a name twice",
  '{"file_rego_versions":{"/a.rego":null}}': "null, which is 0 to OPA",
  '{"rego_version":99999999999999999999}': "no version, which OPA cannot read",
};

function folderOf(files: Files): string {
  const dir = mkdtempSync(join(tmpdir(), "versions-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

function askOpa(files: Files, ...argv: readonly string[]): { readonly ok: boolean; readonly out: string } {
  const dir = folderOf(files);
  try {
    const { status, stdout, stderr } = spawnSync(opa as string, [...argv, "-b", "bundle"], {
      cwd: dir,
      encoding: "utf8",
    });
    return { ok: status === 0, out: stdout + stderr };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const ours = (files: Files) => check({ host: virtualHost({ bundle: files }), dirs: ["bundle"] });
const inBundle = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`bundle/${path}`, text]));
const UNKNOWN = /(?:unknown bundle|manifest has unknown) rego-version \S+ for file '\S+'/;

describe.skipIf(opa === undefined)("a manifest, against OPA", () => {
  for (const [name, text, asked] of [
    ["v2", V2, manifests],
    ["v0", V0, manifests.filter((manifest) => /0|\{\}/.test(manifest))],
  ] as const) {
    it(`takes and refuses the same modules of ${name}`, async () => {
      const differing: string[] = [];
      for (const manifest of asked) {
        const files = { ".manifest": manifest, "a.rego": text };
        const theirs = askOpa(inBundle(files), "check");
        const { ok, diagnostics } = await ours(files);
        // What OPA reads as v0, ours names.
        const isOld = diagnostics.some((d) => d.code === "rego/version-0");
        if (isOld ? theirs.ok !== (text === V0) || !/:0/.test(manifest) : ok !== theirs.ok)
          differing.push(`${manifest}: ${ok ? "taken" : diagnostics[0]?.message}, by OPA: ${theirs.out}`);
        const said = UNKNOWN.exec(theirs.out)?.[0].replace("manifest has unknown", "unknown bundle");
        if (said !== undefined && diagnostics[0]?.message !== said)
          differing.push(`${manifest}: ${diagnostics[0]?.message}`);
      }
      expect(differing).toEqual([]);
    });
  }

  for (const [manifest, reason] of Object.entries(STRICTER)) {
    it(`is stricter about ${reason}`, async () => {
      expect((await ours({ ".manifest": manifest, "a.rego": BOTH })).ok).toBe(false);
    });
  }

  const folders: { readonly [name: string]: Files } = {
    "v2 for all": { ".manifest": '{"rego_version":2}', "a.rego": BOTH },
    "v2 for one": { ".manifest": '{"file_rego_versions":{"/a.rego":2}}', "a.rego": BOTH, "b/b.rego": OTHER },
    "v2 but for one": {
      ".manifest": '{"rego_version":2,"file_rego_versions":{"/b/*":1}}',
      "a.rego": BOTH,
      "b/b.rego": OTHER,
    },
    "v1 for all": { ".manifest": '{"rego_version":1}', "a.rego": BOTH },
    "v0 with an import": {
      ".manifest": '{"rego_version":0}',
      "a.rego": BOTH.replace("\n\n", "\n\nimport rego.v1\n\n"),
    },
    "v0 with an import of v2": {
      ".manifest": '{"rego_version":0}',
      "a.rego": BOTH.replace("\n\n", "\n\nimport rego.v2\n\n"),
    },
    "a name with a sign of patterns": { ".manifest": '{"file_rego_versions":{"/[[]a,*":2}}', "[a,{b}.rego": BOTH },
  };
  const expected: { readonly [name: string]: unknown } = {
    "v2 for all": [2, undefined],
    "v2 for one": [1, { "/a.rego": 2 }],
    "v2 but for one": [2, { "/b/b.rego": 1 }],
    "v1 for all": [1, undefined],
    "v0 with an import": [1, undefined],
    "v0 with an import of v2": [1, undefined],
    "a name with a sign of patterns": [1, { "/\\[a\\,\\{b\\}.rego": 2 }],
  };
  for (const [name, files] of Object.entries(folders)) {
    it(`means the same before and after a build: ${name}`, async () => {
      const query = ["eval", "--format", "raw", '[x | x := data[p].p; p in {"a", "b"}]'];
      const theirs = askOpa(inBundle(files), ...query);
      expect(theirs.ok, theirs.out).toBe(true);

      const host = virtualHost({ bundle: files });
      const build = { host, dirs: ["bundle"], entrypoints: ["a/p", ...(files["b/b.rego"] ? ["b/p"] : [])] };
      const { compiled, diagnostics } = await compile({ ...build, target: "rego" });
      expect(diagnostics).toEqual([]);
      const built = Object.fromEntries((compiled?.files ?? []).map(({ path, bytes }) => [`bundle/${path}`, bytes]));
      expect(askOpa(built, ...query)).toEqual(theirs);

      const manifest = JSON.parse(new TextDecoder().decode(built["bundle/.manifest"]));
      expect([manifest.rego_version, manifest.file_rego_versions]).toEqual(expected[name]);
      const whole = await compile(build);
      const policy = await load(whole.compiled?.bundle as Uint8Array);
      const values = build.entrypoints.map((entrypoint) => policy.evaluate(entrypoint, undefined));
      expect(JSON.stringify(values.filter((value) => value !== undefined))).toBe(theirs.out.trim().replace(/\s/g, ""));
    });
  }
});
