/** One instance of a compiled policy: its memory, its exports, and evaluation inside fixed limits. */

import { HEADER_BYTES, HEADER_FAULT, HEADER_FILLED, type PolicySection, type PortcullisExports } from "../abi/index.ts";
import { ValueReader } from "../decode/index.ts";
import {
  type Codec,
  codecsOf,
  EncodeError,
  MemoryWriter,
  RequestWriter,
  type Shape,
  SYMBOLIC_STRINGS_SIZE,
  SymbolicStrings,
  ValueWriter,
} from "../encode/index.ts";
import type { SuppliedBuiltin } from "../host/builtin.ts";
import type { WasmModule } from "../platform.ts";
import { type BuiltinBridge, importsFor, PolicyAbort } from "./imports.ts";
import type { Taken } from "./limit-text.ts";

/** Limits of one evaluation. */
export interface Limits {
  /** Bytes of memory that an evaluation (input, temporaries, result) may use beyond policy and data. */
  readonly memory: number;
  /** Bytes of an encoded input. */
  readonly input: number;
  /** Steps: calls of functions, turns of loops, `with`, and the work of builtins by the size of their operands and results. */
  readonly steps: number;
}

export const DEFAULT_LIMITS: Limits = { memory: 64 << 20, input: 16 << 20, steps: 50_000_000 };

