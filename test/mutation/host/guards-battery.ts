/** What the guards promise, asked of one build of them. */
import { isDeepStrictEqual } from "node:util";
import type { Answer, Guards } from "./guard-fakes.ts";
import { paths, values } from "./guarded-arguments.ts";
import { approvals, histories, overrulings } from "./guarded-facts.ts";
import { record, tools } from "./tool-guards.ts";
import { turns } from "./turn-guards.ts";

/** What went wrong; nothing where everything is as it should be. */
export async function guardsHold(guards: Guards): Promise<string | undefined> {
  try {
    for (const [what, found, expected] of await answersOf(guards))
      if (!isDeepStrictEqual(found, expected)) return `${what}: ${JSON.stringify(found)}`;
    return undefined;
  } catch (error) {
    return String(error);
  }
}

async function answersOf({ guardTool, guardTools, guardTurn, overruled }: Guards): Promise<Answer[]> {
  return [
    ...(await tools(guardTool)),
    ...(await values(guardTool)),
    ...(await record(guardTools)),
    ...(await paths(guardTool)),
    ...(await histories(guardTool)),
    ...(await approvals(guardTool)),
    ...overrulings(overruled),
    ...turns(guardTurn),
  ];
}
