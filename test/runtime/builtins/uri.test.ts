import { describe, expect, it } from "vitest";
import { uri } from "../../../runtime/builtins/uri/index.ts";
import { builtinsOf } from "./recorded.ts";

const table = builtinsOf(uri);
const parse = (text: string): unknown => {
  const parts = table["uri.parse"]?.([text]);
  return parts instanceof Map ? Object.fromEntries(parts) : parts;
};
const isValid = (text: string): unknown => table["uri.is_valid"]?.([text]);

// Expectations are those of OPA 1.22.2, `opa eval 'uri.parse(…)'`.
describe("uri.parse", () => {
  it("takes a whole address apart", () => {
    expect(parse("https://user@example.com:8080/a/b?q=1#top")).toEqual({
      scheme: "https",
      hostname: "example.com",
      port: "8080",
      path: "/a/b",
      raw_path: "/a/b",
      raw_query: "q=1",
      fragment: "top",
    });
  });

  it("keeps the path as it was written beside what it says", () => {
    expect(parse("http://h/a%2Fb")).toEqual({ scheme: "http", hostname: "h", path: "/a/b", raw_path: "/a%2Fb" });
  });

  it("takes the brackets off an address of IPv6", () => {
    expect(parse("http://[::1]:80/")).toEqual({
      scheme: "http",
      hostname: "::1",
      port: "80",
      path: "/",
      raw_path: "/",
    });
  });

  it("takes off the first bracket and the last, whatever stands between them", () => {
    expect(parse("https://[::1%25a]:1%25b]/")).toMatchObject({ hostname: "::1%a]:1%b" });
  });

  it("leaves out what is not there", () => {
    expect(parse("")).toEqual({});
    expect(parse("mailto:a@b.c")).toEqual({ scheme: "mailto" });
  });

  it("is undefined for a text that is not a URI", () => {
    expect(parse("http://a b/")).toBeUndefined();
    expect(parse("http://h:x/")).toBeUndefined();
  });
});

describe("uri.is_valid", () => {
  it.each([
    ["https://example.com", true],
    ["/only/a/path", true],
    ["", false],
    ["http://[::1", false],
    ["http://h:port/", false],
  ])("%s", (text, valid) => {
    expect(isValid(text)).toBe(valid);
  });

  it("is false for a value that is not a text", () => {
    for (const value of [null, true, [], new Map()]) expect(table["uri.is_valid"]?.([value])).toBe(false);
  });
});
