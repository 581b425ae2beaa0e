/** The cache of a member's texts: what it finds is right whatever it was given, and it stays small. */

import { describe, expect, test } from "vitest";
import { randomOf } from "../../../bench/random.ts";
import { KnownTexts } from "../../../runtime/encode/known-texts.ts";

const SEED = Number(process.env["PORTCULLIS_SEED"] ?? 15);
const toolOf = (i: number): string => `tool_${String(i).padStart(6, "0")}`;

/** A cache of these texts, which have the addresses 8, 16, … */
function holding(texts: readonly string[]): KnownTexts {
  const known = new KnownTexts();
  for (const [i, text] of texts.entries()) known.add(text, (i + 1) * 8, () => text);
  return known;
}

describe("KnownTexts", () => {
  test("finds what it was given, and nothing else", () => {
    const known = holding(["article.publish", "a"]);
    const asked = ["article.publish", "a", "article.publisH", "Article.publish", "b", "publish"];
    expect(asked.map((text) => known.find(text))).toEqual([8, 16, 0, 0, 0, 0]);
  });

  test("keeps the policy's text and not the request's, and asks for it once", () => {
    const known = new KnownTexts();
    let asked = 0;
    const own = (address: number): string => {
      asked++;
      return `lane_${address}`;
    };
    for (let i = 0; i < 100; i++) known.add("lane_8", 8, own);
    expect(asked).toBe(1);
    expect(known.find("lane_8")).toBe(8);
  });

  test("finds a thousand numbered ids, and none of those that follow", () => {
    const known = holding(Array.from({ length: 1000 }, (_, i) => toolOf(i)));
    const found = Array.from({ length: 1000 }, (_, i) => known.find(toolOf(i)));
    expect(found).toEqual(Array.from({ length: 1000 }, (_, i) => (i + 1) * 8));
    expect(new Set(Array.from({ length: 2000 }, (_, i) => known.find(toolOf(i + 1000))))).toEqual(new Set([0]));
  });

  test("of texts that are alike it keeps one for a place, and never mistakes another for it", () => {
    const texts = Array.from({ length: 500 }, (_, i) => `x${toolOf(i)}.read`);
    const known = holding(texts);
    for (const [i, text] of texts.entries()) expect([0, (i + 1) * 8]).toContain(known.find(text));
  });

  test(`is right about chance texts of few characters (seed ${SEED})`, () => {
    const random = randomOf(SEED);
    const known = new KnownTexts();
    const all = new Map<string, number>();
    const wrong: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      const text = Array.from({ length: 1 + random.below(6) }, () => random.pick(["a", "b", "é", "\ud800", "😀"])).join(
        "",
      );
      const address = all.get(text) ?? (all.size + 1) * 8;
      if (random.below(2) === 0) {
        all.set(text, address);
        known.add(text, address, () => text);
      }
      const found = known.find(text);
      if (found !== 0 && found !== all.get(text)) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  test("takes no more than it has places for", () => {
    const known = new KnownTexts();
    let kept = 0;
    for (let i = 0; i < 100_000; i++)
      known.add(toolOf(i), 8, () => {
        kept++;
        return toolOf(i);
      });
    expect(kept).toBeLessThanOrEqual(4096);
  });
});
