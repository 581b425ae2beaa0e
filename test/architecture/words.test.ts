/**
 * Comments, messages and pages in plain words: each kind below made readers read a sentence twice. `generated/` follows its
 * sources; records of decisions and results of measurements stay as they were written.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./import-graph.ts";

interface Kind {
  readonly name: string;
  /** In a text whose lines are joined: the marks of comments are gone, and a comment begins with `¶`. */
  readonly pattern: RegExp;
  readonly because: string;
  readonly bad: string;
  readonly plain: string;
}

const KINDS: readonly Kind[] = [
  {
    name: "a comment that begins with a genitive",
    pattern: /¶ ?Of (?!course\b)/g,
    because: "a comment says first what the thing is",
    bad: "/** Of the policy in use. */",
    plain: "/** The revision of the policy in use. */",
  },
  {
    name: "is none",
    pattern: /\b(?:is|are|was|were) none\b/gi,
    because: "say what happens without it: `undefined` without a value, malformed, missing",
    bad: "// Undefined for a text that\n// is none.",
    plain: "// Undefined for a text that is not a URL.",
  },
  {
    name: "nobody",
    pattern: /\b[Nn]obody\b/g,
    because: "the subject is the reader, the caller, the program: name it",
    bad: "/** A copy that nobody can change. */",
    plain: "/** A copy that cannot be changed. */",
  },
  {
    name: "whoever",
    pattern: /\b[Ww]hoever\b/g,
    because: "the subject is the reader, the caller, the program: name it",
    bad: "| the layer | outside | whoever reads the record |",
    plain: "| the layer | outside | the reader of the record |",
  },
  {
    name: "so many",
    pattern: /\bso many\b/gi,
    because: "a number given beside it is `this many`, or has a name",
    bad: "/**\n * At most so\n * many names are listed. */",
    plain: "/** At most this many names are listed. */",
  },
  {
    name: "what is no X",
    pattern: /\b(?:what|that|which|who) (?:is|are) no\b/gi,
    because: "`not a …` is read once",
    bad: "# What is no list declares nothing.",
    plain: "# A value other than a list declares nothing.",
  },
  {
    name: "for who",
    pattern: /\bfor who\b/gi,
    because: "name the caller",
    bad: "/** For who asks a few questions only. */",
    plain: "/** For callers that ask a few questions only. */",
  },
];

const SKIPPED = new Set([
  "node_modules",
  "dist",
  "out",
  "generated",
  "decisions",
  "results",
  // It quotes what it finds.
  "words.test.ts",
]);
/** Written by the build from files that are read themselves. */
const COPIES = /\.embedded\.ts$/;
const TEXTS = /\.(?:ts|mts|mjs|js|css|html|json|md|rego)$|^Makefile$/;

function textsBelow(path: string): string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name);
    if (SKIPPED.has(entry.name)) return [];
    if (entry.isDirectory()) return textsBelow(below);
    return entry.isFile() && TEXTS.test(entry.name) && !COPIES.test(entry.name) ? [below] : [];
  });
}

const rootPages = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isFile() && TEXTS.test(entry.name) && !SKIPPED.has(entry.name))
  .map((entry) => entry.name);

const files = [...rootPages, ...["compiler", "runtime", "bench", "policies", "editors", "test"].flatMap(textsBelow)];

/** Lines joined, without the marks of comments; a `¶` where a comment begins. Rego gives its comments alone: the rest is data. */
function joined(file: string, text: string): string {
  const isPage = file.endsWith(".md");
  let before = "";
  const words: string[] = [];
  for (const line of text.split("\n")) {
    const [, mark = "", rest = ""] = /^\s*(\/\*\*?|\*(?!\/)|\/\/|#+|-|\|)?\s*(.*)$/.exec(line) ?? [];
    if (file.endsWith(".rego") && !mark.startsWith("#")) before = "";
    else {
      const begins = mark !== "*" && (isPage ? mark !== "" || before === "" : mark !== before);
      words.push(begins ? "¶" : "", rest.replaceAll(/ \/[/*]\*? /g, " ¶ "));
      before = isPage ? line : mark;
    }
  }
  return words.join(" ").replaceAll(/\s+/g, " ");
}

function found(file: string, text: string): string[] {
  const words = joined(file, text);
  return KINDS.flatMap(({ name, pattern, because }) =>
    [...words.matchAll(pattern)].map(
      ({ index }) => `${file}: …${words.slice(Math.max(0, index - 40), index + 60)}… (${name}: ${because})`,
    ),
  );
}

describe("words of comments, messages and pages", () => {
  it.each(KINDS)("finds: $name", ({ name, bad, plain }) => {
    const file = bad.startsWith("#") ? "a.rego" : bad.startsWith("|") ? "a.md" : "a.ts";
    expect(found(file, bad)).toEqual([expect.stringContaining(`(${name}: `)]);
    expect(found(file, plain)).toEqual([]);
  });

  it("are plain", () => {
    expect(files.length).toBeGreaterThan(1000);
    expect(files.flatMap((file) => found(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
  });
});
