/**
 * Ten thousand guarded rules decide in about the time of ten. Both are asked in turns in one process, with as many different
 * requests, which are drawn over all rules: what differs is what the module does, and not what the machine's caches hold.
 * The bound here is generous, since the machine may be busy; the statements that run are counted in test/plan.
 */

import { load, type Policy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { isWhole } from "../campaign.ts";

const MANY = isWhole ? 10_000 : 1_000;
const ROUNDS = 60;
/** Until the engine has compiled what is asked often, which takes it some 40,000 evaluations of a large module. */
const WARM_UP_ROUNDS = 200;
const REQUESTS = 200;
const MOST = 2.5;

/** Rule `i` of each kind. */
const KINDS: Readonly<Record<string, (i: number) => string>> = {
  equality: (i) => `p := ${i} if input.user == "user${i}"`,
  membership: (i) => `p := ${i} if input.user in {"user${i}", "other${i}"}`,
  "a local": (i) => `p if { u := input.user; u == "user${i}" }`,
  "a prefix": (i) => `p := ${i} if startswith(input.path, "/user${i}/")`,
  "a prefix of a local": (i) => `p := ${i} if { x := input.path; startswith(x, "/user${i}/") }`,
  "prefixes of many lengths": (i) => `p := ${i} if startswith(input.path, "/user${i}/${"x".repeat(i % 40)}")`,
  "a glob": (i) => `p := ${i} if glob.match("/user${i}/*", ["/"], input.path)`,
  "a partial set": (i) => `p contains "v${i}" if input.user == "user${i}"`,
  "a partial object": (i) => `p["v${i}"] := 1 if input.user == "user${i}"`,
  "a partial set by membership": (i) => `p contains "v${i}" if input.user in {"user${i}", "other${i}"}`,
  "a partial set by prefix": (i) => `p contains "v${i}" if startswith(input.path, "/user${i}/")`,
  "an argument": (i) => `${i === 0 ? "p := f(input.path)\n" : ""}f(x) := ${i} if startswith(x, "/user${i}/")`,
  "an argument that is equal": (i) => `${i === 0 ? "p := f(input.user)\n" : ""}f("user${i}") := ${i}`,
  "an else chain": (i) => `${i === 0 ? "p := 0" : `else := ${i}`} if input.user == "user${i}"`,
  "an else chain of prefixes": (i) => `${i === 0 ? "p := 0" : `else := ${i}`} if startswith(input.path, "/user${i}/")`,
};

async function policyOf(rule: (i: number) => string, count: number): Promise<Policy> {
  const text = `package t\n${Array.from({ length: count }, (_, i) => rule(i)).join("\n")}\n`;
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", text)], entrypoints: ["t/p"] });
  return load((compiled as NonNullable<typeof compiled>).wasm);
}

/** Nanoseconds of an evaluation; the requests are parsed anew. */
function timeOf(policy: Policy, count: number): number {
  const texts = Array.from({ length: REQUESTS }, (_, k) => {
    const i = ((k % 10) * 997 + 3) % count;
    return JSON.stringify({ user: `user${i}`, path: `/user${i}/a` });
  });
  const inputs = texts.map((text) => JSON.parse(text) as unknown);
  const start = process.hrtime.bigint();
  for (const input of inputs) policy.evaluate("t/p", input);
  return Number(process.hrtime.bigint() - start) / REQUESTS;
}

describe(`${MANY} guarded rules`, () => {
  it.each(Object.entries(KINDS))("decide in about the time of ten: %s", async (kind, rule) => {
    // Chains nest: some hundreds are as many as a plan may hold.
    const many = kind.startsWith("an else chain") ? 300 : MANY;
    const [few, all] = await Promise.all([policyOf(rule, 10), policyOf(rule, many)]);
    expect(all.evaluate("t/p", { user: `user${many - 1}`, path: `/user${many - 1}/${"x".repeat(39)}` })).toBeDefined();
    const ratios = Array.from({ length: WARM_UP_ROUNDS + ROUNDS }, () => {
      const least = timeOf(few, 10);
      return timeOf(all, many) / least;
    }).slice(WARM_UP_ROUNDS);
    ratios.sort((a, b) => a - b);
    const median = ratios[ROUNDS / 2] as number;
    console.info(`${many} rules against 10, ${kind}: ×${median.toFixed(2)}`);
    expect(median).toBeLessThan(MOST);
  });
});
