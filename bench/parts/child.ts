/** A process of its own for each part and policy, so that no part pays for code and memory of another. Started by `runPart`. */

import { bundleOf, type PolicyName } from "../bundles.ts";
import { measurePeers, measureRuntimes, measureSdks } from "./apart.ts";
import { measureCosts } from "./costs.ts";
import { measureHeadline } from "./headline.ts";
import { measureLatency } from "./latency.ts";
import { measureListening } from "./listening.ts";
import { measureServices } from "./services.ts";
import { measureServing } from "./serving.ts";
import { measureThroughput } from "./throughput.ts";
import { measureWorkingSets } from "./working-sets.ts";

export const PARTS = {
  headline: measureHeadline,
  workingSets: measureWorkingSets,
  latency: measureLatency,
  services: measureServices,
  throughput: measureThroughput,
  listening: measureListening,
  costs: measureCosts,
  serving: measureServing,
  peers: measurePeers,
  sdks: measureSdks,
  runtimes: measureRuntimes,
} as const;

export type Part = keyof typeof PARTS;

/** What a child sends: where it is, and at last what it measured. */
export type Message = { readonly progress: string } | { readonly measured: unknown };

const send = (message: Message): void => void process.send?.(message);

if (process.send !== undefined) {
  const [part, policy, pace] = process.argv.slice(2) as [Part, PolicyName, string];
  const bundle = await bundleOf(policy);
  const measured = await PARTS[part](bundle, pace === "quick", (progress) => send({ progress }));
  send({ measured });
  process.disconnect();
}
