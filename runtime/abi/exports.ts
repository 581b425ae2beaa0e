/**
 * What a module exports for our own runtime, beside the 26 exports of the OPA ABI. All parameters and results are i32.
 * `runtime/instance.ts` calls these; `wasm/emit-module.ts` exports them.
 */
export interface PortcullisExports {
  /** Evaluates an entrypoint with an input and data (0: undefined) as addresses; the result set's address. */
  readonly portcullis_eval: (entrypoint: number, input: number, data: number) => number;
  /** The value of a tape (tape.ts) in `[start, end)`; 0 when the tape is malformed. */
  readonly portcullis_tape_read: (start: number, end: number) => number;
  /** Steps that the next evaluation may take, and the address beyond which it may not allocate; 0: no limit. */
  readonly portcullis_set_limits: (steps: number, ceiling: number) => void;
  /** Sorts a set or object in place; its address. */
  readonly portcullis_sort: (value: number) => number;
}
