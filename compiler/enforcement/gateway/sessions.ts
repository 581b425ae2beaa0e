/** Sessions of the revisions that have them (until 2025-11-25): each belongs to who opened it. */

import type { RequestId } from "./messages.ts";
import { TakenIds, TOO_MANY_LEFT } from "./taken-ids.ts";

export interface SessionLimits {
  readonly most: number;
  /** One that is not used for this long is forgotten. */
  readonly idleMs: number;
}

interface Session {
  readonly principal: string;
  /** The server may mix up the answers to requests of one session that have one id, whatever connection carries them. */
  readonly ids: TakenIds;
  used: number;
  open: number;
}

export class Sessions {
  private readonly limits: SessionLimits;
  private readonly now: () => number;
  /** By id; those that were used last stand last. */
  private readonly known = new Map<string, Session>();
  private readonly ended: (id: string) => void;
  /** Sessions that are being opened. */
  private opening = 0;

  /** `ended` is told of each session that is over. */
  constructor(limits: SessionLimits, ended: (id: string) => void, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.ended = ended;
    this.now = now;
  }

  get size(): number {
    this.forget();
    return this.known.size;
  }

  /** Whether one more may be opened; `opened` says that it is, or will not be. */
  reserve(): boolean {
    if (this.size + this.opening >= this.limits.most) return false;
    this.opening++;
    return true;
  }

  opened(): void {
    this.opening--;
  }

  open(id: string, principal: string): void {
    if (!this.known.has(id)) this.known.set(id, { principal, ids: new TakenIds(), used: this.now(), open: 0 });
  }

  idsOf(id: string): TakenIds | undefined {
    return this.known.get(id)?.ids;
  }

  /** Whether the session is there, and theirs. To use it keeps it; `release` says that the use is over. */
  use(id: string, principal: string): boolean {
    this.forget();
    const session = this.known.get(id);
    if (session === undefined || session.principal !== principal) return false;
    session.open++;
    this.touch(id, session);
    return true;
  }

  release(id: string): void {
    const session = this.known.get(id);
    if (session === undefined) return;
    session.open--;
    this.touch(id, session);
  }

  close(id: string): void {
    if (this.known.delete(id)) this.ended(id);
  }

  private touch(id: string, session: Session): void {
    session.used = this.now();
    this.known.delete(id);
    this.known.set(id, session);
  }

  private forget(): void {
    const oldest = this.now() - this.limits.idleMs;
    for (const [id, { used, open }] of this.known) {
      if (used > oldest) return;
      if (open === 0) this.close(id);
    }
  }
}

/** A request of a session, whose id is taken until the server has answered. */
export class Turn {
  private readonly sessions: Sessions;
  private readonly fault: (line: string) => void;
  private held: { readonly session: string; readonly ids: TakenIds; readonly id: RequestId } | undefined;

  constructor(sessions: Sessions, fault: (line: string) => void) {
    this.sessions = sessions;
    this.fault = fault;
  }

  /** Whether the id was free. */
  begin(session: string, id: RequestId): boolean {
    const ids = this.sessions.idsOf(session);
    if (ids?.take(id) === false) return false;
    if (ids !== undefined) this.held = { session, ids, id };
    return true;
  }

  /** The first time counts. Without an answer the id stays taken: one that comes later could be given to another request. */
  over(isAnswered: boolean): void {
    const { held } = this;
    this.held = undefined;
    if (held === undefined) return;
    if (isAnswered) held.ids.free(held.id);
    else if (!held.ids.leave(held.id)) {
      this.fault(`client: ${TOO_MANY_LEFT}, and the session ends`);
      this.sessions.close(held.session);
    }
  }
}
