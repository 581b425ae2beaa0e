/** One instance of a compiled policy: its memory, its exports, and evaluation inside fixed limits. */

import type { PortcullisExports } from "../abi/exports.ts";
import type { DecideEntry, PolicySection } from "../abi/section.ts";
import { AnswerTemplate, isConstant } from "../decode/answer-template.ts";
import { ValueReader } from "../decode/decode.ts";
import { Echo } from "../encode/echo.ts";
import { EncodeError } from "../encode/memory-writer.ts";
import { OPAQUE_SIZE, OpaqueStrings } from "../encode/opaque-strings.ts";
import { plainCopy } from "../encode/plain-copy.ts";
import { RequestWriter } from "../encode/request-writer.ts";
import { type Shape, shapeOf } from "../encode/shape.ts";
import type { HostBuiltin } from "../host/builtin.ts";
import { type BuiltinBridge, importsFor, PolicyAbort } from "./imports.ts";
import { Questions } from "./questions.ts";
import { TextAnswers } from "./text-answers.ts";

/** Limits of one evaluation. */
export interface Limits {
  /** Bytes of memory that an evaluation (input, temporaries, result) may use beyond policy and data. */
  readonly memory: number;
  /** Bytes of an encoded input. */
  readonly input: number;
  /** Steps: calls of functions, turns of loops, `with`, and what builtins take for what they read and make. */
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

/** How an entrypoint is decided without a result set. */
interface Way {
  readonly place: number;
  readonly shape: Shape;
  /** Those that are a few texts of the policy, and were asked before. */
  readonly texts: TextAnswers | undefined;
  /** Any that were asked before; `undefined` where each is evaluated. */
  readonly questions: Questions | undefined;
}

const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Instance {
  readonly exports: Exports;
  readonly reader: ValueReader;
  /** Addresses of the policy's own strings, the same in every instance. */
  readonly strings: ReadonlyMap<string, number>;
  private readonly memory: WebAssembly.Memory;
  private readonly writer: RequestWriter;
  private readonly echo = new Echo();
  private readonly opaque: OpaqueStrings;
  private readonly limits: Limits;
  private readonly ways: readonly (Way | undefined)[];
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
    remembers: boolean,
  ) {
    this.memory = new WebAssembly.Memory({ initial: 5 });
    this.limits = limits;
    const imports = importsFor(this.memory, builtins, () => this.bridge);
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.exports.portcullis_set_budget(limits.steps);
    this.context = this.exports.opa_eval_ctx_new();
    const opaque = new OpaqueStrings(this.memory, this.exports.opa_malloc(OPAQUE_SIZE));
    this.opaque = opaque;
    this.reader = new ValueReader(this.memory, section.heapBase, this.echo, opaque, {
      dump: (v) => this.bridge.readText(this.exports.opa_json_dump(v)),
      sort: (set) => this.exports.portcullis_sort_set(set),
    });
    const strings = this.reader.readStrings(section.strings);
    this.strings = strings;
    const ownText = (address: number): string => this.reader.read(address) as string;
    const wayOf = ({ place, footprint }: DecideEntry): Way => {
      const shape = shapeOf(footprint, strings);
      if (!remembers) return { place, shape, texts: undefined, questions: undefined };
      const texts = TextAnswers.of(shape, strings, ownText, section);
      return { place, shape, texts, questions: texts === undefined ? Questions.of(shape, opaque) : undefined };
    };
    this.ways = section.entrypoints.map((_, id) => {
      const entry = section.decide?.[id];
      return entry === null || entry === undefined ? undefined : wayOf(entry);
    });
    this.writer = new RequestWriter(this.memory, strings, ownText, limits.input, this.echo, section, opaque);
    this.heapBase = this.exports.opa_heap_ptr_get();
    this.evalHeap = this.heapBase;
    this.limitMemory();
  }

  /** Puts the host's data on the heap below every evaluation. Throws EncodeError or what the module throws. */
  setData(data: unknown): void {
    this.exports.portcullis_set_ceiling(0);
    this.data = 0;
    this.forget();
    this.exports.opa_heap_ptr_set(this.heapBase);
    this.data = this.write(data, this.heapBase, "whole");
    this.evalHeap = this.exports.opa_heap_ptr_get();
    this.limitMemory();
  }

