/**
 * Part of the benchmark: what a decision costs with a listener, and with a shadow beside it, next to one with neither. Requests
 * come as objects, and as JSON text.
 */

import { entrypointOf, type LoadOptions, load, metrics, type Policy } from "@portcullis/runtime";
import type { Bundle } from "../bundles.ts";
import { type Contender, interleave, type Sampling, type Supply } from "../interleave.ts";
import type { ListeningRow } from "../results.ts";
import { type Workload, workloadsOf } from "../workloads/index.ts";
import { newRequests } from "./supply.ts";

export const NOBODY = "no listener";

const GIVEN: readonly ListeningRow["given"][] = ["object", "JSON text"];

export async function measureListening(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<{ readonly rows: readonly ListeningRow[] }> {
  const sampling: Sampling = quick ? { rounds: 21, batch: 128, warmMs: 5 } : { rounds: 61, batch: 256, warmMs: 20 };
  const listening = (options: LoadOptions): Promise<Policy> => load(bundle.bytes, options);
  const onDecision = (): void => {};
  const metered = await listening({});
  metrics(metered);
  // Each face is an instance of its own. Two of them have no listener: how much these differ is noise.
  const policies: readonly (readonly [name: string, policy: Policy, isTold?: true])[] = [
    [NOBODY, await listening({})],
    ["the same again", await listening({})],
    ["every hundredth heard", await listening({ onDecision, sample: 0.01 })],
    ["every decision heard", await listening({ onDecision })],
    ["counted and timed", metered],
    ["heard, and told", await listening({ onDecision }), true],
    ["a shadow, and told", await listening({ shadow: await listening({}) }), true],
  ];
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(
    ({ kind, size, outcome }) => (kind === "tool" || kind === "call") && size === "typical" && outcome === "allow",
  );
  // The first of each kind: calls with arguments are no other case here.
  const chosen = workloads.filter(({ kind }, i) => workloads.findIndex((other) => other.kind === kind) === i);
  const rows = chosen.flatMap((workload) =>
    GIVEN.map((given): ListeningRow => {
      const { kind } = workload;
      progress(`policies ${bundle.name}: ${kind} as ${given}, with listeners`);
      const contenders = policies.map(([name, policy, isTold]): Contender => {
        const decide = deciding(policy, workload, given);
        return { name, decide: isTold ? told(policy, decide) : decide };
      });
      return {
        policy: bundle.name,
        kind,
        given,
        measured: interleave(contenders, NOBODY, supply(workload, given), sampling),
      };
    }),
  );
  const [, shadowed] = policies.at(-1) as readonly [string, Policy];
  const said = shadowed.events?.shadow;
  if (said === undefined || said.same === 0 || said.newlyDenied + said.otherwise + said.failed + said.unasked > 0)
    throw new Error(`the shadow of the same policy answers otherwise: ${JSON.stringify(said)}`);
  return { rows };
}

function deciding(policy: Policy, { kind }: Workload, given: ListeningRow["given"]): Contender["decide"] {
  const entrypoint = entrypointOf(kind);
  if (given === "JSON text") return (request) => policy.evaluateJson(entrypoint, request);
  return kind === "tool" ? (request) => policy.tool(request) : (request) => policy.call(request);
}

/** All that follows from a decision is done before the next: what otherwise a timer does. */
function told({ events }: Policy, decide: Contender["decide"]): Contender["decide"] {
  return (request) => {
    const answer = decide(request);
    events?.flush();
    return answer;
  };
}

/** `interleave` parses what it is given: a text is one that stands in JSON. */
function supply(workload: Workload, given: ListeningRow["given"]): Supply {
  const texts = newRequests(workload);
  return given === "object" ? texts : (count) => texts(count).map((text) => JSON.stringify(text));
}
