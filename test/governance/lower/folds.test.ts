/** The committed table, over every character: its other case and its decompositions fold alike, and alike letters are one. */

import { describe, expect, it } from "vitest";
import { APART, FOLDS, OTHERS, SECOND, UNICODE } from "../../../compiler/governance/lower/folds.ts";

const table = Object.entries(JSON.parse(FOLDS) as Record<string, string>);
const expression = (pattern: string): RegExp => new RegExp(pattern.replaceAll("\\x{", "\\u{"), "u");
const [others, apart] = [expression(OTHERS), expression(APART)];
const folded = new Map(table.flatMap(([letters, all]) => [...all].map((one) => [one, letters] as const)));

/** What the library reads; `undefined` where a character is apart. */
function read(text: string): string | undefined {
  if (apart.test(text)) return undefined;
  return [...text].map((c) => folded.get(c) ?? (others.test(c) ? "" : c)).join("");
}

function* characters(): Iterable<string> {
  for (let code = 0; code <= 0x10ffff; code++) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

const caseFolded = (text: string): string => text.toUpperCase().toLowerCase().toUpperCase().toLowerCase();

/** The ways to write a character that case and normalization make. */
function formsOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase(), caseFolded(character)];
  const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const;
  const all = new Set(cases.flatMap((one) => [one, ...forms.map((form) => one.normalize(form))]));
  all.delete(character);
  return [...all];
}

/** A Unicode newer than the table's has letters that the table drops, whatever their forms are. */
const isNewer = Number.parseFloat(process.versions.unicode ?? "0") > Number.parseFloat(UNICODE);

describe("a character", () => {
  it("is read as its other case and its decompositions are, or the form is no person's", () => {
    const differing: string[] = [];
    for (const character of characters()) {
      const letters = read(character);
      if (letters === undefined || (isNewer && letters === "")) continue;
      for (const form of formsOf(character)) {
        const ofForm = read(form);
        if (ofForm !== undefined && ofForm !== letters) differing.push(`${character} ${letters}: ${form} ${ofForm}`);
      }
    }
    expect(differing).toEqual([]);
  });

  it("that is apart is so in every form that keeps it", () => {
    for (const character of characters()) {
      const forms = [character.normalize("NFD"), character.normalize("NFKD")];
      const isSyllable = /^[\uac00-\ud7a3]$/u.test(character);
      if (!isSyllable && forms.some((form) => apart.test(form)))
        expect([character, read(character)]).toEqual([character, undefined]);
    }
  });

  it("of Hangul that is not composed, of an old print, or with two readings is apart, and few others are", () => {
    for (const one of "\u1100\u1161\u11a8\ua960\ud7b0ㄱﾡ㈀ſϲϹϬϭᲄ") expect([one, apart.test(one)]).toEqual([one, true]);
    const all = [...characters()].filter((one) => apart.test(one));
    expect(
      all.filter(
        (one) => !/[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\u3131-\u318e\u3200-\u327e\uffa1-\uffdc]/u.test(one),
      ).length,
    ).toBe(13);
  });
});

describe("the table", () => {
  it("has each character once", () => {
    const all = table.flatMap(([, characters]) => [...characters]);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(5_000);
  });

  it("reads what it has read as it is", () => {
    for (const [letters] of table) expect(read(letters)).toBe(letters);
  });

  it("makes letters of ASCII one only where both are alike in one case", () => {
    const classes = new Map<string, string>();
    for (const letter of "abcdefghijklmnopqrstuvwxyz0123456789") {
      const letters = read(letter) ?? "";
      classes.set(letters, (classes.get(letters) ?? "") + letter);
    }
    expect([...classes.values()].filter((all) => all.length > 1)).toEqual([
      "b6",
      "hnv",
      "il1",
      "j3",
      "o0",
      "ruy",
      "s5",
    ]);
  });

  it.each([
    ["a", "AａàÀⓐ🅐🅰🇦ᴀаАα"],
    ["hnv", "νΝηΗНнＶⅤ"],
    ["ruy", "υΥгГγʀ"],
    ["d", "ĐđᶑꝺÐ"],
    ["ι", "\u0345ᾳᾼ"],
  ])("reads as %j what looks so: %j", (letters, all) => {
    const allowed = new Set([...letters].map(read));
    for (const one of all) expect([one, allowed.has([...(read(one) ?? "")].at(-1))]).toEqual([one, true]);
  });

  it("drops what fonts draw as nothing, and letters that look like signs", () => {
    expect(read("\u115f\u1160\u3164\uffa0\u{13441}\u{13442}\u200b\u00adʼˈʹꞌ\ua78bǃ꞉")).toBe("");
  });

  it("gives what is several letters and looks like one a second reading", () => {
    expect(read("ßẞ")).toBe("ssss");
    expect(Object.entries(SECOND).map(([one, letter]) => [one, read(letter)])).toEqual([
      ["ß", read("B")],
      ["ẞ", read("B")],
    ]);
  });
});
