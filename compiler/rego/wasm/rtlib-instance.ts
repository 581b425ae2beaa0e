/**
 * The runtime library, running inside the compiler: constants are computed by the very code that a policy's module has, so
 * that both are sure to agree.
 */

import {
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FLAG_TEXT,
  HEADER_HEAP_BASE,
  NUMBER_INT,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  RTLIB_BASE,
  STRING_BYTES,
  STRING_LENGTH,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  TRUE_VALUE,
  VALUE_FLAGS,
} from "@portcullis/runtime/abi";
import { type Value, valueText } from "../value/index.ts";
import { RTLIB, RTLIB_SEGMENTS } from "./rtlib.embedded.ts";

type Exports = Readonly<Record<string, (...args: number[]) => number>>;

const PAGE = 65536;
const PAGES = 5;

/** The library gave up: too many steps, too much memory, or a result that is not a constant. */
class Aborted extends Error {}

let decoded: Uint8Array | undefined;

/** Bytes of the compiled library, wherever this runs. Nothing writes to them. */
export function rtlibBytes(): Uint8Array {
  if (decoded === undefined) {
    const binary = atob(RTLIB);
    decoded = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) decoded[i] = binary.charCodeAt(i);
  }
  return decoded;
}

let running: RtlibInstance | undefined;

/** One for all of the compiler. */
export function runningRtlib(): RtlibInstance {
  running ??= new RtlibInstance();
  return running;
}

export class RtlibInstance {
  private readonly memory = new WebAssembly.Memory({ initial: PAGES });
  private readonly exports: Exports;
  private readonly heap: number;
  private readonly encoder = new TextEncoder();
  /** A text may begin with U+FEFF, which does not mark an encoding there. */
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

  constructor() {
    const opa_abort = (): never => {
      throw new Aborted();
    };
    const none = (): number => 0;
    const env = { memory: this.memory, opa_abort, opa_builtin0: none, opa_builtin1: none, opa_builtin2: none };
    const module = new WebAssembly.Module(rtlibBytes() as Uint8Array<ArrayBuffer>);
    const instance = new WebAssembly.Instance(module, { env: { ...env, opa_builtin3: none, opa_builtin4: none } });
    this.exports = instance.exports as unknown as Exports;
    const end = RTLIB_SEGMENTS.reduce((most, [, behind]) => Math.max(most, behind), RTLIB_BASE);
    // The rest of the header stays zero: no strings of a policy, no memo frame.
    new DataView(this.memory.buffer).setUint32(HEADER_HEAP_BASE, Math.ceil(end / PAGE) * PAGE, true);
    this.call("initialize");
    this.heap = this.call("opa_heap_ptr_get");
  }

  /**
   * The result of `run`, on an empty heap, within these steps and bytes; `undefined` if they do not suffice. Addresses
   * mean nothing afterwards.
   */
  within<T>(steps: number, bytes: number, run: () => T): T | undefined {
    this.call("opa_heap_ptr_set", this.heap);
    this.call("setBudget", steps);
    this.call("setCeiling", this.heap + bytes);
    this.call("begin");
    try {
      return run();
    } catch (error) {
      if (error instanceof Aborted) return undefined;
      throw error;
    }
  }

  call(name: string, ...args: number[]): number {
    return (this.exports[name] as Exports[string])(...args);
  }

  word(address: number): number {
    return new DataView(this.memory.buffer).getUint32(address, true);
  }

  /** Address of a value, 0 for one that cannot be made. */
  write(value: Value): number {
    const text = this.encoder.encode(valueText(value));
    const at = this.call("opa_malloc", text.length);
    new Uint8Array(this.memory.buffer).set(text, at);
    return this.call("opa_value_parse", at, text.length);
  }

  /** The value at an address other than 0. */
  read(address: number): Value {
    const tag = this.word(address) & 0xff;
    const items = this.word(address + COLLECTION_ITEMS);
    const list = <T>(read: (i: number) => T): T[] =>
      Array.from({ length: this.word(address + COLLECTION_COUNT) }, (_, i) => read(i));
    switch (tag) {
      case TAG_NULL:
        return { kind: "null" };
      case TAG_BOOLEAN:
        return { kind: "boolean", value: address === TRUE_VALUE };
      case TAG_NUMBER:
        return { kind: "number", text: this.numberText(address) };
      case TAG_STRING:
        return {
          kind: "string",
          value: this.text(this.word(address + STRING_BYTES), this.word(address + STRING_LENGTH)),
        };
      case TAG_ARRAY:
        return { kind: "array", items: list((i) => this.read(this.word(items + i * 4))) };
      case TAG_SET:
        return { kind: "set", items: list((i) => this.read(this.word(items + i * 4))) };
      case TAG_OBJECT:
        return {
          kind: "object",
          entries: list((i) => [this.read(this.word(items + i * 8)), this.read(this.word(items + i * 8 + 4))] as const),
        };
      default:
        throw new Error(`no value has the tag ${tag}`);
    }
  }

  private numberText(address: number): string {
    if ((this.word(address) >> (VALUE_FLAGS * 8)) & FLAG_TEXT) {
      return this.text(this.word(address + NUMBER_TEXT), this.word(address + NUMBER_TEXT_LENGTH));
    }
    return String(new DataView(this.memory.buffer).getBigInt64(address + NUMBER_INT, true));
  }

  private text(at: number, length: number): string {
    try {
      return this.decoder.decode(new Uint8Array(this.memory.buffer, at, length));
    } catch {
      // A constant is a text; what is not UTF-8 is left to the module.
      throw new Aborted();
    }
  }
}
