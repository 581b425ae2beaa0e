import { describe, expect, it } from "vitest";
import { Der, tag } from "../../../runtime/builtins/asn1/der.ts";

/** Encodings that X.690 section 10 and 11 forbid, and how each is read. */
const forbidden: readonly (readonly [string, readonly number[], (der: Der) => unknown])[] = [
  ["a length in the long form that fits the short one", [0x04, 0x81, 0x01, 0xaa], (der) => der.any()],
  ["a length with a leading zero", [0x04, 0x82, 0x00, 0x81, ...new Array(0x81).fill(0)], (der) => der.any()],
  ["an indefinite length", [0x30, 0x80, 0x02, 0x01, 0x01, 0x00, 0x00], (der) => der.any()],
  ["a length of five bytes", [0x04, 0x85, 0x01, 0, 0, 0, 0], (der) => der.any()],
  ["a length of four bytes that is negative as a word", [0x04, 0x84, 0xff, 0xff, 0xff, 0xff], (der) => der.any()],
  ["a tag of several bytes", [0x1f, 0x81, 0x01, 0x00], (der) => der.any()],
  ["an element longer than its input", [0x04, 0x02, 0xaa], (der) => der.any()],
  ["an integer with a needless zero", [0x02, 0x02, 0x00, 0x01], (der) => der.integer()],
  ["an integer with needless ones", [0x02, 0x02, 0xff, 0x80], (der) => der.integer()],
  ["an integer of no bytes", [0x02, 0x00], (der) => der.integer()],
  ["a boolean that is neither 0 nor 255", [0x01, 0x01, 0x01], (der) => der.boolean()],
  ["a bit string whose unused bits are set", [0x03, 0x02, 0x07, 0xff], (der) => der.bitString()],
  ["an octet string in parts", [0x24, 0x03, 0x04, 0x01, 0xaa], (der) => der.read(tag.octetString)],
  ["an object identifier with a padded arc", [0x06, 0x03, 0x2a, 0x80, 0x01], (der) => der.oid()],
  ["an object identifier that ends early", [0x06, 0x02, 0x2a, 0x81], (der) => der.oid()],
];

describe("DER", () => {
  it.each(forbidden)("refuses %s", (_, bytes, read) => {
    expect(() => read(new Der(Uint8Array.from(bytes)))).toThrow();
  });

  it("reads elements one after the other, as they stand", () => {
    const long = [0x04, 0x81, 0x80, ...new Array(0x80).fill(7)];
    const der = new Der(Uint8Array.of(0x02, 0x02, 0xff, 0x7f, ...long, 0x06, 0x03, 0x2a, 0x86, 0x48));
    expect(der.integer()).toBe(-129n);
    const { raw, content } = der.element(tag.octetString);
    expect([raw.length, content.length]).toEqual([0x83, 0x80]);
    expect(der.oid()).toEqual([1, 2, 840]);
    expect(der.empty).toBe(true);
    expect(() => der.any()).toThrow();
  });
});
