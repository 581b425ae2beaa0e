/** Gateways by the example's policy, each in front of a server of the test's own, closed after the test. */

import type { Policy } from "@portcullis/runtime";
import { afterEach, beforeAll } from "vitest";
import { type Behind, type Remote, remote, type Sent, say } from "./remote.ts";
import { examplePolicy } from "./session.ts";

/** INVARIANT: called once by a file of tests, since it says what comes before and after them. */
export function gateways(): (
  answer: Behind,
  given?: Parameters<typeof remote>[2],
  /** In place of the example's. */
  by?: Policy,
) => Promise<Remote> {
  let policy: Policy;
  beforeAll(async () => {
    policy = await examplePolicy();
  });
  const open: Remote[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  return async (answer, given = {}, by = policy) => {
    const made = await remote(by, answer, given);
    open.push(made);
    return made;
  };
}

export const idOf = ({ body }: Sent): unknown => (JSON.parse(body) as { readonly id?: unknown }).id;

/** A server to which every call succeeds. */
export const done: Behind = (sent, response) => say(response, { jsonrpc: "2.0", id: idOf(sent), result: { ok: true } });

export const call = (id: unknown, name = "draft.create", more: object = {}): object => ({
  ...{ id, method: "tools/call" },
  params: { name, arguments: {}, ...more },
});
