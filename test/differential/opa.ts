/** What an installed OPA makes of many programs at once: one process for all, since starting it costs more than they do. */

import type { Generated } from "../plan/generate/index.ts";
import { type Answer, askOpa } from "../plan/opa.ts";

export type Opinion =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "undefined" }
  | { readonly kind: "error"; readonly message: string };

/** OPA's opinion of each program's document, by package. */
export function askTogether(programs: readonly Generated[]): Map<string, Opinion> {
  const answer = programs.length === 0 ? { value: undefined } : ask(programs);
  if ("errors" in answer) {
    const [only, ...others] = programs;
    const message = answer.errors.map((e) => `${e.code}: ${e.message}`).join("; ");
    if (others.length === 0) return new Map([[(only as Generated).package, { kind: "error", message }]]);
    const half = programs.length >> 1;
    return new Map([...askTogether(programs.slice(0, half)), ...askTogether(programs.slice(half))]);
  }
  const found = (answer.json ?? []) as readonly (readonly unknown[])[];
  return new Map(
    programs.map(({ package: name }, i) => {
      const [value] = found[i] ?? [];
      return [name, value === undefined ? { kind: "undefined" } : { kind: "value", value }];
    }),
  );
}

/** Each in a comprehension, so that one without a value leaves the others theirs. */
function ask(programs: readonly Generated[]): Answer {
  const query = programs.map(
    ({ package: name, input, data }) =>
      `[r | r := data.${name} with input as ${JSON.stringify(input)} with data.base as ${JSON.stringify(data["base"])}]`,
  );
  const shared = Object.assign({}, ...programs.map((p) => p.data)) as Record<string, unknown>;
  return askOpa(`[${query.join(", ")}]`, { modules: programs.flatMap((p) => p.modules), data: shared });
}
