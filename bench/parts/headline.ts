/** Part of the benchmark: every workload of one policy beside the alternatives, each request asked once, each decision evaluated. */

import type { Bundle } from "../bundles.ts";
import { interleave, type Sampling } from "../interleave.ts";
import { casbin } from "../peers/casbin.ts";
import { casl } from "../peers/casl.ts";
import { cedarWasm } from "../peers/cedar.ts";
import { handWritten } from "../peers/hand-written/index.ts";
import { stockOnOpas, stockOnOurs } from "../peers/opa.ts";
import { evaluate, typed } from "../peers/portcullis.ts";
import type { Absence, HeadlineRow } from "../results.ts";
import { workloadsOf } from "../workloads/index.ts";
import { assertRight, contendersOf, inabilities, LIMIT, peersOf } from "./contenders.ts";
import { newRequests } from "./supply.ts";

const MAKERS = [handWritten, typed, evaluate, stockOnOpas, stockOnOurs, cedarWasm, casbin, casl];

export interface Headline {
  readonly rows: readonly HeadlineRow[];
  readonly absences: readonly Absence[];
}

export async function measureHeadline(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<Headline> {
  const sampling: Sampling = quick ? { rounds: 11, batch: 128, warmMs: 3 } : { rounds: 41, batch: 256, warmMs: 10 };
  const { peers, absences } = await peersOf(bundle, MAKERS);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(({ outcome }) => outcome !== "mixed");
  // Every kind before the first measurement: code that has seen one kind alone is faster than any service's.
  for (const workload of workloads) assertRight(peers, workload);
  const rows = workloads.map((workload): HeadlineRow => {
    const { kind, size, what, outcome, different } = workload;
    progress(`policies ${bundle.name}: ${kind}, ${size}, ${outcome}`);
    const measured = interleave(contendersOf(peers, workload), LIMIT, newRequests(workload), sampling);
    return { policy: bundle.name, kind, size, what, outcome, different: finite(different), measured };
  });
  return { rows, absences: [...absences, ...inabilities(peers, bundle.name, workloads)] };
}

/** As JSON knows it: `null` for endless. */
function finite(count: number): number | null {
  return Number.isFinite(count) ? count : null;
}
