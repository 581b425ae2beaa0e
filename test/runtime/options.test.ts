/** An option that is misspelt, or of another type, is refused before anything is done: whatever it was to guard would stand open. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  auditLedger,
  decisionLog,
  describeBundle,
  guardTool,
  guardTools,
  guardTurn,
  httpSink,
  httpSource,
  load,
  type Policy,
  ReloadablePolicy,
  readBundle,
  runHarness,
  streamSink,
  verifyLedger,
} from "@portcullis/runtime";
import { fileSource, fileStore, loadFile } from "@portcullis/runtime/node";
import { expect, it } from "vitest";
import { holdOptions } from "../../runtime/options.ts";

const path = fileURLToPath(new URL("../../generated/bundle.tar.gz", import.meta.url));
const bundle = readFileSync(path);
const policy: Policy = await load(bundle);
const policies = await ReloadablePolicy.load(bundle);
const sink = streamSink({ write: (_: unknown, done: () => void) => done() } as never);
const source = { name: "none", fetch: () => Promise.reject(new Error("never asked")), pause: () => Promise.resolve() };
const turn = { persona: "NEWS_DESK", env: {} };
const verification = { keys: { k: { algorithm: "HS256", key: "x".repeat(32) } } };

/** Each set of options, and what takes it. `never` stands for what the types forbid. */
const takers: readonly (readonly [string, (options: never) => unknown])[] = [
  ["load", (options) => load(bundle, options)],
  ["loadFile", (options) => loadFile("/nowhere", options)],
  ["describeBundle", (options) => describeBundle(bundle, options)],
  ["readBundle", (options) => readBundle(bundle, options)],
  ["ReloadablePolicy.load", (options) => ReloadablePolicy.load(bundle, options)],
  ["ReloadablePolicy.follow", (options) => ReloadablePolicy.follow(source, options)],
  ["reload", (options) => policies.reload(bundle, options)],
  ["guardTool", (options) => guardTool(policy, {} as never, "t", () => 1, options)],
  ["guardTools", (options) => guardTools(policy, {} as never, { t: () => 1 } as never, options)],
  ["guardTurn", (options) => guardTurn(policy, turn, options)],
  ["runHarness", (options) => runHarness(policy, "{}", options)],
  ["httpSink", (options) => httpSink("http://localhost", options)],
  ["httpSource", (options) => httpSource("http://localhost", options)],
  ["fileSource", (options) => fileSource(path, options)],
  ["fileStore", (options) => fileStore(path, options)],
  ["decisionLog", (options) => decisionLog(options)],
  ["auditLedger", (options) => auditLedger(sink, options)],
  ["verifyLedger", (options) => verifyLedger([], options)],
];

