/**
 * Regular expressions and globs as programs of the runtime library's matching machine, made by that library itself: it runs
 * here as it runs in a policy's module, so both are sure to agree on what a pattern means.
 */

import { HEADER_HEAP_BASE, RTLIB_BASE } from "@portcullis/runtime/abi";
import { decodeBase64 } from "./link.ts";
import { RTLIB, RTLIB_SEGMENTS } from "./rtlib.embedded.ts";
import { withoutUnused } from "./rtlib-prune.ts";

/** `separators`: those of a glob; undefined for a regular expression. */
export interface Pattern {
  readonly text: string;
  readonly separators?: readonly string[] | null;
}

type Exports = Readonly<Record<string, (...args: number[]) => number>>;

const PAGE = 65536;
const PAGES = 5;
/** Where a program says how many bytes it has. */
const PROGRAM_LENGTH = 4;
/** Larger programs are left to evaluations, of which few need one: a module should not carry them. */
const MAX_BYTES = 1 << 16;

class Aborted extends Error {}

let started: { readonly memory: WebAssembly.Memory; readonly exports: Exports; readonly heap: number } | undefined;

/** The words of the pattern's program; undefined where there is none, or a large one. */
export function programOf(pattern: Pattern): readonly number[] | undefined {
  started ??= start();
  const { memory, exports, heap } = started;
  const call = (name: string, ...args: number[]): number => (exports[name] as Exports[string])(...args);
  const value = (json: unknown): number => {
    const text = new TextEncoder().encode(JSON.stringify(json));
    const at = call("opa_malloc", text.length);
    new Uint8Array(memory.buffer).set(text, at);
    return call("opa_json_parse", at, text.length);
  };
  call("opa_heap_ptr_set", heap);
  call("begin");
  try {
    const text = value(pattern.text);
    const program =
      pattern.separators === undefined
        ? call("build_regex", text)
        : call("build_glob", text, value(pattern.separators));
    if (program === 0) return undefined;
    const view = new DataView(memory.buffer);
    const length = view.getUint32(program + PROGRAM_LENGTH, true);
    if (length > MAX_BYTES) return undefined;
    return Array.from({ length: length / 4 }, (_, i) => view.getUint32(program + i * 4, true));
  } catch (error) {
    if (error instanceof Aborted) return undefined;
    throw error;
  }
}

function start(): NonNullable<typeof started> {
  const wasm = withoutUnused(decodeBase64(RTLIB), new Set(["build_regex", "build_glob"]));
  const memory = new WebAssembly.Memory({ initial: PAGES });
  const opa_abort = (): never => {
    throw new Aborted();
  };
  const none = (): number => 0;
  const env = { memory, opa_abort, opa_builtin0: none, opa_builtin1: none, opa_builtin2: none };
  const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
  const instance = new WebAssembly.Instance(module, { env: { ...env, opa_builtin3: none, opa_builtin4: none } });
  const exports = instance.exports as unknown as Exports;
  const header = new DataView(memory.buffer);
  const end = RTLIB_SEGMENTS.reduce((most, [, behind]) => Math.max(most, behind), RTLIB_BASE);
  // The rest of the header stays zero: no strings of a policy, no memo frame.
  header.setUint32(HEADER_HEAP_BASE, Math.ceil(end / PAGE) * PAGE, true);
  (exports.initialize as Exports[string])();
  return { memory, exports, heap: (exports.opa_heap_ptr_get as Exports[string])() };
}
