/** The sections of a WebAssembly module: each an id, the length of its content as LEB128, and the content. */

import { LoadError } from "../errors.ts";

/** By id, where the section and its content begin. Throws LoadError where the lengths do not add up to the module's. */
export function* wasmSections(bytes: Uint8Array): Generator<readonly [id: number, start: number, content: number]> {
  let at = 8;
  while (at < bytes.length) {
    const start = at;
    const [length, content] = lebAt(bytes, at + 1);
    at = content + length;
    if (at > bytes.length) throw truncated();
    yield [bytes[start] as number, start, content];
  }
}

/** The number there, and where it ends. Throws LoadError. */
export function lebAt(bytes: Uint8Array, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let factor = 1; factor < 2 ** 35; factor *= 128) {
    const byte = bytes[at++] as number;
    value += (byte & 127) * factor;
    if (byte < 128) return [value, at];
  }
  throw truncated();
}

const truncated = (): LoadError => new LoadError("module-invalid", "the WebAssembly module is truncated");
