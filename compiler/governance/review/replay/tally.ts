/** What a replayed log comes to: events counted in groups, so that a log of any length takes the memory of its groups. */

export const REPLAY_KINDS = ["newly-allowed", "newly-denied", "changed-reason", "changed-answer"] as const;
/**
 * `newly-allowed`: also a turn that is handed an agent more; `newly-denied`: also one that is handed an agent less. `changed-reason`: the
 * same verdict by another gate or reason. `changed-answer`: an answer that differs in anything else.
 */
export type ReplayKind = (typeof REPLAY_KINDS)[number];

/** Events that changed alike: one decision, role, lane, tool and agent, one answer before and one after. */
export interface ReplayGroup {
  readonly kind: ReplayKind;
  readonly entrypoint: string;
  readonly role?: string;
  readonly lane?: string;
  readonly tool?: string;
  /** The type of the agent that asked: the last of the lineage. */
  readonly agent?: string;
  /** Gate and reason, or the answer as JSON text. */
  readonly before: string;
  readonly after: string;
  readonly count: number;
  readonly example: ReplayExample;
}

/** The first event of a group. */
export interface ReplayExample {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The request as JSON text. */
  readonly input: string | undefined;
  readonly before: unknown;
  readonly after: unknown;
}

/** Events that could not be decided, by why; and the first of them. */
export interface ReplayUnknown {
  readonly why: string;
  readonly count: number;
  readonly file: string;
  readonly line: number;
}

/** What was counted. `events` = `same` + the kinds' counts + those of `unknown`. */
export interface ReplayTally {
  readonly events: number;
  readonly same: number;
  readonly counts: { readonly [kind in ReplayKind]: number };
  /** In the order of their first events. At most 10,000: `ungrouped` counts the events of further ones. */
  readonly groups: readonly ReplayGroup[];
  readonly ungrouped: number;
  readonly unknown: readonly ReplayUnknown[];
}

const MOST_GROUPS = 10_000;

/** Adds up events, and tallies of parts of a log. */
export class Tally {
  same = 0;
  private ungrouped = 0;
  private readonly counts = { "newly-allowed": 0, "newly-denied": 0, "changed-reason": 0, "changed-answer": 0 };
  private readonly groups = new Map<string, Writable<ReplayGroup>>();
  private readonly unknown = new Map<string, Writable<ReplayUnknown>>();

  /** `group` holds one event, or several that changed alike. */
  change(group: ReplayGroup): void {
    this.counts[group.kind] += group.count;
    const { kind, entrypoint, role, lane, tool, agent, before, after } = group;
    const key = JSON.stringify([kind, entrypoint, role, lane, tool, agent, before, after]);
    const known = this.groups.get(key);
    if (known !== undefined) known.count += group.count;
    else if (this.groups.size < MOST_GROUPS) this.groups.set(key, { ...group });
    else this.ungrouped += group.count;
  }

  cannot(fault: ReplayUnknown): void {
    const known = this.unknown.get(fault.why);
    if (known === undefined) this.unknown.set(fault.why, { ...fault });
    else known.count += fault.count;
  }

  /** The tally of the part that comes next. */
  add(part: ReplayTally): void {
    this.same += part.same;
    for (const group of part.groups) this.change(group);
    for (const fault of part.unknown) this.cannot(fault);
    this.ungrouped += part.ungrouped;
    // Events without a group are in the part's counts alone.
    for (const kind of REPLAY_KINDS) {
      const grouped = part.groups.reduce((sum, group) => (group.kind === kind ? sum + group.count : sum), 0);
      this.counts[kind] += part.counts[kind] - grouped;
    }
  }

  get facts(): ReplayTally {
    const { same, counts, ungrouped } = this;
    const groups = [...this.groups.values()];
    const unknown = [...this.unknown.values()];
    const unknowns = unknown.reduce((sum, { count }) => sum + count, 0);
    const events = same + unknowns + REPLAY_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
    return { events, same, counts: { ...counts }, groups, ungrouped, unknown };
  }
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };
