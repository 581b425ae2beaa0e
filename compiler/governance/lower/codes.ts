/** Findings of the lowering stage: where authors' data cannot be part of the one data document. */

import { defineCodes, diagnosticsOf } from "@portcullis/rego/diagnostics";

export const lowerCodes = defineCodes({
  "lower/data-conflict": {
    severity: "error",
    message: "`{path}` is given twice",
    explain:
      "Two data files (or a file and a folder's name) give the same place in `data` a value, and not both are objects that could be merged. Which one held would depend on the order of reading. Remove one.",
  },
  "lower/data-reserved": {
    severity: "error",
    message: "`{path}` belongs to the compiler",
    explain:
      "Everything below `data.portcullis` is made from the governance sources or belongs to the decision library. Data of your own there could weaken a gate, so it is refused. Put it under a name of your own.",
  },
  "lower/host-data-in-bundle": {
    severity: "error",
    message: "the host cannot supply `data.{path}`: `data.{root}` is the bundle's own",
    explain:
      "A bundle owns every name at the top of its data: OPA calls them roots. What the host supplies with `setData` counts only outside of them, " +
      "so that it cannot change the bundle's data, and a rule that waits for it would wait for ever. Give the host's data a name of its own at the top.",
  },
  "lower/name-apart": {
    severity: "error",
    message: "the agent's name `{name}` holds {character}, with which no name can be compared",
    explain:
      "Where people approve, a name counts as a person's if it reads like no agent's. Letters of Hangul that are not composed, and a few letters of old prints that look like others (`ſ`), are read in no one way: " +
      "a person's name with one is refused, and an agent's would leave open who is meant. Write Hangul in composed syllables (NFC), and the letter of today for the old one.",
  },
  "lower/approver-is-agent": {
    severity: "error",
    message: "approver `{name}` reads like the agent `{other}`: people approve, agents do not",
    explain:
      "An approval that is given in the name of a role, an instruction file, an agent type or an agent of handoffs is denied, and names are compared as people read them: in any case, without signs, letters that look alike as one. Under this name nothing could be approved. Use the person's own name.",
  },
  "lower/approvers-alike": {
    severity: "error",
    message: "approver `{name}` reads like the approver `{other}`",
    explain:
      "Names of approvers are compared as people read them: in any case, without signs, letters that look alike as one. A person who is asked to trust an approval could not tell these two. Give one of them a fuller name.",
  },
  "lower/approver-unreadable": {
    severity: "error",
    message: "the approver's name `{name}` cannot be read as one name",
    explain:
      "A name of a person has a letter or a digit, and no letter that is read in no one way, as Hangul that is not composed and a few letters of old prints (`ſ`). An approval under this name would be malformed, or no person's.",
  },
  "lower/word-for-boolean": {
    severity: "warning",
    message: "`{word}` is a text here, and a text is never false",
    explain:
      "YAML 1.2 knows `true` and `false` alone; `yes`, `no`, `on` and `off` are texts, and a rule that asks for the value holds for every text. " +
      "Write `true` or `false`, or quote the word where the text is meant.",
  },
  "lower/data-not-object": {
    severity: "error",
    message: "a data file at the root must hold an object, found {found}",
    explain:
      "A file `data.json` or `data.yaml` is the value of `data` at the path of its folder. At the root that is `data` itself, an object (a mapping); below it, any value.",
  },
});

export const lowerDiagnostic = diagnosticsOf(lowerCodes);
