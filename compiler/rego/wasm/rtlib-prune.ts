/**
 * Cuts rtlib down for the compiler's own use: the bodies of functions that only unused builtins need become `unreachable`,
 * so that the engine has a fraction to compile. Function numbers stay, so nothing else changes.
 * Data that only unused builtins need becomes zero, which the module does not have to carry.
 */

import { assert } from "../diagnostics/index.ts";
import { leb128 } from "./leb128.ts";
import { RTLIB_CALLS, RTLIB_DATA, RTLIB_EXPORTS, RTLIB_SEGMENTS } from "./rtlib.embedded.ts";

const CODE_SECTION = 10;
const HEADER_SIZE = 8;
/** Size 3, no locals, `unreachable`, `end`. */
const EMPTY_BODY = [0x03, 0x00, 0x00, 0x0b];

/** Exports that are kept only where they are asked for: builtins, and functions that the compiler calls while it compiles. */
const OPTIONAL = /^(?:builtin|build)_/;

/** The module with the functions that the core and the `builtins` (names of exports) need. */
export function withoutUnused(wasm: Uint8Array, builtins: ReadonlySet<string>): Uint8Array {
  const needed = reachable(builtins);
  const section = findSection(wasm, CODE_SECTION);
  const reader = new SectionReader(wasm, section.start);
  const count = reader.leb();
  assert(count === RTLIB_CALLS.length, "the call graph is that of another rtlib");
  const parts: (Uint8Array | number[])[] = [wasm.subarray(section.start, reader.at)];
  for (let i = 0; i < count; i++) {
    const start = reader.at;
    const size = reader.leb();
    reader.at += size;
    parts.push(needed.has(i) ? wasm.subarray(start, reader.at) : EMPTY_BODY);
  }
  const size = parts.reduce((sum, p) => sum + p.length, 0);
  return concat([
    wasm.subarray(0, section.header),
    [CODE_SECTION, ...leb128(size)],
    ...parts,
    wasm.subarray(section.end),
  ]);
}

/** Clears the data at `base` that neither the core nor the `builtins` (names of exports) need. */
export function clearUnused(data: Uint8Array, base: number, builtins: ReadonlySet<string>): void {
  const needed = new Set(exportsNeeded(builtins).flatMap((name) => RTLIB_DATA[name] ?? []));
  for (const [i, [start, end]] of RTLIB_SEGMENTS.entries()) if (!needed.has(i)) data.fill(0, start - base, end - base);
}

/** The exports that every module needs, and the others that are used. */
function exportsNeeded(builtins: ReadonlySet<string>): string[] {
  return Object.keys(RTLIB_EXPORTS).filter((name) => !OPTIONAL.test(name) || builtins.has(name));
}

/** Numbers of the functions that are reached from the needed exports. */
function reachable(builtins: ReadonlySet<string>): ReadonlySet<number> {
  const found = new Set<number>();
  const work = exportsNeeded(builtins).flatMap((name) => RTLIB_EXPORTS[name] ?? []);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    work.push(...(RTLIB_CALLS[next] ?? []));
  }
  return found;
}

interface Section {
  /** Offset of the section's id; `start`: of its content; `end`: of the next section. */
  readonly header: number;
  readonly start: number;
  readonly end: number;
}

function findSection(wasm: Uint8Array, id: number): Section {
  const reader = new SectionReader(wasm, HEADER_SIZE);
  while (reader.at < wasm.length) {
    const header = reader.at++;
    const size = reader.leb();
    const start = reader.at;
    if (wasm[header] === id) return { header, start, end: start + size };
    reader.at = start + size;
  }
  assert(false, "rtlib has no code");
}

class SectionReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  leb(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

function concat(parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
