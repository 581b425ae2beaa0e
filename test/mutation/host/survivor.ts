/** A mutant of the host's side that these batteries cannot notice. */
export interface Survivor {
  /** Below compiler, or with `runtime/` in front. */
  readonly file: string;
  readonly operation: string;
  readonly written: string;
  /** Where the same is written in several lines: the line. */
  readonly on?: string;
  /** Where it is changed in several ways: to what. */
  readonly to?: string;
  readonly reason: string;
}
