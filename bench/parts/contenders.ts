/** Contenders of a workload, each of which answers as it must before it is measured. */

import { isDeepStrictEqual } from "node:util";
import type { Bundle } from "../bundles.ts";
import type { Contender } from "../interleave.ts";
import type { Peer, PeerMaker } from "../peers/peer.ts";
import type { Absence } from "../results.ts";
import { textsOf, type Workload } from "../workloads/index.ts";

export const LIMIT = "hand-written";
const CHECKED = 64;

export interface Peers {
  readonly peers: readonly Peer[];
  readonly absences: readonly Absence[];
}

export async function peersOf(bundle: Bundle, makers: readonly PeerMaker[]): Promise<Peers> {
  const peers: Peer[] = [];
  const absences: Absence[] = [];
  for (const make of makers) {
    const peer = await make(bundle);
    if ("absent" in peer) absences.push({ policy: bundle.name, name: peer.name, why: peer.absent });
    else peers.push(peer);
  }
  return { peers, absences };
}

/** Those that can decide the kind; the first is the limit. */
export function contendersOf(peers: readonly Peer[], { kind }: Workload): Contender[] {
  return peers.flatMap((peer) => {
    const decide = peer.decides(kind);
    return typeof decide === "function" ? [{ name: peer.name, decide }] : [];
  });
}

/** Where a contender has nothing to show for a kind, and why. */
export function inabilities(peers: readonly Peer[], policy: string, workloads: readonly Workload[]): Absence[] {
  return [...new Set(workloads.map(({ kind }) => kind))].flatMap((kind) =>
    peers.flatMap((peer) => {
      const decide = peer.decides(kind);
      return typeof decide === "function" ? [] : [{ policy, name: `${peer.name}, ${kind}`, why: decide.cannot }];
    }),
  );
}

/**
 * A fast wrong answer is worth nothing: the code written by hand must answer by the gate that is expected, and every other
 * contender with an equal decision, or with an equal verdict where its answers are of another shape.
 */
export function assertRight(peers: readonly Peer[], workload: Workload): void {
  const { kind, size, outcome, gate } = workload;
  for (const text of textsOf(workload, 0, Math.min(CHECKED, workload.different))) {
    const answers = peers.flatMap((peer) => {
      const decide = peer.decides(kind);
      return typeof decide === "function" ? [{ peer, answer: decide(JSON.parse(text) as never) }] : [];
    });
    const right = answers[0]?.answer as { readonly gate?: unknown; readonly allowed?: unknown } | undefined;
    for (const { peer, answer } of answers) {
      const same = peer.wholeDecisions
        ? isDeepStrictEqual(plain(answer), plain(right))
        : peer.allowed(answer) === (right?.allowed === true);
      if (!same || (gate !== undefined && right?.gate !== gate))
        throw new Error(
          `${peer.name} answers ${JSON.stringify(answer)} to ${text} (${kind}, ${size}, ${outcome}: ${gate ?? JSON.stringify(right)})`,
        );
    }
  }
}

function plain(answer: unknown): unknown {
  return answer === undefined ? undefined : JSON.parse(JSON.stringify(answer));
}
