/** Findings of the pipeline itself: conflicts between governance sources, authors' Rego and data. */

import { defineCodes } from "../base/codes.ts";
import { diagnosticsOf } from "../base/diagnostic.ts";

export const pipelineCodes = defineCodes({
  "pipeline/reserved-package": {
    severity: "error",
    message: "`{path}` belongs to the decision library",
    explain:
      "Everything below `data.portcullis` but `data.portcullis.ext` is the decision library and its tables. A rule or a data file of " +
      "yours there could weaken a gate, so it is refused. Put your own rules into a package of your own, and your own gates " +
      "into `portcullis.ext.<decision>`, as `deny` rules.",
    opa: "rego_compile_error",
  },
  "pipeline/extension-not-deny": {
    severity: "error",
    message: "an extension has only `deny` rules, and `{path}` is not one",
    explain:
      "A package `portcullis.ext.<decision>` (lane, tool, subagent, lineage, handoff, exec, close, call) holds one partial set, " +
      '`deny contains {"gate": "MY_GATE", "reason": "my_reason"} if …`. Rules that it needs besides belong into a package of your own, ' +
      "which the deny rules import.",
  },
  "pipeline/no-entrypoint": {
    severity: "error",
    message: "there is no entrypoint",
    explain:
      "A module needs at least one rule that the outside can ask for. Name it with `-e pkg/rule`, or annotate it:\n\n" +
      "  # METADATA\n  # entrypoint: true\n  allow if …",
  },
});

export const report = diagnosticsOf(pipelineCodes);
