import { describe, expect, it } from "vitest";
import { codeFrame } from "../../../compiler/rego/diagnostics/code-frame.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { span } from "../../../compiler/rego/diagnostics/span.ts";

describe("SourceFile", () => {
  const file = new SourceFile("a.yaml", "one\r\ntwo\rthree\n\nfive");

  it.each([
    [0, 1, 1],
    [3, 1, 4],
    [5, 2, 1],
    [9, 3, 1],
    [15, 4, 1],
    [16, 5, 1],
    [99, 5, 5],
    [-1, 1, 1],
  ])("puts offset %i at %i:%i", (offset, line, column) => {
    expect(file.positionAt(offset)).toEqual({ line, column });
  });

  it("gives lines without their ends", () => {
    expect([1, 2, 3, 4, 5, 6].map((n) => file.lineText(n))).toEqual(["one", "two", "three", "", "five", ""]);
  });
});

describe("codeFrame", () => {
  it("underlines the range, with the line before", () => {
    const file = new SourceFile("a", "roles:\n\t- role: X\n");
    expect(codeFrame(span(file, 16, 17))).toBe("1 | roles:\n2 | \t- role: X\n  | \t        ^");
  });

  it("marks one character of an empty range, at the end of the text too", () => {
    const file = new SourceFile("a", "ab");
    expect(codeFrame(span(file, 2, 2))).toBe("1 | ab\n  |   ^");
  });

  it("ends the mark with the line of a longer range", () => {
    const file = new SourceFile("a", "abc\ndef");
    expect(codeFrame(span(file, 1, 6))).toBe("1 | abc\n  |  ^^");
  });

  it("shows no escape sequence of a source", () => {
    const file = new SourceFile("a", "x\u001b[31my");
    expect(codeFrame(span(file, 0, 1))).not.toContain("\u001b");
  });

  it("cuts a long line around the mark", () => {
    const file = new SourceFile("a", `${"a".repeat(5000)}!${"b".repeat(5000)}`);
    const [shown, mark] = codeFrame(span(file, 5000, 5001)).split("\n") as [string, string];
    expect(shown.length).toBeLessThan(140);
    expect(shown[mark.indexOf("^")]).toBe("!");
  });
});
