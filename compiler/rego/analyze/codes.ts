/** What can be wrong with modules that parse. The wording is OPA's: people know it and search for it. */

import { type Diagnostic, defineCodes, diagnosticsOf } from "../diagnostics/index.ts";

export const codes = defineCodes({
  "analyze/not-convertible": {
    severity: "error",
    opa: "rego_parse_error",
    message: "cannot be converted to Rego v1: {reason}",
    explain:
      "`portcullis fmt --v0-v1` rewrites what v1 writes in another way. A name that v1 made a keyword (`if`, `in`, `every`, " +
      "`contains`) has to be changed by its author.",
  },
  "analyze/beyond-capabilities": {
    severity: "error",
    opa: "rego_parse_error",
    message: "{problem}",
    explain:
      "The file of `--capabilities` does not allow this part of the language: its `features` and `future_keywords` list what " +
      "may be used. An OPA with these capabilities would refuse the module.",
  },
  "analyze/duplicate-import": {
    severity: "error",
    opa: "rego_compile_error",
    message: "import must not shadow {import}",
    explain:
      "Two imports of one module give the same name. An import is known by the last part of its path or by its alias: " +
      "write `import data.b.users as b_users` for one of them, or remove the one that is not needed.",
  },
  "analyze/unused-import": {
    severity: "error",
    opa: "rego_compile_error",
    message: "{import} unused",
    explain: "Strict mode: nothing in the module uses the name that this import gives. Remove the import.",
  },
  "analyze/shadows-root": {
    severity: "error",
    opa: "rego_compile_error",
    message: "{what} must not shadow {name} (use a different {kind} name)",
    explain:
      "`input` and `data` are the two documents every rule reads. Rules, function arguments and variables need other names.",
  },
  "analyze/call-in-arguments": {
    severity: "error",
    opa: "rego_compile_error",
    message: "rule arguments cannot contain calls",
    explain: "The arguments in the head of a function are patterns. Take a variable there and compare it in the body.",
  },
  "analyze/redeclared-var": {
    severity: "error",
    opa: "rego_compile_error",
    message: "var {name} {how} above",
    explain:
      "`:=` and `some` make a new variable, which must be new in its body: not assigned, declared or used there before. " +
      "Use another name, move the declaration up, or compare with `==`.",
  },
  "analyze/read-in-domain": {
    severity: "error",
    opa: "rego_compile_error",
    message: "var {name} assigned before",
    explain:
      "`some x in xs` makes a new variable for each element, so `xs` cannot read it: `some i, x in rows[i]` is refused. Use " +
      "another name for what `xs` reads.",
  },
  "analyze/redeclared-argument": {
    severity: "error",
    opa: "rego_compile_error",
    message: "arg {name} redeclared",
    explain:
      "`:=` and `some` make a new variable, but the function has an argument of this name. Use another name, or compare with `==`.",
  },
  "analyze/negated-assignment": {
    severity: "error",
    opa: "rego_compile_error",
    message: "cannot assign vars inside negated expression",
    explain:
      "A negated statement binds nothing, so `not x := …` would have no use. Assign first and negate a test of the variable.",
  },
  "analyze/and-assignment": {
    severity: "error",
    opa: "rego_compile_error",
    message: "cannot assign vars inside implicit and operand",
    explain:
      "What an operand of `and` binds is lost behind it. Assign before the statement, or give the operand braces and use the variable there.",
  },
  "analyze/or-assignment": {
    severity: "error",
    opa: "rego_compile_error",
    message: "cannot assign vars inside implicit or operand",
    explain:
      "What an operand of `or` binds is lost behind it. Assign before the statement, or give the operand braces and use the variable there.",
  },
  "analyze/cannot-assign": {
    severity: "error",
    opa: "rego_compile_error",
    message: "cannot assign to {what}",
    explain:
      "On the left of `:=` stands a variable, or an array or object of variables. Compare with `==`, or unify with `=`.",
  },
  "analyze/unused-declaration": {
    severity: "error",
    opa: "rego_compile_error",
    message: "declared var {name} unused",
    explain: "`some` and `every` declare this variable, and nothing uses it. Remove it, or write `_` in its place.",
  },
  "analyze/unused-assignment": {
    severity: "error",
    opa: "rego_compile_error",
    message: "assigned var {name} unused",
    explain:
      "Strict mode: the variable gets a value that nothing reads. Remove the assignment, or the misspelling elsewhere.",
  },
  "analyze/unused-argument": {
    severity: "error",
    opa: "rego_compile_error",
    message: "unused argument {name}. (hint: use _ (wildcard variable) instead)",
    explain: "Strict mode: neither the value nor any body of the function reads this argument. Write `_` in its place.",
  },
  "analyze/shadowed-function": {
    severity: "error",
    opa: "rego_compile_error",
    message: "called function {name} shadowed",
    explain:
      "A local variable or argument has the name of the function that is called here. Functions are not values: rename the variable.",
  },
  "analyze/captured-operator": {
    severity: "warning",
    message: "`{sign}` calls `{function}` here, not the builtin",
    explain:
      "A sign is a call of the function of its name: `<` of `lt`, `==` of `equal`, `-` of `minus`, `in` of `internal.member_2`. A rule of the package, in " +
      "whichever file, or an import with that name stands before the builtin, in OPA as here, and changes what the sign means in every expression that can " +
      "see it. Rename the rule, or give the import an alias.",
  },
  "analyze/void-call": {
    severity: "error",
    opa: "rego_type_error",
    message: "{name}(...) used as value",
    explain: "This function has no result. It can stand only as a statement of its own.",
  },
  "analyze/undeclared-var": {
    severity: "error",
    opa: "rego_compile_error",
    message: "var {name} is undeclared",
    explain:
      "`print` shows values that the statements above it have bound, and `{…}` in a template string those of its body; neither binds a variable, so " +
      "`input.list[_]` there would be several values. Assign it in a statement of its own.",
  },
  "analyze/relation-in-template": {
    severity: "error",
    opa: "rego_compile_error",
    message: "illegal call to relation built-in '{name}' that may cause multiple outputs",
    explain:
      "`{…}` in a template string shows one value, and this function may have many. Show those that you mean: `some [path, value]; walk(x, [path, value])`.",
  },
  "analyze/undefined-function": {
    severity: "error",
    opa: "rego_type_error",
    message: "undefined function {name}",
    explain:
      "Neither a builtin nor a rule has this name. Functions of other packages are called by import or by full path: `data.lib.f(x)`.",
  },
  "analyze/function-arity": {
    severity: "error",
    opa: "rego_type_error",
    message: "function {name} has arity {arity}, got {count}",
    explain: "The function is called with more or fewer arguments than its definitions take.",
  },
  "analyze/builtin-arguments": {
    severity: "error",
    opa: "rego_type_error",
    message: "{name}: {problem}: have {have}, want {want}",
    explain:
      "The arguments do not fit the signature of the function: another number of them, or a type that it can never accept. " +
      "`any` means any value, `any<a, b>` one of several types, and `???` a type that is not known.",
  },
  "analyze/match-error": {
    severity: "error",
    opa: "rego_type_error",
    message: "match error: left is {left}, right is {right}",
    explain: "The two sides can never be equal, whatever the input: their types have no value in common.",
  },
  "analyze/undefined-ref": {
    severity: "error",
    opa: "rego_type_error",
    message: "undefined ref: {ref}: {problem}",
    explain:
      "The reference can never have a value: it looks into a scalar, or calls for a key that the object cannot have. " +
      "Types come from the rules, from literals and from the schemas of annotations.",
  },
  "analyze/function-as-value": {
    severity: "error",
    opa: "rego_type_error",
    message: "function {ref} used as reference, not called",
    explain: "A function has no value of its own: call it, as in `f(x)`. Only `with` takes the name of a function.",
  },
  "analyze/unsafe-var": {
    severity: "error",
    opa: "rego_unsafe_var_error",
    message: "var {name} is unsafe{scope}",
    explain:
      "Nothing gives this variable a value. A variable gets one by `:=`, by `=`, by `some … in`, as a key of a reference (`xs[x]`), or as an argument; " +
      "not by a comparison, an argument of a call, or inside `not`. Often the name is misspelt, or an import is missing.",
  },
  "analyze/unsafe-expression": {
    severity: "error",
    opa: "rego_unsafe_var_error",
    message: "expression is unsafe{scope}",
    explain:
      "The expression needs a value that nothing before it can give. Assign the parts that it needs to variables first.",
  },
  "analyze/recursion": {
    severity: "error",
    opa: "rego_recursion_error",
    message: "rule {name} is recursive: {path}",
    explain:
      "Rego has no recursion: a rule may not depend on itself, directly or through other rules. References with unknown parts (`data.a[x]`) depend on " +
      "everything they may reach. For graphs and trees there are `graph.reachable`, `walk` and comprehensions.",
  },
  "analyze/conflicting-rules": {
    severity: "error",
    opa: "rego_type_error",
    message: "conflicting rules {name} found",
    explain:
      "All definitions of one name must be of one kind: complete rules, or a partial set (`contains`), or a partial object (`p[k] := v`), or a function " +
      "with one number of arguments.",
  },
  "analyze/rule-conflict": {
    severity: "error",
    opa: "rego_type_error",
    message: "rule {name} conflicts with {others}",
    explain:
      "A rule has a value of its own, and other rules have paths below it. Only a rule with a variable in its path (`p[x] := …`) can hold others.",
  },
  "analyze/else-below-keys": {
    severity: "error",
    message: "{name} has an `else`, below {others} with a key that is computed",
    explain:
      "A rule with a variable in its path (`p[x] := …`) makes one object with the rules below it, and OPA then passes over an `else` of theirs, unless its " +
      "rule index has ruled out the bodies before it: another answer than the one that is written. Give the `else` to a rule of another name, " +
      "`a := 1 if … else := 2`, and its value to the object, `p.a := a`.",
  },
  "analyze/number-key": {
    severity: "error",
    message: "the number {text} in the name of {name} has another spelling",
    explain:
      "OPA looks a rule up by the text of the number in its name: `p[1]` does not find `p[1.0] := …`, although the two numbers are equal. Write the number " +
      "without an exponent and without zeros at its ends.",
  },
  "analyze/multiple-defaults": {
    severity: "error",
    opa: "rego_type_error",
    message: "multiple default rules {name} found",
    explain: "A rule has one default value, in one module. Remove all but one of the definitions.",
  },
  "analyze/package-conflict": {
    severity: "error",
    opa: "rego_type_error",
    message: "package {package} conflicts with rule {rule}",
    explain:
      "A rule and a package have one and the same path below `data`, so it would be unclear what stands there. Rename one of them.",
  },
  "analyze/data-conflict": {
    severity: "error",
    opa: "rego_compile_error",
    message: "conflicting rule for data path {path} found",
    explain:
      "The bundle's data has a value at the path of this rule. Rules and data must not overlap: rename the rule, or move the data.",
  },
  "analyze/with-virtual-part": {
    severity: "error",
    opa: "rego_compile_error",
    message: "with keyword cannot partially replace virtual document(s)",
    explain: "`with` replaces a rule's whole value. A path that goes on below a rule cannot be replaced.",
  },
  "analyze/with-target": {
    severity: "error",
    opa: "rego_type_error",
    message: "with keyword target must reference existing input, data, or a function",
    explain: "After `with` stands `input`, `data`, a path below one of them, or the name of a function or builtin.",
  },
  "analyze/with-path": {
    severity: "error",
    opa: "rego_compile_error",
    message: "with keyword target must be a path of strings",
    explain: "What `with` replaces is known when the policy is compiled: its path has no variables, numbers or calls.",
  },
  "analyze/with-builtin": {
    severity: "error",
    opa: "rego_compile_error",
    message: "with keyword replacing built-in function: {problem}",
    explain:
      "Unification, metadata, internal functions, relations (`walk`) and functions without a result cannot be replaced.",
  },
  "analyze/deprecated-builtin": {
    severity: "error",
    opa: "rego_type_error",
    message: "deprecated built-in function calls in expression: {name}",
    explain: "Rego v1 does not have this function any more; the documentation of OPA names its replacement.",
  },
  "analyze/nondeterministic-builtin": {
    severity: "error",
    opa: "rego_type_error",
    message: "non-deterministic built-in function {name} is not allowed",
    explain:
      "This function may give another result for the same arguments (network, clock, random numbers), so a decision could not be repeated or audited. " +
      "Pass the value in `input` instead, or allow the function by name when you build.",
  },
  "analyze/unavailable-builtin": {
    severity: "error",
    opa: "rego_type_error",
    message: "built-in function {name} is not supported",
    explain: "OPA has this function, but neither the compiled module nor its host can evaluate it.",
  },
  "analyze/annotation-redeclared": {
    severity: "error",
    opa: "rego_type_error",
    message: "{scope} annotation redeclared",
    explain: "A package, its subpackages and a document have at most one annotation of each kind, over all modules.",
    // A package of the decision library has its annotations already.
    causedBy: [{ code: "pipeline/reserved-package", by: "file" }],
  },
  "analyze/undefined-schema": {
    severity: "error",
    opa: "rego_type_error",
    message: "undefined schema: {schema}",
    explain: "The annotation names a schema that is not among those given to the compiler.",
  },
  "analyze/invalid-schema": {
    severity: "error",
    opa: "rego_type_error",
    message: "unable to use the schema of {path}: {problem}",
    explain:
      "The schema is not JSON Schema, or says something that cannot be made into a type (schemas that contradict each other in allOf, say).",
  },
  "analyze/empty-query": {
    severity: "error",
    opa: "rego_compile_error",
    message: "empty query cannot be compiled",
    explain: "A query is at least one statement; without any there is nothing to ask.",
  },
  "pipeline/no-entrypoint": {
    severity: "error",
    message: "there is no entrypoint",
    explain:
      "A module needs at least one rule that the outside can ask for. Name it with `-e pkg/rule`, or annotate it:\n\n" +
      "  # METADATA\n  # entrypoint: true\n  allow if …",
  },
});

export const analyzeDiagnostic = diagnosticsOf(codes);

/** Findings on rules whose meaning is clear all the same: the later stages go on with them. */
const harmless: ReadonlySet<string> = new Set([
  "analyze/captured-operator",
  "analyze/unused-declaration",
  "analyze/unused-assignment",
  "analyze/unused-argument",
  "analyze/deprecated-builtin",
  "analyze/nondeterministic-builtin",
  "analyze/unavailable-builtin",
]);

/** Whether a finding after the first `from` ones keeps the later stages from the rule. */
export function spoils(found: readonly Diagnostic[], from: number): boolean {
  for (let i = from; i < found.length; i++) if (!harmless.has((found[i] as Diagnostic).code)) return true;
  return false;
}
