/** Sessions of the revisions that have them (until 2025-11-25): each belongs to who opened it. */

export interface SessionLimits {
  readonly most: number;
  /** One that is not used for this long is forgotten. */
  readonly idleMs: number;
}

export class Sessions {
  private readonly limits: SessionLimits;
  private readonly now: () => number;
  /** By id; those that were used last stand last. */
  private readonly known = new Map<string, { readonly principal: string; used: number; open: number }>();
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
    if (!this.known.has(id)) this.known.set(id, { principal, used: this.now(), open: 0 });
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

  private touch(id: string, session: { readonly principal: string; used: number; open: number }): void {
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
