/** Findings on a text: faults that are seen before its meaning is read. */

import { defineCodes, diagnosticsOf } from "@portcullis/rego/diagnostics";

export const documentsCodes = defineCodes({
  "sources/invalid-utf8": {
    severity: "error",
    message: "byte {byte} is not valid UTF-8",
    explain:
      "Sources are UTF-8, with or without a byte order mark. Another encoding cannot be guessed safely: two readers would see two policies. Save the file as UTF-8.",
  },
  "sources/invalid-yaml": {
    severity: "error",
    message: "invalid YAML: {problem}",
    explain:
      "The file does not parse as YAML 1.2, so nothing of it was used. Usual causes are indentation, a tab, an unquoted `:` or `#` in a text, or a bracket without its partner.",
  },
  "sources/invalid-toml": {
    severity: "error",
    message: "invalid TOML: {problem}",
    explain:
      "The file does not parse as TOML 1.0, so nothing of it was used. Usual causes are text without quotes, a table that is defined twice, or a bracket without its partner.",
  },
  "sources/invalid-json": {
    severity: "error",
    message: "invalid JSON: {problem}",
    explain:
      "The file does not parse as JSON (RFC 8259), so nothing of it was used. JSON has no comments, no trailing commas, and only double quotes.",
  },
  "sources/merge-conflict": {
    severity: "error",
    message: "the file holds both sides of a merge",
    explain:
      "A merge stopped here and left its marks: lines that begin `<<<<<<<`, `=======` and `>>>>>>>`. Keep one side, or what both mean together, and remove the marks.",
  },
  "sources/hidden-character": {
    severity: "error",
    message: "U+{code} {problem}",
    explain:
      "A reviewer and the compiler would read two texts. Some editors and tools begin a line at a carriage return alone, at U+0085, U+2028 or U+2029, and others, the compiler among them, do not: what stands behind one in a comment looks like a rule, and stays a comment. Marks that turn the direction of writing show words in another order than the one that counts. Control characters can hide what stands beside them in a terminal, and YAML and TOML do not have them; with a NUL, git shows no difference of the file. Remove the character; where a text needs it, write it as an escape in double quotes, `\\u2028`.",
  },
  "sources/tab-indentation": {
    severity: "error",
    message: "a tab indents this line, and YAML indents with spaces",
    explain:
      "YAML knows the level of a line by its spaces; a tab has no width of its own, so it is not allowed there. Replace tabs by spaces; most editors can be told to.",
  },
  "sources/confusable-character": {
    severity: "error",
    message: "{character} looks like `{ascii}` and is not",
    explain:
      "The text does not parse, and the line holds a character that looks like one of the syntax: a typographic quote, a dash, a space of another width. Word processors and chats put them in. Type the plain one.",
  },
  "sources/duplicate-key": {
    severity: "error",
    message: "duplicate key `{key}`",
    explain:
      "The same key is written twice in one mapping. Parsers differ in which of the two they keep, so the policy would be ambiguous. Remove one of them.",
  },
  "sources/key-not-text": {
    severity: "error",
    message: "a key must be text",
    explain:
      "A mapping key is empty, a list or a mapping. Policies have plain text keys; quote the key if it is meant as text.",
  },
  "sources/several-documents": {
    severity: "error",
    message: "the file holds several YAML documents",
    explain:
      "A policy file is one YAML document. Move the text after the `---` line into a file of its own, or remove the line.",
  },
  "sources/yaml-version": {
    severity: "error",
    message: "YAML {version} is not supported",
    explain:
      "A `%YAML` directive asks for another version than 1.2. In YAML 1.1, `no` and `on` are booleans; two tools would read two policies. Remove the directive.",
  },
  "sources/yaml-tag": {
    severity: "error",
    message: "YAML tag `{tag}` is not supported",
    explain:
      "Tags such as `!!str` or `!include` change the meaning of a value, in ways that differ between parsers. Write the value plainly, in quotes if it is meant as text.",
  },
  "sources/unknown-alias": {
    severity: "error",
    message: "alias `*{alias}` has no anchor before it",
    explain:
      "An alias repeats a node that was marked with `&name` earlier in the same file. There is no such mark, or the alias stands inside the node that it repeats.",
  },
  "sources/alias-expansion": {
    severity: "error",
    message: "aliases expand to more than {limit} nodes",
    explain:
      "Aliases within aliases multiply: a short text can stand for billions of nodes. The file is refused before it is expanded. Write the values out.",
  },
  "sources/too-deep": {
    severity: "error",
    message: "nested deeper than {limit} levels",
    explain:
      "Lists and mappings are nested deeper than any policy needs. The bound keeps a malformed file from exhausting the compiler.",
  },
  "sources/number-not-finite": {
    severity: "error",
    message: "`{text}` is not a finite number",
    explain:
      "Infinity and NaN do not exist in JSON, which the policy's data becomes. Write a number, or quote the value if it is meant as text.",
  },
  "sources/leading-zero": {
    severity: "error",
    message: "`{text}` is the number {value} here, and another one, or a text, to other readers",
    causedBy: [{ code: "sources/wrong-type", by: "place" }],
    explain:
      "YAML 1.2 reads a number with leading zeros as a decimal one. YAML 1.1, which many tools still read, takes it for an octal number; and " +
      "people mean a text, of which the zeros are a part. Leave the zeros out, quote the value, or write an octal number as `0o17`.",
  },
  "sources/text-to-others": {
    severity: "error",
    message: "`{text}` is a text here, and {other} to other readers",
    causedBy: [{ code: "sources/wrong-type", by: "place" }],
    explain:
      "YAML 1.2 reads `1_000`, `0b11` and `+0x1F` as texts; readers of YAML 1.1, `opa` among them, take them for numbers. To Rego every " +
      "number is less than any text, so that a rule which compares with one holds for all numbers. Keys are texts as they are written here; " +
      "`opa` has the key `16` where `0x10` is written, `true` for `True`, and refuses `null`. Quote the text, or write the number plainly.",
  },
  "sources/lone-surrogate": {
    severity: "error",
    message: "the text holds half of a surrogate pair",
    explain:
      "An escape such as `\\ud800` stands for half a character. It has no UTF-8 form, so it could not be compared or written to the bundle reliably.",
  },
  "sources/unclosed-front-matter": {
    severity: "error",
    message: "front matter has no closing `---` line",
    explain:
      "An instruction file that begins with a `---` line has YAML front matter up to the next `---` line. Without that line metadata and instructions cannot be told apart.",
  },
  "sources/late-front-matter": {
    severity: "warning",
    message: "front matter does not begin in the first line",
    explain:
      "Only in the first line does `---` begin the front matter of an instruction file. Below other lines it is a part of the instructions, and what it says, as an allowlist, would count for nothing. Remove the lines above it.",
  },
});

export const documentsDiagnostic = diagnosticsOf(documentsCodes);
