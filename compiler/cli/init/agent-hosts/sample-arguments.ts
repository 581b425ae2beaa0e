/** Arguments that a tool's declaration seems to allow: only an example to try, since the policy is asked about it. */

import { isJsonObject } from "@portcullis/rego/value";

const PLAIN: Readonly<Record<string, unknown>> = {
  ...{ string: "a", integer: 1, number: 1, boolean: true, list: [], object: {}, any: "a" },
};

/** `declared`: `tools[…].arguments` of a policy's data. Those that may be absent are. */
export function sampleArguments(declared: unknown, role: string, root: string | undefined): Record<string, unknown> {
  if (!isJsonObject(declared)) return {};
  const required = Object.entries(declared).filter(([, rule]) => at(rule, "required") === true);
  return Object.fromEntries(required.map(([name, rule]) => [name, sampleOf(rule, role, root)]));
}

function sampleOf(rule: unknown, role: string, root: string | undefined): unknown {
  const members = at(rule, "alone");
  const command = firstOf(Object.values(objectOf(at(members, "commands"))).flat());
  if (command !== undefined) return commandOf(at(command, "words"));
  const host = Object.keys(objectOf(at(members, "hosts", "literal")))[0];
  if (host !== undefined) {
    const scheme = Object.keys(objectOf(at(members, "schemes")))[0];
    const port = Object.keys(objectOf(at(members, "hosts", "literal", host)))[0];
    return `${scheme}://${host}${port ? `:${port}` : ""}/`;
  }
  const place = firstOf(at(members, "paths", "below"));
  if (typeof place === "string") {
    const path = place.replace(/\/$/, "");
    return at(members, "paths", "resolve") === "host" ? `${root ?? ""}/${path}` : path || "a";
  }
  const bound = limitOf(at(members, "min"), role) ?? limitOf(at(members, "max"), role);
  return firstOf(at(members, "one_of")) ?? bound ?? PLAIN[String(at(rule, "type"))];
}

/** A word of the policy's choice is taken as it is, any other is the shortest there is. */
function commandOf(words: unknown): string {
  const list: readonly unknown[] = Array.isArray(words) ? words : [];
  return list.map((word) => (typeof word === "string" ? word : at(word, "any") === "option" ? "-a" : "a")).join(" ");
}

function limitOf(limit: unknown, role: string): unknown {
  return at(limit, "roles", role) ?? at(limit, "default");
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? (list[0] as unknown) : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isJsonObject(found) ? found[name] : undefined), value);
}
