/** Resources and prompts: what a policy is asked of them, and what is written down. The policy is a function. */
import type { CallRecord } from "@portcullis/runtime";
import { type OfferDecider, Offers } from "../../../compiler/enforcement/gateway/offers.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CALLER, denied } from "./verdicts.ts";

export function offerChecks(): readonly Check[] {
  return [
    { what: "questions about offers", run: questions },
    { what: "answers about offers", run: answers },
    { what: "records of offers", run: records },
  ];
}

const PATH = "portcullis/offer/mcp";
const UNLISTED = { allowed: false, gate: "OFFER", reason: "not_offered_in_lane" };

function questions(): void {
  const asked: unknown[] = [];
  const policy: OfferDecider = {
    entrypoints: ["a", PATH],
    evaluate: (path, input) => {
      asked.push([path, input]);
      return ALLOW;
    },
  };
  const { role, lane, lineage } = CALLER;
  same("visible", new Offers(policy, CALLER, () => {}).visible("prompts", "p"), true);
  same("asked", asked, [[PATH, { role, lane, kind: "prompts", name: "p", lineage }]]);
  same("in its place", new Offers({ current: policy } as never, CALLER, () => {}).visible("resources", 7), true);
}

function answers(): void {
  const of = (policy: OfferDecider) => new Offers(policy, CALLER, () => {});
  for (const entrypoints of [undefined, [], ["other"]])
    same("not its matter", of({ ...(entrypoints && { entrypoints }), evaluate: () => ALLOW }).ask("prompts", "p"), {
      ...UNLISTED,
    });
  for (const [answer, isOpen, gate] of [
    [ALLOW, true, "ALLOW"],
    [denied("X"), false, "X"],
    [{ ...ALLOW, allowed: 1 }, false, "ALLOW"],
    [{ ...ALLOW, allowed: "true" }, false, "ALLOW"],
    [{ gate: "X", reason: "r" }, false, "X"],
    [{ ...ALLOW, gate: 7 }, false, "INTERNAL_ERROR"],
    [{ ...ALLOW, reason: 7 }, false, "INTERNAL_ERROR"],
    [{ allowed: true }, false, "INTERNAL_ERROR"],
    [[ALLOW], false, "INTERNAL_ERROR"],
    [null, false, "INTERNAL_ERROR"],
    [undefined, false, "INTERNAL_ERROR"],
    [true, false, "INTERNAL_ERROR"],
  ] as const) {
    const offers = of({ entrypoints: [PATH], evaluate: () => answer });
    same(JSON.stringify(answer), [offers.visible("prompts", "p"), offers.ask("prompts", "p").gate], [isOpen, gate]);
  }
  same("no questions", of({ entrypoints: [PATH] }).visible("prompts", "p"), false);
}

function records(): void {
  const written: [CallRecord, string][] = [];
  const record = (one: CallRecord, name: string): void => void written.push([one, name]);
  const policy = {
    revision: "r-1",
    entrypoints: [PATH],
    evaluate: (_: string, { name }: { readonly name: unknown }) => (name === "p" ? ALLOW : denied("X")),
  } as unknown as OfferDecider;
  const offers = new Offers(policy, CALLER, record);
  offers.ask("prompts", "p");
  offers.ask("resources", 7);
  offers.note("tool", "t", UNLISTED, 2);
  offers.note("tool", "t", UNLISTED);
  const { lineage: _, ...alone } = CALLER;
  new Offers({}, alone, record).note("tool", "t", { ...UNLISTED, allowed: true });
  const whole = { role: "R", lane: "L", revision: "r-1", lineage: ["desk"] };
  const [first, second, ...others] = written;
  for (const [one] of [first, second] as [CallRecord, string][]) {
    const { evaluation_ms: time } = one;
    same("a time", time >= 0 && time < 10_000, true);
  }
  const plain = ([{ evaluation_ms: _time, ...one }, name]: [CallRecord, string]): unknown => [one, name];
  same(
    "of questions",
    [first, second].map((one) => plain(one as [CallRecord, string])),
    [
      [{ ...whole, disposition: "ALLOW", tool: "prompts", gate: "ALLOW", reason: "call_allowed" }, "p"],
      [{ ...whole, disposition: "DENY", tool: "resources", gate: "X", reason: "r" }, "7"],
    ],
  );
  const noted = { tool: "tool", gate: "OFFER", reason: "not_offered_in_lane" };
  same("of others", others, [
    [{ ...whole, ...noted, disposition: "DENY", evaluation_ms: 2 }, "t"],
    [{ ...whole, ...noted, disposition: "DENY", evaluation_ms: 0 }, "t"],
    [{ role: "R", lane: "L", ...noted, disposition: "ALLOW", evaluation_ms: 0 }, "t"],
  ]);
  same(
    "no revision",
    others.map(([one]) => "revision" in one),
    [true, true, false],
  );
  const full = new Offers(policy, CALLER, () => {
    throw new Error("full");
  });
  let thrown = "";
  try {
    full.ask("prompts", "p");
  } catch (error) {
    thrown = (error as Error).message;
  }
  same("not written down", thrown, "full");
}
