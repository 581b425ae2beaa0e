/**
 * A policy's module as any SDK sees it: raw exports over a memory that the host made. Policies are written as IR text
 * (compiler/rego/plan/text.ts), so that these tests depend on no earlier stage.
 */

import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import type { EmitOptions } from "../../../compiler/rego/wasm/emit-module.ts";
import { loadBackEnd } from "../../../compiler/rego/wasm/load.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { assertVerified } from "../plan/verify.ts";

export const { emitModule } = await loadBackEnd();

/** `constants`: what `#0`, `#1`, … in the text stand for. */
export function emit(policy: Policy | string, constants: readonly Value[] = [], options: EmitOptions = {}): Uint8Array {
  const parsed = typeof policy === "string" ? parsePolicyText(policy, constants) : policy;
  assertVerified(parsed);
  const { bytes, diagnostics } = emitModule(parsed, options);
  if (bytes === undefined) throw new Error(diagnostics.map((d) => d.message).join("; "));
  return bytes;
}

/** A plan that adds `{"result": L}` for the result of one function. */
export function entrypoint(name: string, func: string): string {
  return `plan ${name}
  block
    L2 = call ${func}(L0, L1)
    L3 = object
    insert L3 "result" L2
    result L3
`;
}

export class Abort extends Error {}

type Fn = (...args: number[]) => number;
type HostBuiltin = (...args: number[]) => number;

export class Module {
  readonly memory: WebAssembly.Memory;
  readonly exports: Record<string, Fn>;
  /** First address of the heap, and where evaluations may begin after the data. */
  readonly base: number;
  evalBase: number;
  data = 0;

  constructor(
    bytes: Uint8Array,
    host: { pages?: number; maximum?: number; builtins?: Record<string, HostBuiltin> } = {},
  ) {
    this.memory = new WebAssembly.Memory({
      initial: host.pages ?? 5,
      ...(host.maximum ? { maximum: host.maximum } : {}),
    });
    const call = (id: number, _ctx: number, ...args: number[]): number => {
      const name = Object.entries(this.json(this.fn("builtins")()) as Record<string, number>).find(
        ([, n]) => n === id,
      )?.[0];
      return host.builtins?.[name as string]?.(...args) ?? 0;
    };
    const env = {
      memory: this.memory,
      opa_abort: (at: number) => {
        throw new Abort(this.text(at));
      },
      opa_println: () => {},
      ...Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`opa_builtin${n}`, call])),
    };
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>), { env });
    this.exports = instance.exports as unknown as Record<string, Fn>;
    this.base = this.fn("opa_heap_ptr_get")();
    this.evalBase = this.base;
  }

  fn(name: string): Fn {
    const found = this.exports[name];
    if (typeof found !== "function") throw new Error(`the module does not export ${name}`);
    return found;
  }

  /** The NUL-terminated text at an address. */
  text(at: number): string {
    const bytes = new Uint8Array(this.memory.buffer);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  json(value: number): unknown {
    return JSON.parse(this.text(this.fn("opa_json_dump")(value)));
  }

  valueText(value: number): string {
    return this.text(this.fn("opa_value_dump")(value));
  }

  /** Writes bytes where the host may, growing memory as hosts do. */
  write(at: number, bytes: Uint8Array): void {
    const missing = at + bytes.length - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    new Uint8Array(this.memory.buffer).set(bytes, at);
  }

  malloc(text: string | Uint8Array): { at: number; length: number } {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const at = this.fn("opa_malloc")(bytes.length);
    this.write(at, bytes);
    return { at, length: bytes.length };
  }

  /** Parses text by opa_json_parse or opa_value_parse; 0 when it is refused. */
  parse(text: string | Uint8Array, parser: "opa_json_parse" | "opa_value_parse" = "opa_json_parse"): number {
    const { at, length } = this.malloc(text);
    const value = this.fn(parser)(at, length);
    this.fn("opa_free")(at);
    return value;
  }

  setData(data: unknown): void {
    this.fn("opa_heap_ptr_set")(this.base);
    this.data = this.parse(JSON.stringify(data));
    this.evalBase = this.fn("opa_heap_ptr_get")();
  }

  /** opa_eval as the npm SDK calls it; `undefined` gives no input. Returns the parsed result set. */
  evaluate(input?: unknown, entry = 0): unknown {
    return JSON.parse(this.evaluateText(input === undefined ? "" : JSON.stringify(input), entry));
  }

  evaluateText(input: string | Uint8Array, entry = 0, format = 0): string {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    this.write(this.evalBase, bytes);
    const end = this.evalBase + bytes.length;
    return this.text(this.fn("opa_eval")(0, entry, this.data, this.evalBase, bytes.length, end, format));
  }
}
