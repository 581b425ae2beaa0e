/** One instance of a compiled policy: its memory, its exports, and evaluation inside fixed limits. */

import type { PortcullisExports } from "./abi/exports.ts";
import type { PolicySection } from "./abi/section.ts";
import type { HostBuiltin } from "./builtins/index.ts";
import { ValueReader } from "./decode.ts";
import { EncodeError, TapeWriter } from "./encode.ts";
import { type BuiltinBridge, importsFor } from "./imports.ts";

/** Limits of one evaluation. */
export interface Limits {
  /** Bytes of memory that an evaluation (input, temporaries, result) may use beyond policy and data. */
  readonly memory: number;
  /** Bytes of an encoded input. */
  readonly input: number;
  /** Steps (calls and loop turns). */
  readonly steps: number;
}

export const DEFAULT_LIMITS: Limits = { memory: 64 << 20, input: 16 << 20, steps: 50_000_000 };

/** The exports that the runtime calls: ours, and these of OPA's. */
interface Exports extends PortcullisExports {
  readonly opa_json_parse: (address: number, length: number) => number;
  readonly opa_value_parse: (address: number, length: number) => number;
  readonly opa_value_dump: (value: number) => number;
  readonly opa_malloc: (size: number) => number;
  readonly opa_heap_ptr_get: () => number;
  readonly opa_heap_ptr_set: (address: number) => void;
  readonly opa_eval_ctx_new: () => number;
  readonly opa_eval_ctx_set_input: (ctx: number, input: number) => void;
  readonly opa_eval_ctx_set_data: (ctx: number, data: number) => void;
  readonly opa_eval_ctx_set_entrypoint: (ctx: number, entrypoint: number) => void;
  readonly opa_eval_ctx_get_result: (ctx: number) => number;
  readonly eval: (ctx: number) => number;
}

const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Instance {
  readonly exports: Exports;
  readonly reader: ValueReader;
  private readonly memory: WebAssembly.Memory;
  private readonly writer: TapeWriter;
  private readonly limits: Limits;
  /** The evaluation context, below the host's data. */
  private readonly context: number;
  /** Where the host's data begins. */
  private readonly heapBase: number;
  private data = 0;
  /** Where an evaluation's heap begins: after the host's data. */
  private evalHeap: number;

  /** Throws what WebAssembly throws when the module cannot be instantiated. */
  constructor(
    module: WebAssembly.Module,
    section: PolicySection,
    builtins: ReadonlyMap<number, HostBuiltin>,
    limits: Limits,
  ) {
    this.memory = new WebAssembly.Memory({ initial: 5 });
    this.limits = limits;
    const imports = importsFor(this.memory, builtins, () => this.bridge);
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.writer = new TapeWriter(this.memory, limits.input);
    this.reader = new ValueReader(this.memory, section.heapBase, {
      dump: (v) => this.bridge.dumpValue(v),
      sort: (set) => this.exports.portcullis_sort_set(set),
    });
    this.exports.portcullis_set_budget(limits.steps);
    this.context = this.exports.opa_eval_ctx_new();
    this.heapBase = this.exports.opa_heap_ptr_get();
    this.evalHeap = this.heapBase;
  }

  /** Puts the host's data on the heap below every evaluation. Throws EncodeError or what the module throws. */
  setData(data: unknown): void {
    this.exports.opa_heap_ptr_set(this.heapBase);
    this.exports.portcullis_set_ceiling(0);
    this.data = 0;
    this.data = this.readTape(data, this.heapBase);
    this.evalHeap = this.exports.opa_heap_ptr_get();
  }

  /** The result set of an entrypoint as an address. Throws EncodeError, PolicyAbort, or a RuntimeError of WebAssembly. */
  evaluate(entrypoint: number, input: unknown): number {
    this.begin();
    return this.run(entrypoint, input === undefined ? 0 : this.readTape(input, this.evalHeap));
  }

  /** The same for an input as JSON text. */
  evaluateJson(entrypoint: number, json: Uint8Array): number {
    this.begin();
    return this.run(entrypoint, this.readText(json, this.evalHeap, this.exports.opa_json_parse));
  }

  /** The same for an input as a Rego term. */
  evaluateTerm(entrypoint: number, term: Uint8Array): number {
    this.begin();
    return this.run(entrypoint, this.readText(term, this.evalHeap, this.exports.opa_value_parse));
  }

  private begin(): void {
    this.exports.opa_heap_ptr_set(this.evalHeap);
    this.exports.portcullis_set_ceiling(this.evalHeap + this.limits.memory);
  }

  private run(entrypoint: number, input: number): number {
    const { exports, context } = this;
    exports.opa_eval_ctx_set_input(context, input);
    exports.opa_eval_ctx_set_data(context, this.data);
    exports.opa_eval_ctx_set_entrypoint(context, entrypoint);
    exports.eval(context);
    return exports.opa_eval_ctx_get_result(context);
  }

  /** Forgets everything since the last evaluation began. */
  reset(): void {
    this.exports.opa_heap_ptr_set(this.evalHeap);
  }

  private readTape(value: unknown, heap: number): number {
    const start = (heap + 3) & ~3;
    const end = this.writer.write(value, start);
    this.exports.opa_heap_ptr_set(end);
    return this.exports.portcullis_tape_read(start, end);
  }

  private readText(text: Uint8Array, heap: number, parse: (address: number, length: number) => number): number {
    if (text.length > this.limits.input) throw new EncodeError("the input is too large");
    this.exports.opa_heap_ptr_set(heap);
    const address = this.exports.opa_malloc(text.length);
    new Uint8Array(this.memory.buffer).set(text, address);
    const value = parse(address, text.length);
    if (value === 0) throw new EncodeError("the input is not valid JSON");
    return value;
  }

  private readonly bridge: BuiltinBridge = {
    readText: (address) => {
      const bytes = new Uint8Array(this.memory.buffer);
      const end = bytes.indexOf(0, address);
      return utf8Decoder.decode(bytes.subarray(address, end < 0 ? bytes.length : end));
    },
    dumpValue: (address) => this.bridge.readText(this.exports.opa_value_dump(address)),
    parseValue: (text) => {
      const bytes = utf8Encoder.encode(text);
      const address = this.exports.opa_malloc(bytes.length);
      new Uint8Array(this.memory.buffer).set(bytes, address);
      return this.exports.opa_value_parse(address, bytes.length);
    },
  };
}
