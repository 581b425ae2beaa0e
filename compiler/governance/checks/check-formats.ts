/** `sprintf` with other arguments than its format asks for: the text would hold `%!s(MISSING)` or `%!(EXTRA …)`. */

import type { CheckedPolicy } from "@portcullis/rego/analyze";
import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { Call, Rule, Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "./codes.ts";
import { callsOf, originsOf } from "./inputs/flow.ts";

/** Flags, width, precision and letter of one verb. A `*` takes an argument of its own. */
const VERB = /%(?<form>[-+# 0]*(?:\*|\d+)?(?:\.(?:\*|\d*))?)(?<letter>[\s\S]|$)/gu;
/** The letters that a number or a text has; a boolean, a list or an object comes as a text. */
const LETTERS = "vTsqxXdboOcUeEfFgG";

const PERCENT = "a percent sign is written `%%`";

interface Verb {
  readonly form: string;
  readonly letter: string;
}

export function checkFormats(policy: CheckedPolicy, isAuthored: (rule: Rule) => boolean): Diagnostic[] {
  return policy.groups.flatMap(({ definitions, defaultRule }) => {
    const rules = [...definitions.map((d) => d.rule), ...(defaultRule === undefined ? [] : [defaultRule])];
    return rules.filter(isAuthored).flatMap((rule) => {
      const origins = originsOf(rule);
      return callsOf(rule).flatMap((call) => checkCall(call, origins));
    });
  });
}

function checkCall({ operator, args }: Call, origins: ReadonlyMap<string, Term>): Diagnostic[] {
  if (operator.kind !== "Var" || operator.name !== "sprintf") return [];
  const [format, given] = args.map((arg) => (arg.kind === "Var" ? origins.get(arg.name) : undefined) ?? arg);
  if (format?.kind !== "String" || given?.kind !== "Array") return [];
  // `%[1]d` names its argument: which of the others are read is for its author to know.
  if (format.value.includes("%[")) return [];
  const verbs = [...format.value.matchAll(VERB)].map(({ groups }) => groups as unknown as Verb);
  const isPercent = ({ form, letter }: Verb): boolean => form === "" && letter === "%";
  const unknown = verbs.find((verb) => !isPercent(verb) && (verb.letter === "" || !LETTERS.includes(verb.letter)));
  if (unknown !== undefined) {
    const verb = `%${unknown.form}${unknown.letter}`;
    const help =
      unknown.letter === "" || unknown.form.startsWith(" ")
        ? PERCENT
        : "`%v` prints any value, `%s` a text, `%d` a whole number";
    return [pipelineDiagnostic("pipeline/unknown-verb", { verb }, format.span, { help })];
  }
  const wanted = verbs.filter((verb) => !isPercent(verb)).reduce((sum, { form }) => sum + form.split("*").length, 0);
  const had = given.items.length;
  if (wanted === had) return [];
  // `100% of`: a blank is a flag of a verb, and seldom meant.
  const help = verbs.some(({ form }) => form.startsWith(" ")) ? { help: PERCENT } : {};
  return [
    pipelineDiagnostic("pipeline/format-arguments", { wanted: counted(wanted), had: counted(had) }, format.span, help),
  ];
}

function counted(n: number): string {
  return n === 1 ? "1 argument" : `${n === 0 ? "no" : n} arguments`;
}