async function problem(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function refusal(name: string, options: unknown): Promise<string> {
  const take = new Map(takers).get(name);
  if (take === undefined) throw new Error(`nothing is called ${name}`);
  const error = await problem(() => take(options as never));
  expect(error).toBeInstanceOf(TypeError);
  return (error as Error).message;
}

it.each(takers.map(([name]) => name))(
  "%s refuses options that it does not know, and a value that is not options",
  async (name) => {
    expect(await refusal(name, { noSuchOption: 1 })).toContain("no option is called `noSuchOption`");
    for (const none of [null, [], "options", 1, () => 1])
      expect(await refusal(name, none)).toContain("the options are");
    // What stands on a prototype is read, and so it is checked.
    expect(await refusal(name, Object.create({ noSuchOption: 1 }))).toContain("`noSuchOption`");
  },
);

it.each<readonly [string, unknown, string]>([
  ["load", { verifcation: verification }, "no option is called `verifcation`: did you mean `verification`?"],
  [
    "load",
    { verification: undefined },
    "`verification` is of type object, and not undefined: leave it out, or give it",
  ],
  ["load", { verification: { ...verification, minimumRevison: 3 } }, "did you mean `minimumRevision`?"],
  ["load", { verification: { ...verification, minimumRevision: "3" } }, "`verification.minimumRevision`"],
  ["load", { verification: { keys: { k: { ...verification.keys.k, scpe: "a" } } } }, "`verification.keys.k.scpe`"],
  ["load", { limits: { steps: "5" } }, 'the option `limits.steps` is of type number of zero or more, and not "5"'],
  ["load", { limits: { memory: Number.NaN } }, "`limits.memory`"],
  ["load", { limits: { step: 5 } }, "did you mean `steps`?"],
  ["load", { bundleLimits: { packed: -1 } }, "`bundleLimits.packed`"],
  ["load", { builtins: {} }, "`builtins` is of type array, and not object"],
  ["load", { onDecison: () => 1 }, "did you mean `onDecision`?"],
  ["load", { sources: { now: 5 } }, "`sources.now`"],
  ["loadFile", { verification: undefined }, "`verification`"],
  ["ReloadablePolicy.follow", { stale: "denny" }, 'the option `stale` is of type `serve` or `deny`, and not "denny"'],
  ["ReloadablePolicy.follow", { stale: undefined }, "`stale`"],
  ["ReloadablePolicy.follow", { persists: {} }, "did you mean `persist`?"],
  ["reload", { allowRollback: "false" }, '`allowRollback` is of type boolean, and not "false"'],
  ["guardTool", { log: "stderr" }, "`log`"],
  ["guardTurn", { warn: 5 }, "`warn`"],
  ["guardTurn", { log: true }, "`log` is of type function or false"],
  ["guardTool", { log: 0 }, "`log`"],
  ["load", { unrecorded: "denny" }, "`unrecorded` is of type `allow` or `deny`"],
  ["httpSource", { staleAfter: "60000" }, "`staleAfter`"],
  ["httpSource", { maxdelay: 5 }, "did you mean `maxDelay`?"],
  ["fileSource", { staleAfter: undefined }, "`staleAfter`"],
  ["decisionLog", { sink, mask: "/input/scope" }, "`mask` is of type array or function"],
  ["decisionLog", { sink, masks: [] }, "did you mean `mask`?"],
  ["auditLedger", { continues: undefined }, "`continues`"],
  ["verifyLedger", { signatureHold: () => true }, "did you mean `signatureHolds`?"],
  ["verifyLedger", { closed: 1 }, "`closed`"],
])("%s refuses %j", async (name, options, message) => {
  expect(await refusal(name, options)).toContain(message);
});

it.each(["flag", "Flags", "scopes", "approvals", "role_id", "tool", "args", "__proto__x", "constructor"])(
  "guards refuse a context with the member %s, which no call has",
  async (name) => {
    const context = { role: "R", lane: "L", [name]: ["bulk"] } as never;
    for (const guard of [
      () => guardTool(policy, context, "t", () => 1),
      () => guardTools(policy, context, { t: () => 1 } as never),
    ]) {
      const error = await problem(guard);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toContain(`the context has no member \`${name}\``);
    }
    // Where it is made for each call, the call is denied.
    const ran: unknown[] = [];
    const outcome = await guardTool(
      policy,
      () => context,
      "t",
      () => ran.push(1),
    )({});
    expect(outcome).toMatchObject({ allowed: false, decision: { gate: "INTERNAL_ERROR" } });
    expect(ran).toEqual([]);
    const error = await problem(() => guardTurn(policy, { ...turn, [name]: 1 } as never));
    expect((error as Error).message).toContain(`the turn has no member \`${name}\``);
  },
);

it("a member that comes into a context later denies, too, and what each call has does not", async () => {
  const context: Record<string, unknown> = {
    role: "WRITER", lane: "DRAFTING", scope: {}, flags: null, writes: undefined, lineage: null, approval: null,
  }; // biome-ignore format: one object
  const guarded = guardTool(policy, context as never, "archive.lookup", () => 1, { log: () => {} });
  const before = await guarded({});
  context["flag"] = ["bulk"];
  expect(await guarded({})).toMatchObject({ allowed: false, decision: { gate: "INTERNAL_ERROR" } });
  expect(before).not.toMatchObject({ decision: { gate: "INTERNAL_ERROR" } });
});

it("options that are right, and those that may be undefined, are taken", async () => {
  const { revision } = await load(bundle, {
    onDecision: undefined,
    sample: undefined,
    limits: { steps: 1e6 },
    builtins: [],
  });
  expect(revision).toBe(policy.revision);
  expect(await problem(() => decisionLog({ sink, bufferBytes: undefined, gzip: false }))).toBeUndefined();
  expect(await problem(() => guardTool(policy, {} as never, "t" as never, () => 1, { log: () => {} }))).toBeUndefined();
});

it("an option is not called as a member that every object has", () => {
  expect(() => holdOptions({ constructor: 1 }, { a: "any" })).toThrow("no option is called `constructor`: there are a");
  expect(() => holdOptions({ toString: () => "" }, { a: "any" })).toThrow(TypeError);
});
