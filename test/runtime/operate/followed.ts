/** What suites of following share: signed bundles in order, a source of them, and waiting. */

import type { BundleSource, ReloadablePolicy } from "@portcullis/runtime";
import { keysFor, policyFiles, signed } from "../trust/bundles.ts";

/** Bundles with the sequences 1, 2 and 3: of ann, bob and zoe, who alone are allowed. */
export async function bundlesInOrder(): Promise<readonly [Uint8Array, Uint8Array, Uint8Array]> {
  const [one, two, three] = ["ann", "bob", "zoe"].map(async (owner, i) =>
    signed(await policyFiles({ owner, revision: owner, sequence: i + 1 })),
  ) as [Promise<Uint8Array>, Promise<Uint8Array>, Promise<Uint8Array>];
  return Promise.all([one, two, three]);
}

export const verification = { keys: { k1: { algorithm: "ES256", key: keysFor("ES256").publicKey } } } as const;

/** A source that is told what to give after the first bundle, and when. */
export class ToldSource implements BundleSource {
  readonly name = "told";
  readonly staleAfter: number | undefined;
  checks = 0;
  give: () => Promise<Uint8Array | undefined>;

  constructor(first: Uint8Array, staleAfter?: number) {
    this.staleAfter = staleAfter;
    this.give = async () => first;
  }

  async fetch(): Promise<{ bytes: Uint8Array | undefined; tag: undefined }> {
    this.checks++;
    return { bytes: await this.give(), tag: undefined };
  }

  pause(): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, 5).unref());
  }
}

const DEADLINE = 10_000;

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const started = performance.now(); !(await holds()); await new Promise((resolve) => setTimeout(resolve, 2)))
    if (performance.now() - started > DEADLINE) throw new Error(`it did not come about: ${holds}`);
}

export const allows = (policies: ReloadablePolicy, user: string): boolean =>
  (policies.current.evaluate("app/decision", { user }) as { allowed?: unknown } | undefined)?.allowed === true;
