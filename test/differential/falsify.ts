/** Policies whose hints are wrong and whose footprints are too wide: their answers must be those of the policy itself. */

import { Policy } from "@portcullis/runtime";
import type { FootprintNode, PolicySection } from "../../runtime/abi/section.ts";
import { ModuleEvaluator } from "../../runtime/evaluate/evaluate.ts";
import { DEFAULT_LIMITS } from "../../runtime/evaluate/instance.ts";
import { policySectionOf } from "../../runtime/load/verify.ts";

/** What becomes of a footprint's node, the rest of which is changed already; `number` counts the nodes of an entrypoint. */
type Change = (node: FootprintNode, number: number) => FootprintNode;

const lookUps =
  (isLookedUp: (before: boolean) => boolean): Change =>
  (node) => {
    if (node === true) return node;
    if ("each" in node) return { ...node, lookUp: isLookedUp(node.lookUp === true) };
    const keys = Object.keys(node.members);
    return { ...node, lookUp: keys.filter((key) => isLookedUp(node.lookUp?.includes(key) === true)) };
  };

const widened =
  (isWide: (number: number) => boolean): Change =>
  (node, number) =>
    isWide(number) ? true : node;

export const FALSIFICATIONS: Readonly<Record<string, Change>> = {
  "no string is looked up": lookUps(() => false),
  "every string is looked up": lookUps(() => true),
  "every hint is flipped": lookUps((before) => !before),
  "the whole input is read": widened((number) => number === 0),
  "every member of the input is read whole": widened((number) => number > 0),
  "every other part is read whole": widened((number) => number % 2 === 1),
  "every third part is read whole": widened((number) => number % 3 === 1),
};

function changed(root: FootprintNode, change: Change): FootprintNode {
  let count = 0;
  const visit = (node: FootprintNode): FootprintNode => {
    const number = count++;
    if (node === true) return change(node, number);
    if ("each" in node) return change({ ...node, each: visit(node.each) }, number);
    const members = Object.entries(node.members).map(([key, member]) => [key, visit(member)] as const);
    return change({ ...node, members: Object.fromEntries(members) }, number);
  };
  return visit(root);
}

/** The policy of a module that needs nothing of its host, with a falsified section. */
export async function falsified(wasm: Uint8Array, name: keyof typeof FALSIFICATIONS): Promise<Policy> {
  const module = await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
  const section = policySectionOf(module) as PolicySection;
  const change = FALSIFICATIONS[name] as Change;
  const decide = section.decide?.map((entry) => entry && { ...entry, footprint: changed(entry.footprint, change) });
  const evaluator = new ModuleEvaluator(
    module,
    { ...section, ...(decide === undefined ? {} : { decide }) },
    new Map(),
    DEFAULT_LIMITS,
  );
  return new Policy(evaluator, { revision: undefined });
}
