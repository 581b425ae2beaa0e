/** Builtins over value texts. */

import { int, type JsonLike, toText } from "@portcullis/runtime/host";
import { describe, expect, it } from "vitest";
import { overTexts } from "../../../runtime/host/over-texts.ts";

describe("a builtin with a sample", () => {
  const asked: string[] = [];
  const record = (args: readonly JsonLike[]): JsonLike => {
    asked.push(toText([...args]));
    return int(BigInt(args.length));
  };

  it("is called with it once, before anybody asks", () => {
    const { call } = overTexts("own.count", Object.assign(record, { sample: ['[0,"Europe/London"]'] }));
    expect(asked).toEqual(['[[0,"Europe/London"]]']);
    expect(call(['"a"', "1"])).toBe("2");
    expect(asked).toEqual(['[[0,"Europe/London"]]', '["a",1]']);
  });

  it("is not called where it has none", () => {
    overTexts("own.never", () => {
      throw new Error("called");
    });
  });
});
