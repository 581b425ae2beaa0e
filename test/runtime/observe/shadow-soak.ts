/**
 * Decisions of a policy with a shadow beside the same policy without one, while the shadow is another one each time: it denies all,
 * allows all, fails, is slow, has no such entrypoint, throws, answers what cannot be read, hands over events in their midst. What is
 * asked and which shadow decides follow from the seed.
 */

import { isDeepStrictEqual } from "node:util";
import { compile } from "@portcullis/rego";
import { type DecisionEvent, type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { Random } from "../../rego/plan/generate/random.ts";

export interface ShadowSoak {
  readonly decisions: number;
  readonly allows: number;
  /** How often a shadow of each kind was asked. */
  readonly asked: { readonly [kind: string]: number };
  /** How the shadows' answers compare, as the policies count. */
  readonly counts: { readonly [kind: string]: number };
  /** Answers, faults and events that differ from those without a shadow, which are to be none. */
  readonly wrong: readonly string[];
}

/** Policies in force: without a listener, with one, and with one that has to record every decision. */
const HEARD: readonly ((hear: (event: DecisionEvent) => void) => LoadOptions)[] = [
  () => ({}),
  (onDecision) => ({ onDecision }),
  (onDecision) => ({ onDecision, unrecorded: "deny" }),
];
/** Decisions before events are handed over at the latest. */
const BURST = 500;
const ENTRYPOINTS = ["lane", "tool", "call"].map((kind) => `portcullis/${kind}/decision`);

export async function shadowSoak(bundle: Uint8Array, decisions: number, seed: number): Promise<ShadowSoak> {
  const random = new Random(seed);
  const shadows = new Shadows(await kindsOf(bundle), new Random(seed + 1));
  const wrong: string[] = [];
  const pairs: Pair[] = [];
  for (const options of HEARD) {
    const told: [DecisionEvent[], DecisionEvent[]] = [[], []];
    const alone = await load(
      bundle,
      options((event) => told[0].push(event)),
    );
    const beside = await load(bundle, { ...options((event) => told[1].push(event)), shadow: shadows });
    pairs.push({ alone, beside, told });
  }
  let allows = 0;
  for (let n = 0; n < decisions; n++) {
    const { alone, beside } = random.pick(pairs);
    shadows.inForce = beside;
    const question = questionOf(random);
    const [right, found] = [question(alone), question(beside)];
    if (!isDeepStrictEqual(found, right) || !isDeepStrictEqual(beside.lastFault, alone.lastFault))
      wrong.push(`decision ${n}: ${JSON.stringify(found)}, and not ${JSON.stringify(right)}`);
    if (beside.faults !== alone.faults) wrong.push(`decision ${n}: ${beside.faults} faults, and not ${alone.faults}`);
    if ((right as { readonly allowed?: unknown } | undefined)?.allowed === true) allows++;
    if (random.int(BURST) === 0) wrong.push(...flush(pairs));
  }
  wrong.push(...flush(pairs));
  const counts: { [kind: string]: number } = {};
  for (const { beside } of pairs) {
    const { revision: _, seconds: __, ...each } = beside.events?.shadow ?? {};
    for (const [kind, count] of Object.entries(each)) counts[kind] = (counts[kind] ?? 0) + (count as number);
  }
  return { decisions, allows, asked: shadows.asked, counts, wrong };
}

interface Pair {
  readonly alone: Policy;
  readonly beside: Policy;
  readonly told: readonly [DecisionEvent[], DecisionEvent[]];
}

/** Hands over what is pending: the listeners of both policies of a pair are told the same. */
function flush(pairs: readonly Pair[]): string[] {
  return pairs.flatMap(({ alone, beside, told }) => {
    for (const { events } of [alone, beside]) events?.flush();
    const [right, found] = told.map((events) => events.splice(0).map(toldOf));
    const { dropped, refused, failures } = beside.events as NonNullable<Policy["events"]>;
    const [lost, gone] = [alone.events?.dropped ?? 0, alone.events?.refused ?? 0];
    return isDeepStrictEqual(found, right) && dropped === lost && refused === gone && failures === 0
      ? []
      : [`listeners are told otherwise, or lost ${dropped} and ${refused}, and not ${lost} and ${gone}`];
  });
}

function toldOf({ path, input, result, error, erased }: DecisionEvent): object {
  return { path, input, result, error, erased };
}

type Asking = Pick<Policy, "revision" | "evaluate" | "evaluateJson" | "lastFault">;

/** The shadow to ask now is another one each time; to get it may fail as well. */
class Shadows {
  readonly asked: { [kind: string]: number } = {};
  inForce: Policy | undefined;
  private readonly kinds: ReturnType<typeof Object.entries<(inForce: Policy | undefined) => Asking>>;
  private readonly first: readonly [string, (inForce: Policy | undefined) => Asking];
  private readonly random: Random;

  constructor(kinds: { readonly [kind: string]: (inForce: Policy | undefined) => Asking }, random: Random) {
    this.kinds = Object.entries(kinds);
    this.first = this.kinds[0] as (typeof this.kinds)[number];
    this.random = random;
  }

  get current(): Asking {
    // While policies load, nothing is in force, and the first kind is there: `load` takes a shadow that can be asked.
    const [kind, shadow] = this.inForce === undefined ? this.first : this.random.pick(this.kinds);
    this.asked[kind] = (this.asked[kind] ?? 0) + 1;
    return shadow(this.inForce);
  }
}

async function kindsOf(bundle: Uint8Array): Promise<ConstructorParameters<typeof Shadows>[0]> {
  const same = await load(bundle);
  const [denies, allows, fails, slow] = (await Promise.all(
    [
      'decision := {"allowed": false, "gate": "NEVER", "reason": "no"}',
      'decision := {"allowed": true, "gate": "ALWAYS", "reason": "yes"}',
      "decision := 1\n\ndecision := 2",
      "decision := count([1 | some a in numbers.range(1, 60); some b in numbers.range(1, 60); a * b == 7])",
    ].map(policyOf),
  )) as [Policy, Policy, Policy, Policy];
  const elsewhere = await load(await moduleOf({ "x.rego": "package x\n\ny := 1\n" }, ["x/y"]));
  const answering = (answer: () => unknown): Asking =>
    ({ revision: "odd", lastFault: undefined, evaluate: answer, evaluateJson: answer }) as Asking;
  const fail = (): never => {
    throw new Error("no");
  };
  const unreadable = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail });
  return {
    same: () => same,
    denies: () => denies,
    allows: () => allows,
    fails: () => fails,
    slow: () => slow,
    "has no such entrypoint": () => elsewhere,
    "is not to be had": fail,
    throws: () => answering(fail),
    "throws what cannot be read": () =>
      answering(() => {
        throw unreadable;
      }),
    "answers what cannot be read": () => answering(() => unreadable),
    "answers what changes": () => {
      let reads = 0;
      return answering(() => ({
        get allowed() {
          return reads++ % 2 === 0;
        },
      }));
    },
    "answers something deep": () =>
      answering(() => {
        let value: unknown = 0;
        for (let depth = 0; depth < 20_000; depth++) value = [value];
        return value;
      }),
    "has a fault that cannot be read": () => ({
      ...answering(() => ({ allowed: true })),
      get lastFault(): never {
        return fail();
      },
    }),
    "hands over what is told of it": (inForce) =>
      answering(() => {
        inForce?.events?.flush();
        return { allowed: true };
      }),
  };
}

