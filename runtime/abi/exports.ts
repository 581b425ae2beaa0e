/**
 * What a module exports for our own runtime, beside the 26 exports of the OPA ABI. All parameters and results are i32.
 * `runtime/evaluate/instance.ts` calls these; `wasm/entry.ts` exports them.
 */
export interface PortcullisExports {
  /** Runs a function of the table (DecideEntry) on input and data, with the heap beginning at `heap`; a value, or 0 for undefined. */
  readonly portcullis_decide: (place: number, input: number, data: number, heap: number) => number;
  /** The same for an input as JSON text, whose bytes lie below `heap` and stay; 1 if it is malformed. */
  readonly portcullis_decide_text: (place: number, text: number, length: number, data: number, heap: number) => number;
  /** Makes the index of an object that the host wrote into memory with more than INDEX_THRESHOLD entries. */
  readonly portcullis_index: (object: number) => void;
  /** Sorts a set in place. */
  readonly portcullis_sort_set: (set: number) => void;
  /** Steps that each evaluation may take from now on; 0 for no limit. */
  readonly portcullis_set_budget: (steps: number) => void;
  /** Steps that the last evaluation took; 0 without a limit. */
  readonly portcullis_spent: () => number;
  /** The address beyond which nothing is allocated; 0 for no limit. */
  readonly portcullis_set_ceiling: (address: number) => void;
}
