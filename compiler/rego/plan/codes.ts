/** Findings of planning. The policy has been checked by then: these are limits and wrong requests, not language errors. */

import { defineCodes, diagnosticsOf } from "../diagnostics/index.ts";

export const codes = defineCodes({
  "plan/unknown-entrypoint": {
    severity: "error",
    message: "entrypoint `{entrypoint}` names no rule or package",
    explain:
      "An entrypoint is the path of a rule or package below `data`, with slashes: `app/authz/allow` for the rule `allow` of `package app.authz`.",
  },
  "plan/function-entrypoint": {
    severity: "error",
    message: "entrypoint `{entrypoint}` is a function",
    explain:
      "A function has no value of its own, so it cannot be evaluated from outside. Add a rule that calls it, and use that.",
  },
  "plan/too-deep": {
    severity: "error",
    message: "more than {limit} iterations are nested in one rule",
    explain:
      "Every iteration over unknown keys (`xs[_]`, `some x in xs`) nests the rest of the rule's body one level deeper, and WebAssembly engines bound the nesting of a function. Split the rule: a helper rule or a comprehension that collects what the first iterations find.",
  },
});

export const planDiagnostic = diagnosticsOf(codes);
