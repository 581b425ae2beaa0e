/** The compiler's functions refuse an option that is misspelt, or of another type: `{ strickt: true }` would hold nothing. */

import { readFileSync } from "node:fs";
import {
  check,
  closeFacts,
  compile,
  compileModules,
  compileTests,
  diffPolicies,
  execFacts,
  explain,
  type Host,
  openBundle,
  prove,
  runTests,
  SourceFile,
  sessionSecret,
  signContract,
  signFiles,
  signingKey,
  signScript,
  verificationKey,
  verifyFiles,
} from "@portcullis/compiler";
import * as rego from "@portcullis/rego";
import { describe, expect, it } from "vitest";

const host: Host = { listFiles: () => [], readFile: () => new Uint8Array() };
const set = { host, dirs: ["p"] };
const modules = { "a.rego": "package a\n\np := 1\n" };
const opened = await openBundle("a", readFileSync(new URL("../../generated/bundle.tar.gz", import.meta.url)));
if (!opened.ok) throw new Error(opened.problem.message);
const policy = opened.value;
const secret = sessionSecret({ PORTCULLIS_SESSION_SECRET: "ab".repeat(32) });
const bytes = new TextEncoder().encode("s".repeat(32));
const contract = {} as never;
const tests = { wasm: undefined, decisions: [], rules: [], samples: [], covering: undefined };
const key = signingKey("k", bytes, "HS256");
if (!key.ok || secret === undefined) throw new Error("a key and a secret");

/** Options with which nothing is wrong, and what takes them. */
const takers: readonly (readonly [name: string, right: object, take: (options: never) => unknown])[] = [
  ["compile", set, (options) => compile(options)],
  ["check", set, (options) => check(options)],
  ["compileTests", set, (options) => compileTests(options)],
  ["runTests", {}, (options) => runTests(tests, options)],
  ["diffPolicies", { limit: 0 }, (options) => diffPolicies(policy, policy, options)],
  ["prove", { limit: 0 }, (options) => prove(policy, options)],
  ["explain", { entrypoint: "no/such" }, (options) => explain(policy, options)],
  ["openBundle", {}, (options) => openBundle("a", policy.bundle, options)],
  ["compileModules", { modules: [new SourceFile("a.rego", "package a\n")] }, (options) => compileModules(options)],
  ["signFiles", { key: key.value }, (options) => signFiles([], options)],
  ["verifyFiles", { key: { algorithm: "HS256", key: bytes } }, (options) => verifyFiles(new Map(), options)],
  ["signingKey", {}, (options) => signingKey("k", bytes, "HS256", options)],
  ["verificationKey", {}, (options) => verificationKey("k", bytes, "HS256", options)],
  ["execFacts", { mode: "m", now: 0 }, (options) => execFacts(options)],
  ["closeFacts", {}, (options) => closeFacts(contract, "unsigned", options)],
  ["closeFacts, who signed", { secret }, (options) => closeFacts(contract, options)],
  ["signContract", { policy: policy.policy }, (options) => signContract("c", contract, secret, options)],
  ["signScript", { now: 0 }, (options) => signScript("/nowhere", contract, secret, options)],
  ["rego compile", { modules }, (options) => rego.compile(options)],
  ["rego check", { modules }, (options) => rego.check(options)],
  ["rego test", { modules }, (options) => rego.test(options)],
];

async function problem(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("options of the compiler", () => {
  it.each(takers)("%s takes what is right, and refuses what it does not know", async (_, right, take) => {
    expect(await problem(() => take(right as never))).toBeUndefined();
    const refused = await problem(() => take({ ...right, noSuchOption: 1 } as never));
    expect(refused).toBeInstanceOf(TypeError);
    expect((refused as Error).message).toContain("no option is called `noSuchOption`");
  });

  it.each<readonly [string, object, string]>([
    ["compile", { strickt: true }, "did you mean `strict`?"],
    ["compile", { strict: "true" }, "`strict` is of type boolean"],
    ["compile", { target: "wasn" }, "`target` is of type"],
    ["check", { allowbuiltins: [] }, "did you mean `allowBuiltins`?"],
    ["compileTests", { coverage: "all" }, "`coverage` is of type"],
    ["openBundle", { verifcation: {} }, "did you mean `verification`?"],
    ["prove", { limits: 3 }, "did you mean `limit`?"],
    ["prove", { limit: Number.NaN }, "`limit`"],
    ["signingKey", { allowWeek: true }, "did you mean `allowWeak`?"],
    ["verifyFiles", { allowWeak: "no" }, "`allowWeak` is of type boolean"],
    ["verifyFiles", { scop: "a" }, "did you mean `scope`?"],
    // A script that is not named would count as inline code.
    ["execFacts", { scriptpath: "/srv/q/c/run.py" }, "did you mean `scriptPath`?"],
    ["closeFacts", { isComitting: true }, "did you mean `isCommitting`?"],
    ["closeFacts, who signed", { payloads: "v1" }, "did you mean `payload`?"],
    ["signContract", { payload: "v3" }, "`payload` is of type"],
    ["rego compile", { entrypoint: ["a/p"] }, "did you mean `entrypoints`?"],
    ["rego check", { schema: {} }, "did you mean `schemas`?"],
    ["rego test", { onli: () => true }, "no option is called `onli`"],
  ])("%s refuses %j", async (name, wrong, message) => {
    const [, right, take] = takers.find(([one]) => one === name) ?? [];
    const refused = await problem(() => take?.({ ...right, ...wrong } as never));
    expect(refused).toBeInstanceOf(TypeError);
    expect((refused as Error).message).toContain(message);
  });
});
