/**
 * Builtins that the host supplies, asked one by one: a module of its own has a rule for each, and is loaded as the policy was. So the
 * planned rules of a policy that needs them are evaluated like those of any other.
 */

import { SourceFile } from "@portcullis/rego/diagnostics";
import type { BuiltinCall } from "@portcullis/rego/optimize";
import { builtin } from "@portcullis/rego/syntax";
import { jsonOf, type Value, valueOfJson } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import type { OpenedPolicy } from "../opened-policy.ts";

/** These reach outside, which is not for an explanation to repeat: it asks thousands of questions. */
const OUTSIDE = /^(?:http|net)\./;

/** Calls the named builtins; "unknown" for others, and for arguments that JSON cannot say. */
export async function hostBuiltins(opened: OpenedPolicy, names: readonly string[]): Promise<BuiltinCall> {
  const called = names.filter((name) => builtin(name) !== undefined && !OUTSIDE.test(name));
  const policy = called.length === 0 ? undefined : await callingPolicy(opened, called);
  if (policy === undefined) return () => "unknown";
  return (name, args) => {
    const at = called.indexOf(name);
    if (at < 0 || args.some(holdsSet)) return "unknown";
    const found = policy.evaluate(`calls/c${at}`, { args: args.map(jsonOf) }) as { value?: unknown }[] | undefined;
    if (policy.lastFault !== undefined || found === undefined) return "unknown";
    const [first] = found;
    return first === undefined ? undefined : valueOfJson(first.value);
  };
}

/** `undefined` where the host does not supply them all. */
async function callingPolicy({ load }: OpenedPolicy, names: readonly string[]): Promise<Policy | undefined> {
  const { compileModules } = await import("@portcullis/rego/pipeline");
  const rules = names.map((name, at) => {
    const args = (builtin(name)?.parameters ?? []).map((_, i) => `input.args[${i}]`);
    return `c${at} := [{"value": value} | value := ${name}(${args.join(", ")})]\n`;
  });
  const { compiled } = await compileModules({
    modules: [new SourceFile("calls.rego", `package calls\n\n${rules.join("\n")}`)],
    ensure: names.map((_, at) => `calls/c${at}`),
    allowBuiltins: names,
  });
  try {
    return compiled && (await load(compiled.wasm, {}));
  } catch {
    return undefined;
  }
}

function holdsSet(value: Value): boolean {
  if (value.kind === "set") return true;
  if (value.kind === "array") return value.items.some(holdsSet);
  return value.kind === "object" && value.entries.some(([key, member]) => key.kind !== "string" || holdsSet(member));
}
