/**
 * The limit: what a careful person writes by hand for one policy, a file a decision kind, with Maps and Sets, no compiler and
 * no audit. Answers without parts of the request are made once where they are one of a few. Only a yardstick: nothing in the
 * product decides this way.
 */

import type { DecisionKind } from "@portcullis/runtime";
import { allowedOf, type Decide, type PeerMaker } from "../peer.ts";
import { callOf } from "./call.ts";
import { closeOf } from "./close.ts";
import { execOf } from "./exec.ts";
import { handoffOf } from "./handoff.ts";
import { laneOf } from "./lane.ts";
import { lineageOf } from "./lineage.ts";
import { subagentOf } from "./subagent.ts";
import { toolOf } from "./tool.ts";

export const handWritten: PeerMaker = async (bundle) => {
  const policy = bundle.data.portcullis.policy;
  const lane = laneOf(policy);
  const tool = toolOf(policy, lane);
  const lineage = lineageOf(policy);
  const decides: Readonly<Record<DecisionKind, Decide>> = {
    lane,
    tool,
    subagent: subagentOf(policy),
    lineage,
    handoff: handoffOf(policy),
    exec: execOf(policy),
    close: closeOf(),
    call: callOf(policy, lineage, tool),
  };
  return { name: "hand-written", wholeDecisions: true, decides: (kind) => decides[kind], allowed: allowedOf };
};
