/** Hashes of files as signatures hold them. */

import { describe, expect, it } from "vitest";
import { yamlAsJson } from "../../../compiler/documents/index.ts";
import { fileHash } from "../../../compiler/rego/signing/file-hash.ts";

describe("hashes", () => {
  it("are of the bytes, but of documents for data and manifest", () => {
    const hash = (path: string, text: string) => fileHash(path, Buffer.from(text), yamlAsJson);
    expect(hash("a/data.json", '{"b":1,"a":[ ]}')).toBe(hash("data.json", '{"a":[],"b":1}'));
    expect(hash("other.json", '{"a":[ ]}')).not.toBe(hash("other.json", '{"a":[]}'));
    expect(hash("data.json", "{")).toBeUndefined();
    expect(hash("data.yaml", "b: 1\na: []\n")).toBe(hash("data.json", '{"a":[],"b":1}'));
    expect(hash("data.json", '{"a":1,"a":2}')).toBeUndefined();
  });

  it("are not to be had of YAML without a reader of it", () => {
    expect(fileHash("data.yaml", Buffer.from("b: 1\n"))).toBeUndefined();
  });
});
