/**
 * Ids that a client's requests have taken. A server may answer a request that was cancelled, or timed out: its id stays taken
 * until then, or the late answer would count as that of the next request of the id.
 */

import type { RequestId } from "./messages.ts";

/** Characters of all ids that were left without an answer. A server that heeds cancellations never answers: a session has to last. */
const MOST_CHARACTERS = 1 << 18;

export const TAKEN = "a request of this id is open";
export const TOO_MANY_LEFT = "too many requests were left without an answer";

export class TakenIds {
  /** By text: a server may keep ids as texts, and answer 1 where "1" was asked. */
  private readonly taken = new Map<string, { readonly id: RequestId; isLeft: boolean }>();
  private left = 0;
  private readonly most: number;

  constructor(most = MOST_CHARACTERS) {
    this.most = most;
  }

  has(id: RequestId): boolean {
    return this.taken.has(String(id));
  }

  /** Whether the id was free; it is taken now. */
  take(id: RequestId): boolean {
    if (this.has(id)) return false;
    this.taken.set(String(id), { id, isLeft: false });
    return true;
  }

  /** Whether this very id was taken; it is free now. */
  free(id: RequestId | undefined): boolean {
    const text = String(id);
    const one = this.taken.get(text);
    if (one === undefined || one.id !== id) return false;
    if (one.isLeft) this.left -= text.length;
    return this.taken.delete(text);
  }

  /** The client has given up, and the answer may still come. `false`: there are too many of these. */
  leave(id: RequestId): boolean {
    const text = String(id);
    const one = this.taken.get(text);
    if (one !== undefined && !one.isLeft) {
      one.isLeft = true;
      this.left += text.length;
    }
    return this.left <= this.most;
  }
}
