/** Warnings on modules that compile, under the names that Regal has for them. */

import { defineCodes, diagnosticsOf } from "../diagnostics/index.ts";

const SILENCED =
  "Where it is meant, write `# regal ignore:NAME` above or behind the line, with the name behind `bugs/`, or waive it in portcullis.yaml.";

export const codes = defineCodes({
  "bugs/annotation-without-metadata": {
    severity: "warning",
    message: "`{text}` says nothing: there is no `# METADATA` above it",
    explain: `A comment is an annotation only below the line \`# METADATA\`. Without it the rule is no entrypoint, and has no other scope. ${SILENCED}`,
  },
  "bugs/argument-always-wildcard": {
    severity: "warning",
    message: "no definition of `{name}` reads argument {position}",
    explain:
      "Every definition of the function has `_` at this place, so that callers hand in a value which is not read. Remove the argument, or read it. " +
      `Functions that stand in for others, or are replaced, with \`with\` are left out: their arguments are given. ${SILENCED}`,
  },
  "bugs/constant-condition": {
    severity: "warning",
    message: "`{condition}` {holds}{because}",
    explain:
      "The condition is the same for every input: it says nothing, or keeps the rule from ever holding. A set or an object that rules make is defined " +
      "when it is empty, too, and so are lists, texts and numbers, 0 and the empty text included: only `false` and what has no value do not hold. Ask " +
      `\`count(x) > 0\` for members. Values of different types are never equal, and their order is that of the types. A lone \`true\` is not told. ${SILENCED}`,
  },
  "bugs/duplicate-rule": {
    severity: "warning",
    message: "this definition of `{name}` is written {times}",
    explain: `The module has the same definition again, word for word. It adds nothing; most often one of the two was to be changed. ${SILENCED}`,
  },
  "bugs/if-object-literal": {
    severity: "warning",
    message: "the body of this rule is an object, which always holds",
    explain:
      "After `if` stands an object in braces, not a body: an object is neither false nor undefined, so that the rule holds for every input. A body is " +
      `\`if { a == b }\`, without a colon, and is not empty. ${SILENCED}`,
  },
  "bugs/import-shadows-rule": {
    severity: "warning",
    message: "the import stands for `{name}` in this module, and hides the rule of that name",
    explain:
      "The package has a rule with the name that the import gives. In this module the name means the import, and the rule can be asked by its full path " +
      `alone. Give the import an alias. ${SILENCED}`,
  },
  "bugs/impossible-default": {
    severity: "warning",
    message: "the default of `{name}` is never its value",
    explain:
      "A default is the value where no definition gives one, and here a definition gives one for every input. Give that definition its condition, or " +
      `remove the default. ${SILENCED}`,
  },
  "bugs/impossible-not": {
    severity: "warning",
    message: "`{condition}` never holds: {because}",
    explain:
      "`not` holds for what is false or undefined. A set or an object that rules make is defined when it is empty, too, and so is the result of a " +
      `comprehension. Ask whether it has members: \`count(x) == 0\`. ${SILENCED}`,
  },
  "bugs/inconsistent-args": {
    severity: "warning",
    message: "`{name}` takes `{arg}` at another place than above",
    explain:
      "Two definitions of one function have the same names of arguments at different places. Callers hand in values by place, so that one of the two " +
      `reads the wrong one. Names that only differ are not told. ${SILENCED}`,
  },
  "bugs/invalid-metadata-attribute": {
    severity: "warning",
    message: "`{key}` is no attribute of metadata",
    explain:
      "Below `# METADATA` stand title, description, related_resources, authors, organizations, schemas, scope, entrypoint, compile, labels and custom. OPA reads no " +
      `other key, so that a misspelt one says nothing. What is your own belongs below \`custom\`. ${SILENCED}`,
  },
  "bugs/invalid-regexp": {
    severity: "warning",
    message: "{pattern} is no regular expression",
    explain: `The pattern is not one of RE2's, so that the call never has a result. ${SILENCED}`,
  },
  "bugs/not-equals-in-loop": {
    severity: "warning",
    message: "`{condition}` holds for every value: of several values one is always another",
    explain:
      "`x != xs[_]` and `some y in xs; x != y` look for one element that differs, and of two different elements one always does. That no element is " +
      "equal is written `not x in xs`, or `every y in xs { x != y }`. It is told where two elements are known while compiling. " +
      SILENCED,
  },
  "bugs/rule-assigns-default": {
    severity: "warning",
    message: "`{name}` is {value} here, which is its default",
    explain:
      "The rule has this value when no definition holds. One that gives the same value changes nothing; where another definition holds at the same " +
      `time, the two conflict, and the rule has no value at all. Remove it. ${SILENCED}`,
  },
  "bugs/rule-shadows-builtin": {
    severity: "warning",
    message: "the function `{name}` stands before the builtin of that name",
    explain:
      "Every module of the package that calls the builtin calls this function, without a word. Give it another name. Where a call could not mean it, " +
      `it does not compile, and signs have a finding of their own: analyze/captured-operator. ${SILENCED}`,
  },
  "bugs/sprintf-arguments-mismatch": {
    severity: "warning",
    message: "the format takes {wanted}, and gets {had}",
    explain:
      "`sprintf` takes one element of the list for each verb of its format (`%s`, `%d`, `%v`; `%%` is a percent sign and takes none). For one " +
      `that is missing the text holds \`%!s(MISSING)\`, and one too many is written at its end as \`%!(EXTRA …)\`. ${SILENCED}`,
  },
  "bugs/sprintf-unknown-verb": {
    severity: "warning",
    message: "`{verb}` is no verb of `sprintf`",
    explain:
      "The text would hold `%!`, the letter and the value in brackets. A boolean is printed with `%v`: `%t` is for booleans of another language, " +
      `and Rego hands them over as texts. ${SILENCED}`,
  },
  "bugs/top-level-iteration": {
    severity: "warning",
    message: "`{name}` has one value, and is given each element of a collection",
    explain:
      "A rule without `contains` or a key has one value: with two different elements the values conflict, and the evaluation fails. Write " +
      `\`{name} contains x if some x in xs\`, or a comprehension. ${SILENCED}`.replace("{name}", "p"),
  },
  "bugs/unassigned-return-value": {
    severity: "warning",
    message: "nothing looks at the result of `{name}`: it holds whatever the result is",
    explain:
      "The statement is a call whose result is never `false`: `count(x)` holds for an empty collection, too. Compare the result, as in " +
      `\`count(x) > 0\`, or assign it. Functions that have no result for some values, such as \`to_number\`, are not told: they test. ${SILENCED}`,
  },
  "bugs/unconditional-with-conditions": {
    severity: "warning",
    message: "`{name}` has this value for every input, and other definitions have conditions",
    explain:
      "A definition without `if` always holds. Where another definition of the rule holds and gives a different value, the two conflict, and the evaluation " +
      "fails; one that gives the same value changes nothing. The value for where nothing else holds is written `default {name} := …`. ".replace(
        "{name}",
        "p",
      ) +
      SILENCED,
  },
  "bugs/unused-output-variable": {
    severity: "warning",
    message: "nothing else uses `{name}`, while `{other}` goes over the same collection",
    explain:
      "A variable between brackets that nothing else mentions is bound to each key in turn, as `_` would be: `xs[i].a; xs[i].b; xs[j].c` asks whether " +
      "any element has a `c`, not whether the one that has `a` and `b` does. Write the other variable, or `_` where another element may be meant. A " +
      `variable that is mentioned once, and alone, is not told: it is a name for \`_\`. ${SILENCED}`,
  },
});

export const bugDiagnostic = diagnosticsOf(codes);
