/** Findings of the pipeline itself: conflicts between governance sources, authors' Rego and data. */

import { type Diagnostic, defineCodes, diagnosticsOf, type Span } from "@portcullis/rego/diagnostics";

export const pipelineCodes = defineCodes({
  "pipeline/reserved-package": {
    severity: "error",
    message: "`{path}` belongs to the decision library",
    explain:
      "Everything below `data.portcullis` but `data.portcullis.ext` is the decision library and its tables. A rule or a data file of " +
      "yours there could weaken a gate, so it is refused. Put your own rules into a package of your own, and your own gates " +
      "into `portcullis.ext.<decision>`, as `must` and `deny` rules.",
    opa: "rego_compile_error",
  },
  "pipeline/path-twice": {
    severity: "error",
    message: "`{path}` is the path of two Rego files of the bundle",
    explain:
      "A bundle holds each Rego file by its path from the folder that was named. Two folders that are built together may have one path " +
      "twice, and a file of yours may have the path of one of the decision library, `portcullis/tool.rego`. Readers would take one of the two, " +
      "so that hosts refuse such a bundle.",
  },
  "pipeline/handoff-sample": {
    severity: "error",
    message: "{problem}",
    explain:
      "A record in handoff-samples/positive must be accepted, and one in handoff-samples/negative refused for the reason that its file is " +
      "named after, REASON.json or REASON-more-words.json. This one is not: either the contract or the sample says something else than was meant. " +
      "Artifacts are looked for in handoff-samples/root.",
  },
  "pipeline/unknown-gate": {
    severity: "error",
    message: "no {decision} decision has the gate `{gate}`",
    explain:
      "A decision test expects a gate that neither the decision library nor a `must` or `deny` rule of yours for this decision can name, so it can " +
      "never pass. generated/reference/decisions.md lists the gates of every decision.",
  },
  "pipeline/unknown-reason": {
    severity: "error",
    message: "no {decision} decision has the reason `{reason}`",
    explain:
      "A decision test expects a reason that neither the decision library nor a `deny` rule of yours for this decision can name, so it can " +
      "never pass. generated/reference/decisions.md lists the reasons of every decision.",
  },
  "pipeline/unknown-answer": {
    severity: "error",
    message: "no {decision} decision has a member `{key}`",
    explain:
      "What a decision test expects must be in the decision, member by member. This decision has no such member, so the test can never pass. " +
      "generated/reference/decisions.md lists what each decision answers with.",
  },
  "pipeline/unknown-waiver": {
    severity: "error",
    message: "no finding has the code `{code}`",
    explain:
      "A waiver names the code of a finding, as reports show it in brackets. One that names nothing hides nothing.",
  },
  "pipeline/waiver-of-error": {
    severity: "error",
    message: "`{code}` cannot be waived",
    explain:
      "Only warnings can be waived. An error says that the set can be read in two ways, that a part of it was not read, or that a rule " +
      "would never hold: hiding it may allow what was never meant to be allowed. Findings about waivers cannot be waived either.",
  },
  "pipeline/waiver-without-reason": {
    severity: "error",
    message: "a waiver without a reason",
    explain: "`reason` says to the next reader why the set lives with the finding. It is not blank.",
  },
  "pipeline/waiver-date": {
    severity: "error",
    message: "`{until}` is no day",
    explain: 'The last day of a waiver is a day of the calendar as `"YYYY-MM-DD"`.',
  },
  "pipeline/expired-waiver": {
    severity: "warning",
    message: "the waiver of `{code}` ended with {until}",
    explain:
      "The last day of the waiver has passed, by the date in UTC, and the finding is shown again. Repair what it says, or give the waiver a new day. " +
      "Through the API a day holds only where `today` is given.",
  },
  "pipeline/unused-waiver": {
    severity: "warning",
    message: "nothing is left to waive: no `{code}` at `{at}`",
    explain:
      "The waiver hides no finding, or only findings that another one hides. It would hide the next one unseen, so remove it.",
  },
  "pipeline/extension-not-deny": {
    severity: "error",
    message: "an extension has only `must` and `deny` rules, and `{path}` is neither",
    explain:
      "A package `portcullis.ext.<decision>` (lane, tool, subagent, lineage, handoff, exec, close, call) holds two partial sets: " +
      '`must contains "MY_GATE" if …` for what has to be true, and `deny contains {"gate": "MY_GATE", "reason": "my_reason"} if …` for what is ' +
      "recognised as bad. Rules that they need besides belong into a package of your own, which they import.",
  },
  "pipeline/must-name": {
    severity: "error",
    message: "the name of this requirement {problem}",
    explain:
      'A gate of yours is written `must contains "MY_GATE" if …`: its name is a text that is written out, of capital letters, digits and `_`, ' +
      "and begins with a letter. The compiler writes the names down, and each is asked for at every decision: a name that only an evaluation " +
      "tells would never be asked for.",
  },
  "pipeline/must-of-the-library": {
    severity: "error",
    message: "the decision {decision} has a gate `{gate}` of its own",
    explain:
      "The answer names the gate that denied, and who reads it (a service, a test, an audit log) would take this requirement for the library's. " +
      "Give your gate another name. generated/reference/decisions.md lists the gates of every decision.",
  },
  "pipeline/must-reason": {
    severity: "error",
    message: "the reason of `{gate}` {problem}",
    explain:
      "A requirement that is not met denies with one reason: `custom: { reason: my_reason }` in the METADATA of one of its rules, a text that is not " +
      "blank, or else `requirement_not_met`. All rules of one name are ways to meet the same gate, so two different reasons contradict each other.",
  },
  "pipeline/unknown-extension": {
    severity: "error",
    message: "no decision is named `{name}`",
    explain:
      "The package `portcullis.ext.<decision>` extends the decision of that name: lane, tool, subagent, lineage, handoff, exec, close " +
      "or call. Rules in a package of another name below `portcullis.ext` are never asked, so they would keep nothing out.",
  },
  "pipeline/unasked-deny": {
    severity: "warning",
    message: "no decision asks `{path}`",
    explain:
      "Decisions ask `must` and `deny` in packages below `portcullis.ext` alone; elsewhere they keep nothing out, unless another rule reads them. " +
      "Where a program asks the rule by its path, annotate it as an entrypoint, or waive the finding.",
  },
  "pipeline/deny-among-tests": {
    severity: "error",
    message: "this gate of {decision} is in a file of tests, and so in no bundle",
    explain:
      "Files named `*_test.rego` hold tests. `portcullis test` evaluates them with the policy, so that this rule would hold there, and " +
      "nowhere else: a bundle has no such file. Move the rule to a file of another name.",
  },
  "pipeline/unknown-input": {
    severity: "error",
    message: "`{path}`: no request to {decision} has such a member",
    explain:
      "The rule reads a member of the input that the decision's request does not define, so it is undefined in every request that is " +
      "typed, and a `deny` that needs it never fires. Most often the name is misspelt. Facts of your own belong into `scope` or `args`; " +
      "other members are described by an annotation of the package:\n\n" +
      "  # METADATA\n  # schemas:\n  #   - input: { type: object, properties: { tool: { type: string }, shift: { type: string } } }",
  },
  "pipeline/impossible-comparison": {
    severity: "error",
    message: "`{path}` is never {text}: there is no such {noun}",
    causedBy: [
      { code: "model/confusable-id", by: "names" },
      { code: "model/invalid-id", by: "names" },
    ],
    explain:
      "The rule compares an id of the request with a text that is not an id of this policy. The gates before it have refused every other id, " +
      "so the comparison never holds (or, with `!=`, always does), and the rule does not do what it says. Correct the text, or define the id.",
  },
  "pipeline/impossible-condition": {
    severity: "error",
    message: "`{condition}` holds for {none}",
    explain:
      "No request can meet the condition: a member is to have two values at once, no id of the policy has the part that is looked for, or " +
      "`lower` and `upper` take away the case that is compared with. A `deny` with such a condition never fires, and its negation always " +
      "holds. All conditions of a body must hold together; for one of several values write `in {…}`, or a second rule.",
  },
  "pipeline/certain-denial": {
    severity: "warning",
    message: "this denial has no condition that a request could fail: every {decision} decision is a denial",
    explain:
      "The rule denies every request that comes as far as your rules, and nothing is allowed any more. Most often its condition was " +
      "forgotten, or always holds: a member that every request has, a comparison of a value with itself. Where everything is to be " +
      "stopped for a time, let the rule read data, `if data.freeze.on`, or waive the finding.",
  },
  "pipeline/certain-requirement": {
    severity: "error",
    message: "every request meets `{gate}`: it keeps nothing out",
    explain:
      "A gate holds where the body of some rule of its name is true. Here one is true for every request, or two of which each lets all " +
      'requests but a few pass, and not the same few: `input.tool != "a"` in one rule, and `input.tool != "b"` in another. ' +
      'Conditions that must hold together stand in one rule; a gate for two tools lets `not input.tool in {"a", "b"}` pass.',
  },
  "pipeline/unproven-order": {
    severity: "error",
    message: "`{condition}` may compare values of two types: {path}",
    causedBy: [
      { by: "unread", stage: "sources", file: /(?:^|\/)tool_registry\.ya?ml$/ }, // Its arguments prove types.
      { code: "sources/misnamed-file", by: "any" },
    ],
    explain:
      "Rego puts all values in one order: `null`, `false` and `true` come before every number, texts, lists and objects after. An amount of " +
      "`null` is under every limit, and not over any, so that an order falls open by itself. In `must` and `deny` rules, and in what they " +
      "ask, both sides are known to be of one type: written out or in the bundle's data, the result of a builtin, a member that the " +
      "decision's gates have found to be of a type (`input.role`), an argument of the tool that the body names (`input.tool == …`), or " +
      "tested with `is_number` and the like in the same rule. Lists, objects and sets are compared element by element, so that the same " +
      "holds for those, and for what `max`, `min` and `sort` choose from.",
  },
  "pipeline/order-of-text": {
    severity: "error",
    message: "`{condition}` compares with the text {text}: every number comes before every text",
    explain:
      "Rego puts all values in one order, numbers before texts. No number is above a text, and every number is below it, whatever digits it has. " +
      "Write the number without quotes, and without `_`, `,` or blanks in it: YAML reads `1_000` as a text.",
  },
  "pipeline/in-no-collection": {
    severity: "error",
    message: "`{condition}` looks into a {kind}, which holds nothing",
    explain:
      "`in` looks for an element of a list or a set, or for a value of an object. Any other value holds nothing, so the condition never " +
      "holds, and its negation always does. In data, one element is a list too: `tools: [publish]`. Whether a text is a part of a text asks " +
      "`contains(text, part)`.",
  },
  "pipeline/negative-index": {
    severity: "error",
    message: "`{path}` is never defined: places of a list begin with 0",
    explain:
      "Rego has no places before the first one: `list[-1]` is undefined, not the last element. A condition with it never holds, and a `deny` " +
      "with it says nothing.",
  },
  "pipeline/key-in-list": {
    severity: "error",
    message: "`{path}` is never defined: `{list}` is a list, and its elements have places, not names",
    explain:
      "A list is asked by numbers, and a text finds nothing in it. For limits by role write an object, `limits: { BUYER: 500 }`; whether a " +
      "list has a text asks `text in list`.",
  },
  "pipeline/differing-types": {
    severity: "error",
    message: "`{condition}` never holds: a {had} is compared with a {wanted}",
    explain:
      "The schema of the decision's input says of which type the member is, and every other type was denied before. The comparison never holds " +
      "(or, with `!=`, always does). Numbers are written without quotes. `in` compares with the elements of a list or a set, and with the " +
      "values of a mapping: of `{ tools: [publish] }` with the list.",
  },
  "pipeline/approver-is-agent": {
    severity: "warning",
    message: "`{path}` is {text} for no call that needs an approval: it names an agent, and humans approve",
    explain:
      "A call that needs an approval is denied where the approval is given in the name of a role, an agent file or an agent type, before your " +
      "rules are asked. The condition never holds for such a call. Write who approves, or compare with the caller's role, `input.role`.",
  },
  "pipeline/misspelt-scope-key": {
    severity: "warning",
    message: "lanes and tools require no scope key `{key}`",
    explain:
      "A scope may hold any keys, and this one looks like one that lanes or tools require. A rule that reads a misspelt key finds nothing: a " +
      "`deny` is silent. Where another key is meant, waive the finding.",
  },
  "pipeline/silent-denial": {
    severity: "error",
    message: "`{condition}` says nothing where `{member}` is absent, and {effect}",
    explain:
      "`not f(x)`, `not x in …`, `x != y`, `count(x) < 2` and `x == []` have no value where `x` has none: such a condition is not true, and the " +
      "`deny` says nothing of the request. So does a rule whose answer reads an absent member, as its reason may, whatever its conditions " +
      "found. It is the same in the rules that a `deny` asks, in any package, and in those that a `must` asks by `not bad`: the requirement " +
      "is met then. No author means that, so it does not compile. Say with `must` what has to be true: whatever is absent falls shut then. " +
      "Where a request without the member is to pass, ask for the member beside it, `is_string(x)`.",
  },
  "policy/deny-silent": {
    severity: "warning",
    message: "`{condition}` says nothing where `{member}` is {value}, and so does the denial",
    explain:
      "A builtin or an operator has no result for some values: a number that is a text, a time that cannot be read. A table has no row, or a function no value, for some " +
      "id: `not limits[input.role] >= 2` looks the row up before it negates. The condition is not true " +
      "then, and the `deny` says nothing of the request. Say with `must` what has to be true: whatever cannot be computed falls shut then. " +
      "Where such values are to pass, test the type in the same rule, `is_number(x)`.",
  },
  "policy/silence-unknown": {
    severity: "warning",
    message: "not all rules that this `{rule}` asks were looked at for conditions that say nothing",
    explain:
      "A condition without a value in a rule that a `deny` or a `must` asks makes it silent. A check looks at a hundred rules for each of them, " +
      "and at one rule for eight places at most. Let it ask fewer rules, or ask for every member that a condition reads: `is_string(x)`.",
  },
  "pipeline/unheard-member": {
    severity: "warning",
    message: "no answer shows `{key}` of this denial",
    explain:
      "Of a denial the decision answers with `gate` and `reason`, and with nothing else: other members are lost. Say it in the reason, or leave " +
      "it out.",
  },
  "pipeline/contradictory-test": {
    severity: "warning",
    message: "the test expects `allowed: {allowed}` and the gate `{gate}`: no decision says both",
    explain:
      "Every allow has the gate `ALLOW`, and no denial has it. A test that expects otherwise can never pass. Write the gate that denies, or " +
      "leave out one of the two.",
  },
  "pipeline/misspelt-input": {
    severity: "warning",
    message: "no request to {decision} has a member `{key}`",
    explain:
      "A decision test asks with a member that no request has, and that looks like one. The decision does not read it, so that the test may " +
      "expect a denial and get it for another reason. Where that is meant, waive the finding.",
  },
  "pipeline/unknown-test-id": {
    severity: "warning",
    message: "`{path}` is {text}: there is no such {noun}",
    explain:
      "A decision test asks with an id that this policy does not hold, and expects a denial of whatever gate. It gets one for the id, and says " +
      "nothing about the gate that was meant. Correct the id; or, where the test is about an unknown id, expect the gate or the " +
      "reason too.",
  },
  "pipeline/undefined-data": {
    severity: "error",
    message: "`{path}` is not defined",
    causedBy: [{ code: "lower/data-not-object", by: "any" }],
    explain:
      "A gate of yours reads a document that is neither a rule nor data of this policy set. It is undefined, so a `deny` that needs it never " +
      "fires. Correct the name, add the data, or, where the host supplies it with `setData`, promise it in portcullis.yaml: " +
      "`rego: { host_data: [shifts] }`.",
  },
  "pipeline/denial-without-gate": {
    severity: "error",
    message: "this denial {problem}",
    explain:
      'A `deny` rule answers with an object `{"gate": "MY_GATE", "reason": "my_reason"}`, both of them text that is not blank; the gate is not ' +
      "`ALLOW`. Any other answer denies with gate `EXTENSION`, which does not say what was wrong.",
  },
  "pipeline/gate-of-the-library": {
    severity: "warning",
    message: "the decision {decision} has a gate `{gate}` of its own",
    explain:
      "The answer names the gate that denied, and who reads it (a service, a test, an audit log) takes this denial for the library's. Give " +
      "your gate another name. generated/reference/decisions.md lists the gates of every decision.",
  },
  "pipeline/unnamed-agent-type": {
    severity: "warning",
    message: "no manifest defines the agent type {text}: `{path}` is that only where one agent stands alone",
    explain:
      "Every agent of a chain of two or more has a manifest, or the lineage decision denies before it asks your rules. Only a chain of a single " +
      "agent may hold a type without one. Correct the name, write the manifest, or waive the finding where the rule is about such an agent.",
  },
});

export const pipelineDiagnostic = diagnosticsOf(pipelineCodes);

/** A rule of an extension that is neither a requirement nor a denial. */
export function notDeny(path: string, at: Span): Diagnostic {
  const help = path.endsWith(".must")
    ? 'write `must contains "…" if …` in `portcullis.ext.<decision>`'
    : 'write `deny contains {"gate": "…", "reason": "…"} if …` in `portcullis.ext.<decision>`';
  return pipelineDiagnostic("pipeline/extension-not-deny", { path }, at, { help });
}
