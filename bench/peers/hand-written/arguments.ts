import type { CallRequest } from "@portcullis/runtime";
import type { ArgumentTable } from "../../bundles.ts";
import type { Answer } from "./constant.ts";

type Members = NonNullable<ArgumentTable[string]["alone"]>;

const MEMBERS = ["one_of", "max_length", "min", "max", "paths"];
const TYPES = ["string", "integer", "number", "boolean"];

/**
 * What is wrong with a call's arguments, by the members that the generated policies have: numbers, files, lists of values, lengths. Names
 * of their files have no letter to fold. `undefined` for a tool that says more.
 */
export function argumentsOf(declared: ArgumentTable): ((request: CallRequest) => Answer | undefined) | undefined {
  const own = Object.entries(declared);
  const isKnown = own.every(
    ([, { type, required: _, alone, ...more }]) =>
      TYPES.includes(type) &&
      Object.keys(more).length === 0 &&
      Object.keys(alone ?? {}).every((member) => MEMBERS.includes(member)),
  );
  if (!isKnown) return undefined;
  const names = new Map(own);
  const required = own.filter(([, rule]) => rule.required).map(([name]) => name);
  return ({ role, args, facts }) => {
    const given = (args ?? {}) as { readonly [name: string]: unknown };
    if (typeof given !== "object" || Array.isArray(given)) return wrong("arguments_malformed");
    const there = Object.keys(given);
    for (const argument of [...new Set([...there, ...required])].sort()) {
      const rule = names.get(argument);
      if (rule === undefined) return wrong("argument_unknown", { argument });
      const value = given[argument] ?? undefined;
      if (value === undefined) {
        if (rule.required) return wrong("argument_missing", { argument });
        continue;
      }
      if (!isOfType(rule.type, value)) return wrong("argument_type", { argument });
      const place = (facts?.paths as { readonly [name: string]: unknown } | undefined)?.[argument];
      const refused = rule.alone && refusedBy(rule.alone, value, place, role);
      if (refused === "resolved") return wrong("path_unresolved", { argument });
      if (refused !== undefined) return wrong("argument_not_allowed", { argument, rule: refused });
    }
    return undefined;
  };
}

function wrong(reason: string, more: object = {}): Answer {
  return { allowed: false, gate: "ARGUMENTS", reason, ...more } as Answer;
}

function isOfType(type: string, value: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function refusedBy(members: Members, value: unknown, place: unknown, role: string): string | undefined {
  const { one_of, max_length, min, max, paths } = members;
  if (one_of !== undefined && !one_of.includes(value)) return "one_of";
  if (max_length !== undefined && [...(value as string)].length > max_length) return "max_length";
  if (min !== undefined && !((value as number) >= limitOf(min, role))) return "min";
  if (max !== undefined && !((value as number) <= limitOf(max, role))) return "max";
  if (paths === undefined) return undefined;
  if (typeof place !== "string" || !isCanonical(place)) return "resolved";
  const at = `${place}/`;
  const isInside = paths.below.some((folder) => at.startsWith(folder));
  const folded = at.toLowerCase();
  return isInside && paths.except?.some((folder) => folded.startsWith(folder)) !== true ? undefined : "paths";
}

function limitOf({ roles, default: others }: NonNullable<Members["min"]>, role: string): number {
  return (Object.hasOwn(roles, role) ? roles[role] : others) ?? Number.NaN;
}

function isCanonical(place: string): boolean {
  if (/[\\:\u0000-\u001f\u007f-\u009f]|~[0-9]/.test(place)) return false;
  return place.split("/").every((part) => part !== "" && !part.endsWith(".") && !part.endsWith(" "));
}
