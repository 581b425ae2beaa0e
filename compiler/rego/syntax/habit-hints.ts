/** What to write instead, where a piece of Rego is written as other languages have it. */

import type { Diagnostic, Span } from "../diagnostics/index.ts";

const CONDITIONS = "write each condition on a line of its own: all of them must hold";
const ALTERNATIVES =
  "write a second rule with the other condition: one of the rules must hold; of values, `x in {1, 2}`";
const withV2 = (help: string, word: string): string => `${help}; \`import rego.v2\` makes \`${word}\` an operator`;
const CHOICE = "write two rules, or one with `else`: each has its value, and a condition after `if`";

/** The text up to the place, on its line, and the text from there: the first habit that both show. */
const HABITS: readonly { readonly before?: RegExp; readonly at: RegExp; readonly help: string }[] = [
  { before: /&$/, at: /^&/, help: CONDITIONS },
  { at: /^and\b/, help: withV2(CONDITIONS, "and") },
  { before: /\|$/, at: /^\|/, help: ALTERNATIVES },
  { at: /^or\b/, help: withV2(ALTERNATIVES, "or") },
  { before: /[^=!]==$/, at: /^=/, help: "write `==`" },
  { before: /!=$/, at: /^=/, help: "write `!=`" },
  { before: /=$/, at: /^>/, help: "write `>=`" },
  { at: /^!/, help: "write `not` before the condition" },
  { at: /^\?/, help: CHOICE },
  { at: /^is\b/, help: "write `==`" },
  { at: /^not\s+in\b/, help: "write `not` before the whole condition: `not x in xs`" },
  { before: /\/$/, at: /^\//, help: "a comment begins with `#`" },
  { at: /^\/[/*]/, help: "a comment begins with `#`" },
  { before: /\breturn\s+$/, at: /./, help: "a rule's value stands in its head: `name := value if { … }`" },
  { before: /\bfor\s+$/, at: /^\w+\s+in\b/, help: "write `some x in xs`" },
  { before: /^\s*$/, at: /^if\b/, help: "in a body conditions stand alone; `if` stands before the body" },
  { at: /^'/, help: 'a text stands in double quotes: `"text"`' },
];

/** What to write instead of a habit from another language; `undefined` if the text is not a known habit. */
export function habitHint({ file, start }: Span): string | undefined {
  const { text } = file;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const end = text.indexOf("\n", start);
  const [before, at] = [text.slice(from, start), text.slice(start, end < 0 ? undefined : end)];
  return HABITS.find((habit) => habit.at.test(at) && (habit.before?.test(before) ?? true))?.help;
}

/** The finding, with a hint where it has no help. */
export function withHabitHint(found: Diagnostic): Diagnostic {
  const help = found.help === undefined && found.span !== undefined ? habitHint(found.span) : undefined;
  return help === undefined ? found : { ...found, help };
}
