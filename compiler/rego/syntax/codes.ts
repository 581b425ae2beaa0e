/** What can be wrong with the text of a Rego module or query. OPA gives all of these as `rego_parse_error`. */

import { defineCodes, diagnosticsOf } from "../diagnostics/index.ts";

export const codes = defineCodes({
  "rego/unexpected-token": {
    severity: "error",
    opa: "rego_parse_error",
    message: "unexpected {token}: expected {expected}",
    explain:
      "The text is not Rego at this place. The message names what was found and what the grammar allows there. " +
      "A common cause is a bracket or brace that was closed too early or not at all, a little above the place reported.",
  },
  "rego/illegal-character": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal character {character}",
    causedBy: [
      // Quotes that Rego does not have come in pairs.
      { code: "rego/illegal-character", by: "line" },
    ],
    explain:
      "Outside of strings and comments Rego is written in ASCII letters, digits, underscores and its signs. " +
      "Typographic quotes, NUL characters and byte-order marks in the middle of a file are refused, too.",
  },
  "rego/illegal-string": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal string literal: {reason}",
    explain:
      'A string between double quotes stays on one line and knows the escapes of JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX. ' +
      "Text with line ends or many backslashes (regular expressions, say) is easier to write between back-ticks, where nothing is escaped.",
  },
  "rego/illegal-number": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal number {number}: {reason}",
    explain:
      "Numbers are written as in JSON: an optional minus, digits without a leading zero, an optional fraction, an optional exponent.",
  },
  "rego/too-deep": {
    severity: "error",
    opa: "rego_parse_error",
    message: "max parsing recursion depth exceeded: nested deeper than {limit} levels",
    explain:
      "Brackets, calls, comprehensions, operator chains and `else` may be nested only so deep, so that no policy can exhaust the compiler. " +
      "Name a part of the expression with a rule or variable of its own, or move large tables to data.json.",
  },
  "rego/version-0": {
    severity: "error",
    message: "`{path}` is Rego v0 by the bundle's manifest, and v0 is not read",
    explain:
      "The `.manifest` of the folder says `rego_version` 0, or `file_rego_versions` says it of this file. Rego v0 gives other meanings to the " +
      "same text, so the file is not read as v1 instead. `portcullis fmt --write --v0-v1` rewrites it: with `import rego.v1` it is the same " +
      "module in both versions, whatever the manifest says.",
  },
  "rego/illegal-ref": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal ref (head cannot be {kind})",
    explain:
      "Only variables, calls, arrays, objects, sets and comprehensions can be followed by `.name`, `[key]` or `(arguments)`.",
  },
  "rego/illegal-declaration": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal {keyword} statement: {reason}",
    explain:
      "The forms are `some x`, `some x, y`, `some x in xs`, `some k, v in xs`, `every x in xs { … }` and `every k, v in xs { … }`; " +
      "neither can be negated.",
  },
  "rego/illegal-operand": {
    severity: "error",
    opa: "rego_parse_error",
    message: "{reason}",
    explain:
      "Where `and`, `or` or the new `not` is imported, braces in the place of an operand hold a body and parentheses a group: " +
      "`{ some x in xs; f(x) } and not (a or b)`. A value in braces is put in parentheses, and so is an operand that has a `with` of its own.",
  },
  "rego/illegal-template": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal template string: {reason}",
    explain:
      'Between the braces of a template string ($"a {x}") stands one expression: a value, a variable, a reference, a call or an operation, ' +
      "perhaps with `with`. A brace that means itself is written `\\{`.",
  },
  "rego/package-expected": {
    severity: "error",
    opa: "rego_parse_error",
    message: "package expected",
    explain: "A module begins with its package: `package a.b.c`. Only comments may stand before it.",
  },
  "rego/empty-module": {
    severity: "error",
    opa: "rego_parse_error",
    message: "empty module",
    explain: "The file holds no statement. A module begins with its package: `package a.b.c`.",
  },
  "rego/unexpected-package": {
    severity: "error",
    opa: "rego_parse_error",
    message: "unexpected package: a module has one package, at its beginning",
    explain: "Split the file: one module for each package.",
  },
  "rego/illegal-package": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal package path: {reason}",
    explain: 'A package path is a name followed by `.name` or `["text"]` parts: `package a.b["c-d"]`.',
  },
  "rego/illegal-import": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal import: {reason}",
    explain:
      "Imports begin with `data`, `input`, `rego` or `future`: `import data.a.b`, `import input.user as u`, `import rego.v1`. " +
      "A path that ends with a keyword needs an alias.",
  },
  "rego/illegal-default": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal default rule ({reason})",
    explain:
      "The value of a default rule is a constant (a comprehension is allowed), and a default function takes plain, different variables: " +
      "`default allow := false`, `default f(_) := 0`.",
  },
  "rego/illegal-else": {
    severity: "error",
    opa: "rego_parse_error",
    message: "else keyword cannot be used on {what}",
    explain:
      "`else` continues a complete rule or a function; partial sets and objects collect the results of all their definitions instead.",
  },
  "rego/illegal-rule": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal rule: {reason}",
    explain:
      "A rule is a name with a value, a body, or both: `p := 1`, `p if x > 1`, `p contains x if some x in xs`, `f(x) := x + 1`.",
  },
  "rego/missing-if": {
    severity: "error",
    opa: "rego_parse_error",
    message: "`if` keyword is required before {what} body",
    explain:
      "This is the older syntax of Rego, before version 1. In Rego v1 `if` stands before every rule body: `p if { x > 1 }`. " +
      "`portcullis fmt --write --v0-v1` rewrites whole files.",
  },
  "rego/missing-contains": {
    severity: "error",
    opa: "rego_parse_error",
    message: "`contains` keyword is required for partial set rules",
    causedBy: [{ code: "rego/missing-if", by: "place" }],
    explain:
      "This is the older syntax of Rego, before version 1. In Rego v1 a partial set is written `p contains x if { … }`. " +
      "`p[x] if { … }` is an object with the value true at each key.",
  },
  "rego/missing-body": {
    severity: "error",
    opa: "rego_parse_error",
    message: "{what} must have value assignment and/or body declaration",
    explain: "A name alone says nothing: write `p := value`, `p if { … }` or both.",
  },
  "rego/keyword-as-name": {
    severity: "error",
    opa: "rego_parse_error",
    message: "{name} keyword cannot be used for rule name",
    explain: "Choose another name; a keyword may be only a part of a longer rule name, as in `rules.contains := 1`.",
  },
  "rego/illegal-metadata": {
    severity: "error",
    opa: "rego_parse_error",
    message: "illegal metadata: {reason}",
    explain:
      "A comment `# METADATA`, at the beginning of a line, starts a block of YAML in the comments directly below: scope, title, description, " +
      "related_resources, authors, organizations, schemas, entrypoint, custom.",
  },
});

export const syntaxDiagnostic = diagnosticsOf(codes);
