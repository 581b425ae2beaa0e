/** What an installed OPA makes of many programs at once: one process for all, since starting it costs more than they do. */

import type { Generated } from "../rego/plan/generate/index.ts";
import { ungrouped } from "../rego/plan/generate/repeated.ts";
import { type Answer, askOpa, type OpaError } from "../rego/plan/opa.ts";

/** OPA's code for two values of one document. */
export const CONFLICT = "eval_conflict_error";

export type Opinion =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "undefined" }
  | { readonly kind: "error"; readonly code: string; readonly message: string };

/** OPA's opinion of each program's document, by package. */
export function askTogether(programs: readonly Generated[], flags: readonly string[] = []): Map<string, Opinion> {
  if (programs.length === 0) return new Map();
  const answer = ask(programs, flags);
  if ("errors" in answer) return askWithout(programs, answer.errors);
  const found = (answer.json ?? []) as readonly (readonly unknown[])[];
  return new Map(
    programs.map(({ package: name }, i) => {
      const [value] = found[i] ?? [];
      return [name, value === undefined ? { kind: "undefined" } : { kind: "value", value }];
    }),
  );
}

/**
 * Whether OPA meets a contradiction where none of its indices passes over one: its rule index, early exits, and the index of
 * comprehensions, which lets a later value of a key take the place of an earlier one.
 */
export function meetsConflict(program: Generated): boolean {
  const opinion = askUngrouped(program, ["--disable-indexing", "--disable-early-exit"]);
  return opinion.kind === "error" && opinion.code === CONFLICT;
}

/** OPA's opinion without its index of comprehensions, which computes the groups of all rows. No flag turns it off. */
export function askUngrouped({ modules, ...rest }: Generated, flags: readonly string[] = []): Opinion {
  const program = { ...rest, modules: modules.map(ungrouped) };
  return askTogether([program], flags).get(program.package) ?? { kind: "undefined" };
}

/**
 * Asks again without the programs that errors name, and each of these alone: in which order OPA checks rules, and whether it finds a type
 * error in a reference with a list as key, depends on what else it was given. When errors name none, half of the programs at a time.
 */
function askWithout(programs: readonly Generated[], errors: readonly OpaError[]): Map<string, Opinion> {
  const [only] = programs;
  const [error] = errors;
  if (only !== undefined && programs.length === 1)
    return new Map([
      [only.package, { kind: "error", code: error?.code ?? "no-code", message: error?.message ?? "no message" }],
    ]);
  const owners = programs.flatMap((program) => program.modules.map(() => program.package));
  const named = new Set(errors.map(({ module }) => owners[module ?? -1]));
  const [refused, others] = [
    programs.filter((p) => named.has(p.package)),
    programs.filter((p) => !named.has(p.package)),
  ];
  if (refused.length > 0 && others.length > 0)
    return new Map([...refused.flatMap((p) => [...askTogether([p])]), ...askTogether(others)]);
  const half = programs.length >> 1;
  return new Map([...askTogether(programs.slice(0, half)), ...askTogether(programs.slice(half))]);
}

/** Each in a comprehension, so that one without a value leaves the others theirs. */
function ask(programs: readonly Generated[], flags: readonly string[]): Answer {
  const query = programs.map(
    ({ package: name, input, data }) =>
      `[r | r := data.${name} with input as ${JSON.stringify(input)} with data.base as ${JSON.stringify(data["base"])}]`,
  );
  const shared = Object.assign({}, ...programs.map((p) => p.data)) as Record<string, unknown>;
  return askOpa(`[${query.join(", ")}]`, { modules: programs.flatMap((p) => p.modules), data: shared }, flags);
}