async function moduleOf(modules: { readonly [path: string]: string }, entrypoints: string[]): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compile({ modules, entrypoints });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join());
  return compiled.wasm;
}

/** A policy with these rules for every decision that is asked. */
async function policyOf(rules: string): Promise<Policy> {
  const modules = ENTRYPOINTS.map((path) => {
    const name = path.split("/").slice(0, -1).join(".");
    return [`${name}.rego`, `package ${name}\n\n${rules}\n`] as const;
  });
  return load(await moduleOf(Object.fromEntries(modules), [...ENTRYPOINTS]));
}

const IDS = {
  role: ["WRITER", "EDITOR", "RESEARCHER", "MANAGING_EDITOR", "NOBODY", "__proto__", 7],
  lane: ["DRAFTING", "RESEARCH", "PUBLISHING", "NOWHERE", null],
  tool: ["draft.create", "web.search", "archive.lookup", "article.publish", "nothing", ["draft.create"]],
};

/** A question to ask two policies: one of the calls that decide, and a request of its own. */
function questionOf(random: Random): (policy: Policy) => unknown {
  const { role, lane, tool } = IDS;
  const ids = random.chance(0.4)
    ? { role: "WRITER", lane: "DRAFTING", tool: "draft.create" }
    : { role: random.pick(role), lane: random.pick(lane), tool: random.pick(tool) };
  const more: object = random.oneOf(
    [10, () => ({})],
    [2, () => ({ scope: { story_id: "s", run_id: "r" }, lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] })],
    [1, () => ({ x: Number.NaN, y: 1n << 70n, z: new Date(0) })],
    [1, () => ({ x: "y".repeat(random.int(5000)), "\ud800": 1 })],
  );
  const request = { ...ids, ...more } as never;
  const path = random.pick(ENTRYPOINTS);
  const text = JSON.stringify({ ...ids, n: random.int(9) });
  const json = random.chance(0.02) ? text.slice(1) : text;
  return random.oneOf<(policy: Policy) => unknown>(
    [3, () => (policy) => policy.tool(request)],
    [1, () => (policy) => policy.lane(request)],
    [2, () => (policy) => policy.call(request)],
    [2, () => (policy) => policy.evaluate(path, request)],
    [2, () => (policy) => policy.evaluateJson(path, json)],
    [1, () => (policy) => policy.allowed({ role: ids.role, lane: ids.lane } as never, "tool")],
  );
}