/** The exports that the runtime calls: ours, and these of OPA's. */
interface Exports extends PortcullisExports {
  readonly opa_json_parse: (address: number, length: number) => number;
  readonly opa_value_parse: (address: number, length: number) => number;
  readonly opa_json_dump: (value: number) => number;
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

/** The address, unless it is what stands for a text that is not well-formed. */
function held(address: number, invalid: number): number {
  if (address === invalid) throw new EncodeError("the input is not valid JSON");
  return address;
}

/** Steps of each question that is asked while loading: enough for any rule that does not go through large tables. */
const REHEARSED_STEPS = 10_000;
/** Rules of an entrypoint that are asked then at most. */
const MOST_REHEARSED = 256;

const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Instance {
  readonly exports: Exports;
  readonly reader: ValueReader;
  /** Addresses of the policy's own strings, the same in every instance. */
  readonly strings: ReadonlyMap<string, number>;
  private readonly memory: WebAssembly.Memory;
  private readonly out: MemoryWriter;
  private readonly values: ValueWriter;
  private readonly symbols: SymbolicStrings;
  private readonly writer: RequestWriter;
  readonly limits: Limits;
  private readonly codecs: readonly (Codec | null)[];
  /** The evaluation context, below the host's data. */
  private readonly context: number;
  /** Where the host's data begins. */
  private readonly heapBase: number;
  private data = 0;
  /** Where an evaluation's heap begins: after the host's data. */
  private evalHeap: number;

  /** Throws WebAssembly's errors when the module cannot be instantiated. */
  constructor(
    module: WasmModule,
    section: PolicySection,
    builtins: ReadonlyMap<number, SuppliedBuiltin>,
    limits: Limits,
    code?: WasmModule,
  ) {
    this.memory = new WebAssembly.Memory({ initial: 5 });
    this.limits = limits;
    const imports = importsFor(this.memory, builtins, () => this.bridge);
    let instance = new WebAssembly.Instance(module, imports);
    if (code !== undefined) {
      // Memory is filled: what decides has the code that many policies share.
      new Uint8Array(this.memory.buffer)[HEADER_FILLED] = 1;
      instance = new WebAssembly.Instance(code, imports);
    }
    this.exports = instance.exports as unknown as Exports;
    this.exports.portcullis_set_budget(limits.steps);
    this.context = this.exports.opa_eval_ctx_new();
    this.out = new MemoryWriter(this.memory, limits.input);
    this.symbols = new SymbolicStrings(this.out, this.exports.opa_malloc(SYMBOLIC_STRINGS_SIZE));
    this.reader = new ValueReader(this.out, section.heapBase, this.symbols, {
      dump: (v) => this.bridge.readText(this.exports.opa_json_dump(v)),
      sort: (set) => this.exports.portcullis_sort_set(set),
    });
    const strings = this.reader.readStrings(section.strings);
    this.strings = strings;
    this.codecs = codecsOf(section.decide ?? [], strings);
    this.values = new ValueWriter(this.out, strings, section);
    this.writer = new RequestWriter(
      this.out,
      this.values,
      this.symbols,
      (address) => this.reader.read(address) as string,
    );
    this.heapBase = this.exports.opa_heap_ptr_get();
    this.evalHeap = this.heapBase;
    this.limitMemory();
  }

  /** Puts the host's data on the heap below every evaluation. Throws EncodeError, or an error of the module. */
  setData(data: unknown): void {
    this.exports.portcullis_set_ceiling(0);
    this.data = 0;
    this.exports.opa_heap_ptr_set(this.heapBase);
    this.data = this.write(data, this.heapBase, "whole");
    this.evalHeap = this.exports.opa_heap_ptr_get();
    this.limitMemory();
  }

  /** The value of an entrypoint. Throws EncodeError, DecodeError, PolicyAbort, or a RuntimeError of WebAssembly. */
  decide(entrypoint: number, input: unknown): unknown {
    const codec = this.codecs[entrypoint];
    if (!codec) return this.answer(entrypoint, this.write(input, this.evalHeap, "whole"));
    const address = this.writer.write(input, this.evalHeap, codec.shape);
    return this.read(this.exports.portcullis_decide(codec.place, address, this.data, this.settle(this.out.top)));
  }

  /** The same for an input as JSON text. */
  decideJson(entrypoint: number, json: Uint8Array): unknown {
    const { exports, out } = this;
    const codec = this.codecs[entrypoint];
    if (!codec) return this.answer(entrypoint, this.parsed(json, exports.opa_json_parse));
    const text = this.put(json);
    return this.read(held(exports.portcullis_decide_text(codec.place, text, json.length, this.data, out.top), 1));
  }

  /** The value of an entrypoint out of its result set. */
  private answer(entrypoint: number, input: number): unknown {
    return this.read(this.reader.onlyMember(this.run(entrypoint, input)));
  }

  private read(address: number): unknown {
    return address === 0 ? undefined : this.reader.read(address);
  }

  /**
   * Decides, then runs other functions of the table on the same input, each within few steps; the answers are dropped.
   * Whether the instance can be used afterwards.
   */
  rehearse(entrypoint: number, input: unknown, places: readonly number[] = []): boolean {
    const { exports, limits, out } = this;
    exports.portcullis_set_budget(Math.min(REHEARSED_STEPS, limits.steps));
    this.bridge.isRehearsal = true;
    try {
      this.tried(() => this.decide(entrypoint, input));
      const address = this.writer.write(input, this.evalHeap, this.codecs[entrypoint]?.shape ?? "whole");
      const heap = this.settle(out.top);
      for (const place of places.slice(0, MOST_REHEARSED))
        this.tried(() => exports.portcullis_decide(place, address, this.data, heap));
    } catch {
      return false;
    } finally {
      this.bridge.isRehearsal = false;
    }
    exports.portcullis_set_budget(limits.steps);
    return true;
  }

  /** Whatever ends an evaluation where the state of the module is whole is ended with it. */
  private tried(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof PolicyAbort || error instanceof EncodeError)) throw error;
    }
  }

  /** The result set of an entrypoint as an address. */
  evaluate(entrypoint: number, input: unknown): number {
    return this.run(entrypoint, this.write(input, this.evalHeap, "whole"));
  }

  /** The same for an input as a Rego term. */
  evaluateTerm(entrypoint: number, term: Uint8Array): number {
    return this.run(entrypoint, this.parsed(term, this.exports.opa_value_parse));
  }

  /** What the last evaluation took, while nothing else was done since. */
  get taken(): Taken {
    const steps = this.exports.portcullis_spent();
    return { steps, memory: this.exports.opa_heap_ptr_get() - this.evalHeap };
  }

  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  private limitMemory(): void {
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

  /** Writes a value on the heap at `heap`, which then begins after it. */
  private write(value: unknown, heap: number, shape: Shape): number {
    const address = this.writer.write(value, heap, shape);
    this.exports.opa_heap_ptr_set(this.settle(this.out.top));
    return address;
  }

  /** Indexes the large collections of the input; the address at which the heap begins then. */
  private settle(top: number): number {
    const unindexed = this.values.takeUnindexed();
    if (unindexed.length === 0) return top;
    this.exports.opa_heap_ptr_set(top);
    for (const object of unindexed) this.exports.portcullis_index(object);
    return this.exports.opa_heap_ptr_get();
  }

  /** Puts a text where an evaluation's heap begins, which begins behind it then. */
  private put(text: Uint8Array): number {
    this.out.begin(this.evalHeap);
    const address = this.out.take(text.length);
    this.out.bytes.set(text, address);
    return address;
  }

  private parsed(text: Uint8Array, parse: (address: number, length: number) => number): number {
    const address = this.put(text);
    this.exports.opa_heap_ptr_set(this.out.top);
    return held(parse(address, text.length), 0);
  }

  private readonly bridge: BuiltinBridge & { isRehearsal: boolean } = {
    isRehearsal: false,
    readFault: () => this.out.refresh().words[HEADER_FAULT >> 2] as number,
    materialise: (address) => this.symbols.materialise(address),
    readText: (address) => {
      const { bytes } = this.out.refresh();
      const end = bytes.indexOf(0, address);
      return utf8Decoder.decode(bytes.subarray(address, end < 0 ? bytes.length : end));
    },
    dumpValue: (address) => this.bridge.readText(this.withBytes(() => this.exports.opa_value_dump(address))),
    parseValue: (text) => {
      // Three bytes a UTF-16 unit, and three that may be overwritten behind them.
      const address = this.exports.opa_malloc(text.length * 3 + 3);
      const length = this.out.refresh().text(text, address);
      return this.withBytes(() => this.exports.opa_value_parse(address, length));
    },
  };

  /** While the module writes or reads the text of a builtin, strings that are not UTF-8 have one, too (HEADER_BYTES). */
  private withBytes(work: () => number): number {
    const word = HEADER_BYTES >> 2;
    this.out.refresh().words[word] = 1;
    try {
      return work();
    } finally {
      this.out.refresh().words[word] = 0;
    }
  }
}
