/** A policy of functions, as a server asks it. */
import type { Policy } from "@portcullis/runtime";

export type Answers = Readonly<Record<string, (input: unknown) => unknown>>;

interface Odd {
  readonly fault?: { readonly code: string } | undefined;
  readonly limits?: object;
  readonly approvals?: object;
}

/** By entrypoint, what it answers to an input. Notes what it was asked, and the text of that. */
export function answering(
  answers: Answers,
  { fault, limits, approvals }: Odd = {},
): Policy & { readonly asked: { readonly entrypoint: string; readonly input: unknown; readonly text: string }[] } {
  const asked: { readonly entrypoint: string; readonly input: unknown; readonly text: string }[] = [];
  const policy = {
    asked,
    entrypoints: Object.keys(answers),
    roots: ["portcullis"],
    revision: "r",
    lastFault: fault,
    ...{ limits, approvals },
    evaluateJson(entrypoint: string, text: string): unknown {
      const input = JSON.parse(text) as unknown;
      asked.push({ entrypoint, input, text });
      return answers[entrypoint]?.(input);
    },
  };
  return policy as unknown as Policy & { readonly asked: typeof asked };
}
