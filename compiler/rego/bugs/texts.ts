/** Formats that other arguments are given to than they ask for, and patterns that match nothing. */

import { callsOf, originsOf } from "../analyze/index.ts";
import type { Diagnostic } from "../diagnostics/index.ts";
import type { Call, Term } from "../syntax/index.ts";
import { patternMatches } from "../wasm/index.ts";
import { bugDiagnostic } from "./codes.ts";
import type { Looked } from "./found.ts";

/** The place of the pattern among the arguments. */
const PATTERNS: { readonly [name: string]: number } = {
  "regex.match": 0,
  "regex.find_n": 0,
  "regex.split": 0,
  "regex.find_all_string_submatch_n": 0,
  "regex.replace": 1,
};

/** Flags, width, precision and letter of one verb. A `*` takes an argument of its own. */
const VERB = /%(?<form>[-+# 0]*(?:\*|\d+)?(?:\.(?:\*|\d*))?)(?<letter>[\s\S]|$)/gu;
/** The letters that a number or a text has; a boolean, a list or an object comes as a text. */
const LETTERS = "vTsqxXdboOcUeEfFgG";

const PERCENT = "a percent sign is written `%%`";

interface Verb {
  readonly form: string;
  readonly letter: string;
}

export function checkTexts({ modules }: Looked): Diagnostic[] {
  return modules
    .flatMap(({ rules }) => rules)
    .flatMap(({ rule }) => {
      const calls = callsOf(rule);
      const origins = originsOf(rule);
      return calls.flatMap((call) => [...checkFormat(call, origins), ...checkPattern(call)]);
    });
}

function checkPattern({ operator, args }: Call): Diagnostic[] {
  const name = operator.kind === "Var" ? operator.name : "";
  const pattern = Object.hasOwn(PATTERNS, name) ? args[PATTERNS[name] as number] : undefined;
  if (pattern?.kind !== "String" || patternMatches(pattern.value, "") !== "no pattern") return [];
  return [bugDiagnostic("bugs/invalid-regexp", { pattern: JSON.stringify(pattern.value) }, pattern.span)];
}

function checkFormat({ operator, args }: Call, origins: ReadonlyMap<string, Term>): Diagnostic[] {
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
    return [bugDiagnostic("bugs/sprintf-unknown-verb", { verb }, format.span, { help })];
  }
  const wanted = verbs.filter((verb) => !isPercent(verb)).reduce((sum, { form }) => sum + form.split("*").length, 0);
  const had = given.items.length;
  if (wanted === had) return [];
  // `100% of`: a blank is a flag of a verb, and seldom meant.
  const help = verbs.some(({ form }) => form.startsWith(" ")) ? { help: PERCENT } : {};
  return [
    bugDiagnostic("bugs/sprintf-arguments-mismatch", { wanted: counted(wanted), had: counted(had) }, format.span, help),
  ];
}

function counted(n: number): string {
  return n === 1 ? "1 argument" : `${n === 0 ? "no" : n} arguments`;
}
