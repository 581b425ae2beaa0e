/** Calls that have succeeded by a decision that was made before: for another process, or another request. */

import { callFacts, type FactHost, type FactPolicy } from "@portcullis/runtime";

/** A success is no call that counts, and none that begins. */
const UNCOUNTED = { tools: {} } as const;

/** The call that is asked for by `request` has succeeded: limits that wait for its tool know. Rejects where they cannot be told. */
export async function countSuccess(
  { limits = {}, historyName }: FactPolicy,
  request: Readonly<Record<string, unknown>>,
  host: FactHost,
): Promise<void> {
  const waiting = Object.entries(limits).map(
    ([id, { never_after: _, ...limit }]) => [id, { ...limit, calls: UNCOUNTED }] as const,
  );
  const call = await callFacts({ limits: Object.fromEntries(waiting), historyName }, request, host);
  if (call.fault !== undefined) throw new Error(call.fault);
  await call.commit();
}
