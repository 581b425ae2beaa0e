/**
 * The compiled runtime library by itself: instantiated without a policy, its builtins called with values given as text.
 */

import { RTLIB, RTLIB_BUILTINS } from "../../../compiler/rego/wasm/rtlib.embedded.ts";
import {
  HEADER_BYTES,
  HEADER_HEAP_BASE,
  HEADER_INTERN_MASK,
  HEADER_INTERN_TABLE,
  HEADER_MEMO_FRAME,
  HEADER_MEMO_SIZE,
  HEADER_STATIC_END,
} from "../../../runtime/abi/layout.ts";

type Exports = Record<string, (...args: number[]) => number>;

const PAGE = 65536;

/** An abort of the module: memory or step limit, never a user's mistake. */
export class Abort extends Error {}

export class Rtlib {
  readonly memory = new WebAssembly.Memory({ initial: 4 });
  readonly exports: Exports;
  private readonly base: number;

  constructor(wasm: WebAssembly.Module = new WebAssembly.Module(Buffer.from(RTLIB, "base64"))) {
    const abort = (at: number): never => {
      throw new Abort(this.cString(at));
    };
    const none = (): number => 0;
    const env = { memory: this.memory, opa_abort: abort, opa_builtin0: none, opa_builtin1: none };
    const instance = new WebAssembly.Instance(wasm, {
      env: { ...env, opa_builtin2: none, opa_builtin3: none, opa_builtin4: none },
    });
    this.exports = instance.exports as unknown as Exports;
    // An empty intern table and an empty memo frame, in the page before the heap.
    const header = new DataView(this.memory.buffer);
    header.setUint32(HEADER_INTERN_TABLE, 3 * PAGE - 64, true);
    header.setUint32(HEADER_INTERN_MASK, 0, true);
    header.setUint32(HEADER_STATIC_END, 3 * PAGE, true);
    header.setUint32(HEADER_HEAP_BASE, 3 * PAGE, true);
    header.setUint32(HEADER_MEMO_FRAME, 3 * PAGE - 32, true);
    header.setUint32(HEADER_MEMO_SIZE, 0, true);
    this.function("initialize")();
    this.base = this.function("opa_heap_ptr_get")();
  }

  function(name: string): (...args: number[]) => number {
    const found = this.exports[name];
    if (found === undefined) throw new Error(`rtlib does not export ${name}`);
    return found;
  }

  /** Address of the value that the text (JSON, or OPA's value text with sets) is. */
  parse(text: string): number {
    const bytes = Buffer.from(text, "utf8");
    const at = this.function("opa_malloc")(bytes.length);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    const value = this.function("opa_value_parse")(at, bytes.length);
    if (value === 0) throw new Error(`not a value: ${text}`);
    return value;
  }

  json(value: number): string {
    return this.cString(this.function("opa_json_dump")(value));
  }

  /** As for a builtin of our runtime: a byte that is not text is `\udc80` to `\udcff`. */
  valueText(value: number): string {
    const header = (): Uint32Array => new Uint32Array(this.memory.buffer, HEADER_BYTES, 1);
    header()[0] = 1;
    const text = this.cString(this.function("opa_value_dump")(value));
    header()[0] = 0;
    return text;
  }

  /** Readies for one evaluation, as a host does. */
  reset(): void {
    this.function("opa_heap_ptr_set")(this.base);
    this.function("begin")();
  }

  /** Value text of the result, or undefined. Everything is freed before. */
  call(name: string, ...args: string[]): string | undefined {
    this.reset();
    return this.callAgain(name, ...args);
  }

  /** The same within the evaluation that the last `reset` or `call` began. */
  callAgain(name: string, ...args: string[]): string | undefined {
    const result = this.function(exportOf(name))(...args.map((a) => this.parse(a)));
    return result === 0 ? undefined : this.valueText(result);
  }

  private cString(at: number): string {
    const bytes = new Uint8Array(this.memory.buffer);
    return Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString("utf8");
  }
}

export function exportOf(builtin: string): string {
  return `builtin_${builtin.replaceAll(".", "_")}`;
}

export { RTLIB_BUILTINS };
