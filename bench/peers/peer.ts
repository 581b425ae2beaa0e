/** What is measured: something that answers one kind of request. Conversions that a peer needs are part of its price. */

import type { DecisionKind, LaneRequest, ToolRequest } from "@portcullis/runtime";
import type { Bundle } from "../bundles.ts";

export type Decide = (request: never) => unknown;

export interface Peer {
  readonly name: string;
  /** Whether its answers have our shape: `{ allowed, gate, reason, … }`; else only the verdict is compared. */
  readonly wholeDecisions: boolean;
  /** What decides a kind, or why this peer cannot. */
  readonly decides: (kind: DecisionKind) => Decide | { readonly cannot: string };
  /** The verdict in an answer of this peer. */
  readonly allowed: (answer: unknown) => boolean;
}

export type PeerMaker = (bundle: Bundle) => Promise<Peer | { readonly name: string; readonly absent: string }>;

/** The kinds that peers without a language of rules cannot decide, `otherwise` standing for those that are not named. */
interface Cannot {
  readonly subagent: string;
  readonly lineage?: string;
  readonly otherwise: string;
}

/** `decides` of a peer that decides lanes and tools alone. */
export function lanesAndToolsAlone(
  decide: { readonly lane: (request: LaneRequest) => unknown; readonly tool: (request: ToolRequest) => unknown },
  reasons: Cannot,
): Peer["decides"] {
  return (kind) => {
    switch (kind) {
      case "lane":
      case "tool":
        return decide[kind];
      case "subagent":
      case "lineage":
        return { cannot: reasons[kind] ?? reasons.otherwise };
      default:
        return { cannot: reasons.otherwise };
    }
  };
}

export function allowedOf(answer: unknown): boolean {
  return (answer as { allowed?: unknown } | undefined)?.allowed === true;
}
