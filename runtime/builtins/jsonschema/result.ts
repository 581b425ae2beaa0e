/** The violations of a schema, in the words and the order of OPA's own library. */

/** A value's place: `(Root)`, then names and indexes. */
export interface Place {
  readonly name: string;
  readonly parent: Place | undefined;
}

export const root: Place = { name: "(Root)", parent: undefined };

export interface Finding {
  readonly type: string;
  readonly field: string;
  readonly description: string;
}

/** The path of a place, without the root unless it is that. */
export function fieldOf(place: Place): string {
  const names: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) names.push(at.name);
  names.reverse();
  return names.length === 1 ? (names[0] as string) : names.slice(1).join(".");
}

/** Findings, and a score of how much agreed: of several alternatives, the closest one explains a failure. */
export class Result {
  readonly findings: Finding[] = [];
  score = 0;

  get valid(): boolean {
    return this.findings.length === 0;
  }

  add(place: Place, type: string, description: string): void {
    this.findings.push({ type, field: fieldOf(place), description });
    this.score -= 2;
  }

  merge(other: Result): void {
    for (const finding of other.findings) this.findings.push(finding);
    this.score += other.score;
  }
}