  /** Forgets what was asked before. */
  forget(): void {
    for (const way of this.ways) {
      way?.texts?.clear();
      way?.questions?.clear();
    }
  }

  /** The value of an entrypoint. Throws EncodeError, DecodeError, PolicyAbort, or a RuntimeError of WebAssembly. */
  decide(entrypoint: number, input: unknown): unknown {
    const way = this.ways[entrypoint];
    if (way === undefined) return this.read(this.valueOf(this.evaluate(entrypoint, input)));
    const { texts } = way;
    if (texts === undefined) return this.decideAny(way, input);
    const known = texts.find(input);
    if (known !== undefined) return known;
    const answer = this.read(this.answerTo(way, input));
    if (isConstant(answer) && texts.isWritten(this.writer.memoryWords)) texts.keep(answer);
    return answer;
  }

  private decideAny(way: Way, input: unknown): unknown {
    const { questions } = way;
    if (questions === undefined) return this.read(this.answerTo(way, input));
    const known = questions.find(input);
    if (known !== undefined) return known instanceof AnswerTemplate ? known.fill(this.opaque) : known;
    // What is kept must be what was asked: a getter may say something else each time.
    const copy = questions.wants ? plainCopy(input, way.shape) : undefined;
    if (copy === undefined) return this.read(this.answerTo(way, input));
    const result = this.answerTo(way, copy);
    const answer = this.read(result);
    if (answer === undefined || !this.writer.hasStandIns) return answer;
    const kept = isConstant(answer) ? answer : this.reader.templateAt(result);
    if (kept !== undefined) questions.keep(copy, kept, kept instanceof AnswerTemplate ? kept.size : 0);
    return answer;
  }

  /** The address of the answer; 0 for none. */
  private answerTo({ place, shape }: Way, input: unknown): number {
    const address = this.writer.write(input, this.evalHeap, shape);
    return this.exports.portcullis_decide(place, address, this.data, this.settle(this.writer.top));
  }

  private read(address: number): unknown {
    return address === 0 ? undefined : this.reader.read(address);
  }

  /** Does some work within so many steps; whether the instance can be used afterwards, however the work ended. */
  withBudget(steps: number, work: () => void): boolean {
    this.exports.portcullis_set_budget(Math.min(steps, this.limits.steps));
    try {
      work();
    } catch (error) {
      if (!(error instanceof PolicyAbort || error instanceof EncodeError)) return false;
    }
    this.exports.portcullis_set_budget(this.limits.steps);
    return true;
  }

  /** The same for an input as JSON text. */
  decideJson(entrypoint: number, json: Uint8Array): unknown {
    this.exports.opa_heap_ptr_set(this.evalHeap);
    const input = this.readText(json, this.evalHeap, this.exports.opa_json_parse);
    return this.read(this.valueOf(this.run(entrypoint, input)));
  }

  /** The result set of an entrypoint as an address. */
  evaluate(entrypoint: number, input: unknown): number {
    return this.run(entrypoint, this.write(input, this.evalHeap, "whole"));
  }

  /** The same for an input as a Rego term. */
  evaluateTerm(entrypoint: number, term: Uint8Array): number {
    this.exports.opa_heap_ptr_set(this.evalHeap);
    return this.run(entrypoint, this.readText(term, this.evalHeap, this.exports.opa_value_parse));
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

  /** The one answer of a result set `{{"result": value}}`; 0 when it is empty. */
  private valueOf(resultSet: number): number {
    return this.reader.onlyMember(resultSet);
  }

  /** Writes a value on the heap at `heap`, which then begins after it. */
  private write(value: unknown, heap: number, shape: Shape): number {
    const address = this.writer.write(value, heap, shape);
    this.exports.opa_heap_ptr_set(this.settle(this.writer.top));
    return address;
  }

  /** Indexes what the writer left without one; the address at which the heap begins then. */
  private settle(top: number): number {
    const unindexed = this.writer.takeUnindexed();
    if (unindexed.length === 0) return top;
    this.exports.opa_heap_ptr_set(top);
    for (const object of unindexed) this.exports.portcullis_index(object);
    return this.exports.opa_heap_ptr_get();
  }

  private readText(text: Uint8Array, heap: number, parse: (address: number, length: number) => number): number {
    if (text.length > this.limits.input) throw new EncodeError("the input is too large");
    this.echo.clear();
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
