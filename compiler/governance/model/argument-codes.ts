/** Findings on what a tool says of its arguments. */

import { defineCodes } from "@portcullis/rego/diagnostics";

const FOLDER =
  "A command means what the folder that it runs in makes of it: `npm test` runs what package.json says there.";

export const argumentCodes = defineCodes({
  "model/member-of-other-type": {
    severity: "error",
    message: "argument `{argument}` is of type `{type}`, and `{member}` is for {types}",
    explain:
      "Each member of an argument is for values of some types: `paths`, `hosts`, `schemes`, `commands` and `pattern` for texts, `min` and `max` for numbers, `max_length` for texts and lists, `each` for lists. With another type no value could keep it. Correct `type` (the default is `string`), or remove the member.",
  },
  "model/schemes-without-hosts": {
    severity: "error",
    message: "argument `{argument}` has `schemes` and no `hosts`",
    explain:
      "`schemes` says how the hosts of `hosts` may be reached. Alone it would allow every host. Add `hosts`, or remove it.",
  },
  "model/limits-at-odds": {
    severity: "error",
    message: "argument `{argument}` has a `min` of {min} above its `max` of {max}{role}",
    explain: "No number is at least the one and at most the other, so every call would be denied. Correct one of them.",
  },
  "model/undefined-role-of-limit": {
    severity: "error",
    message: "`{member}` of argument `{argument}` has a row for role `{role}`, which is not defined",
    causedBy: [
      { code: "model/confusable-id", by: "names" },
      { code: "model/invalid-id", by: "names" },
      { code: "model/empty-part", by: "entry", entry: "role" },
      { code: "model/absent-part", by: "absent", file: "roles.yaml" },
    ],
    explain:
      "A table of numbers has a row for each role that has its own, and `default` for the others. This row is for a role that no roles file defines, so that no call would ever be held to it.",
  },
  "model/role-named-default": {
    severity: "error",
    message: "`default` in `{member}` of argument `{argument}` is for roles without a row, and a role has this id",
    explain:
      "In a table of numbers by role, `default` is the row of all roles that have none of their own. With a role of that id, nothing tells whether the row is this role's alone. Give the role another id, or each role a row of its own.",
  },
  "model/approval-without-role": {
    severity: "warning",
    message: "role `{role}` needs no person for argument `{argument}`: `{member}` of its `approval` has no row for it",
    explain:
      "A person is asked about the values that all members of `approval` match. A table of numbers without a row for a role, and without `default`, matches no value of that role's, so that whatever the argument allows this role passes without a person. Add a row for the role, or `default`.",
  },
  "model/approval-by-exact-path": {
    severity: "warning",
    message: "in another case, {places} of argument `{argument}` need no person",
    explain:
      "`below` is compared exactly, in `approval.paths` too. Where a file system takes `infra` and `Infra` for one folder, as those of Windows and macOS do, `Infra/main.tf` is below `paths` and not below `approval.paths`: the call needs no person, and writes the same file. `except` of `paths` is compared with letters in any case and form. What it names there is allowed below `approval.paths` alone, with a person, and refused in every other spelling.",
  },
  "model/malformed-pattern": {
    severity: "error",
    message: "`pattern` of argument `{argument}` is no regular expression of RE2",
    explain:
      "A `pattern` is a regular expression in the syntax of RE2, valid alone, which the whole text matches: without `^` and `$`. Look-ahead and back references are not part of RE2.",
  },
  "model/malformed-command-pattern": {
    severity: "error",
    message: "command `{text}` of argument `{argument}` {problem}",
    explain:
      "A pattern of `commands` is words with single spaces between them. A word, bare or in quotes, stands for itself; `*` for one word that does not begin with `-`, `+` or `@`; `-*` for one word that begins with `-`; a last `*` for any number of words as `*`; a last `**` for any words. The first word stands for itself, and holds no `=`.",
  },
  "model/malformed-policy-path": {
    severity: "error",
    message: "`{path}` of argument `{argument}` is not a path from the project's root",
    explain:
      "`below` and `except` name files and folders from the project's root: segments with one `/` between them, without `.`, `..`, `\\`, `:` and characters of control, and none that ends with a dot or a space or holds `~` and a digit. `.` alone is the root, in `below`.",
  },
  "model/pattern-as-path": {
    severity: "error",
    message: "`{path}` of argument `{argument}` is taken as the name of a file, not as a pattern",
    explain:
      "`below` and `except` name files and folders, with all that lies in them. `*`, `?` and `{a,b}` are letters of a name there, and `~` is no one's home: `except: [src/*.env]` would deny the file `src/*.env` alone, and let through what it seems to keep out. Name the folder, or say with `pattern` what the text may be.",
  },
  "model/except-outside-below": {
    severity: "warning",
    message: "{places} of argument `{argument}` are in no place of `below`, so that `except` takes nothing away there",
    explain:
      "`except` names places from the project's root, as `below` does, and not from the place of `below`. With `below: [src]`, `except: [secrets]` lets `src/secrets` through. Name the place from the root, or leave it out: what lies outside of `below` is denied anyway.",
  },
  "model/approval-resolves-otherwise": {
    severity: "error",
    message: "`approval.paths` of argument `{argument}` is resolved otherwise than `paths`",
    explain:
      "One asks the host where the file lies, the other takes the text as it is (`resolve: text`). A value that `paths` allows, and that `approval.paths` cannot tell the place of, would need no person. Say `resolve` alike in both.",
  },
  "model/malformed-host-entry": {
    severity: "error",
    message: "host `{text}` of argument `{argument}` {problem}",
    explain:
      "An entry of `hosts` is `host` or `*.host`, in lower case, with `:port` or without. `*.` stands for one label or more, and at least two stand behind it. An entry without a port is for the scheme's own. Letters of other alphabets are written in their `xn--` form, without `*.`.",
  },
  "model/malformed-scheme": {
    severity: "error",
    message: "`{text}` of argument `{argument}` is no scheme of URLs in lower case",
    explain:
      "`schemes` lists the beginnings of URLs, without `://`: `https`, `http`. Without it, `https` alone counts.",
  },
  "model/unknown-approval": {
    severity: "error",
    message:
      "`approval` of argument `{argument}` is `{text}`: it can be `required`, `bound`, or members that match values",
    explain:
      '`approval: required` asks a person about every value; members as `approval: { commands: ["git push *"] }` about the values that they match. `approval: bound` asks for an approval of the very call, which an approver of approvers.yaml has signed; `bound: true` beside members does so for the values that they match.',
  },
  "model/approval-without-members": {
    severity: "error",
    message: "`approval` of argument `{argument}` has no member",
    explain:
      "Members of `approval` say which values a person is asked about. Without any it is not clear whether all are meant or none. Write `approval: required` (or `bound`) for all, or remove it.",
  },
  "model/value-of-other-type": {
    severity: "warning",
    message: "`one_of` of argument `{argument}` has {found}, and the argument is of type `{type}`",
    explain:
      "`one_of` compares by value and type, so a value of another type than the argument's is never there. Quote it, or correct `type`.",
  },
  "model/wide-command": {
    severity: "warning",
    message: "command `{text}` of argument `{argument}` allows more than it looks: {why}",
    explain: `Options execute and write: \`git diff --output=F\`, \`find -exec\`. A program that starts others starts any of them. Name the options and words that are meant, or waive the finding with the reason. ${FOLDER}`,
  },
});
