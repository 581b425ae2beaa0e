/** Hashes of files as signatures hold them. */

import { describe, expect, it } from "vitest";
import { fileHash } from "../../../compiler/rego/signing/file-hash.ts";

describe("hashes", () => {
  it("are of the bytes, but of documents for data and manifest", () => {
    const hash = (path: string, text: string) => fileHash(path, Buffer.from(text));
    expect(hash("a/data.json", '{"b":1,"a":[ ]}')).toBe(hash("data.json", '{"a":[],"b":1}'));
    expect(hash("other.json", '{"a":[ ]}')).not.toBe(hash("other.json", '{"a":[]}'));
    expect(hash("data.json", "{")).toBeUndefined();
    expect(hash("data.yaml", "b: 1\na: []\n")).toBe(hash("data.json", '{"a":[],"b":1}'));
    expect(hash("data.json", '{"a":1,"a":2}')).toBeUndefined();
  });
});
