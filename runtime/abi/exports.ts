/**
 * What a module exports for our own runtime, beside the 26 exports of the OPA ABI. All parameters and results are i32.
 * `runtime/instance.ts` calls these; `wasm/entry.ts` exports them.
 */
export interface PortcullisExports {
  /** The value of a tape (tape.ts) in `[start, end)`; 0 when the tape is malformed. */
  readonly portcullis_tape_read: (start: number, end: number) => number;
  /** Sorts a set in place. */
  readonly portcullis_sort_set: (set: number) => void;
  /** Steps that each evaluation may take from now on; 0 for no limit. */
  readonly portcullis_set_budget: (steps: number) => void;
  /** The address beyond which nothing is allocated; 0 for no limit. */
  readonly portcullis_set_ceiling: (address: number) => void;
}
