/**
 * A module that another one begins with, as far as a library without tables, start functions and passive data needs it read.
 * Bodies stay bytes; their links are looked for when one turns out to be needed.
 */

import { assert } from "../../diagnostics/index.ts";
import { ByteReader } from "./bytes.ts";
import { END, I32_CONST, skipInstruction } from "./instructions.ts";

const HEADER_SIZE = 8;
const CUSTOM = 0;
const TYPES = 1;
const IMPORTS = 2;
const FUNCS = 3;
const GLOBALS = 6;
const EXPORTS = 7;
const CODE = 10;
const DATA = 11;
/** Kinds of what is imported and exported, and the parts of the section of names. */
const FUNC = 0;
const MEMORY = 2;
const NAMES_OF_FUNCS = 1;
const NAMES_OF_GLOBALS = 7;

export interface LibraryFunc {
  readonly name: string;
  /** Parameters and result as the section of types has them. */
  readonly type: Uint8Array;
  /** What the host supplies is asked for by these; anything else has a body. */
  readonly source: { readonly module: string; readonly name: string } | { readonly body: Uint8Array };
}

export interface LibraryGlobal {
  readonly name: string;
  /** Its type, whether it can change, and its value, as the section of globals has them. */
  readonly bytes: Uint8Array;
}

export interface Library {
  /** By their numbers, as bodies call them. */
  readonly funcs: readonly LibraryFunc[];
  readonly globals: readonly LibraryGlobal[];
  /** The number of each exported function. */
  readonly exports: ReadonlyMap<string, number>;
  readonly data: readonly { readonly address: number; readonly bytes: Uint8Array }[];
}

export function readLibrary(wasm: Uint8Array): Library {
  const sections = sectionsOf(wasm);
  const list = <T>(id: number, read: (reader: ByteReader) => T): T[] => {
    const reader = new ByteReader(sections.get(id) ?? new Uint8Array(1));
    return reader.list(() => read(reader));
  };
  const names = namesOf(sections.get(CUSTOM) ?? new Uint8Array());
  const types = list(TYPES, readType);
  const imported = list(IMPORTS, (r) => readImport(r, types)).flatMap((f) => f ?? []);
  const signatures = list(FUNCS, (r) => types[r.unsigned()] as Uint8Array);
  const bodies = list(CODE, (r) => r.take(r.unsigned()));
  const sources = [...imported, ...signatures.map((type, i) => ({ type, source: { body: bodies[i] as Uint8Array } }))];
  return {
    funcs: sources.map((func, i) => ({ ...func, name: names.funcs.get(i) ?? libraryName(func.source, i) })),
    globals: list(GLOBALS, readGlobal).map((bytes, i) => ({ bytes, name: names.globals.get(i) ?? `global${i}` })),
    exports: new Map(list(EXPORTS, readExport).flatMap((e) => (e === undefined ? [] : [e]))),
    data: list(DATA, readSegment),
  };
}

/** A name for a function that has none in the library, as the host's functions do not. */
function libraryName(source: LibraryFunc["source"], number: number): string {
  return "name" in source ? `${source.module}/${source.name}` : `func${number}`;
}

/** By their numbers; of those without a meaning of their own the one with the names. */
function sectionsOf(wasm: Uint8Array): Map<number, Uint8Array> {
  const sections = new Map<number, Uint8Array>();
  const reader = new ByteReader(wasm, HEADER_SIZE);
  while (reader.at < wasm.length) {
    const id = reader.byte();
    const content = reader.take(reader.unsigned());
    if (id !== CUSTOM) sections.set(id, content);
    else {
      const custom = new ByteReader(content);
      if (custom.name() === "name") sections.set(id, content.subarray(custom.at));
    }
  }
  return sections;
}

function readType(reader: ByteReader): Uint8Array {
  const start = ++reader.at;
  reader.take(reader.unsigned());
  reader.take(reader.unsigned());
  return reader.bytes.subarray(start, reader.at);
}

/** `undefined` for the memory: the module has one of its own. */
function readImport(reader: ByteReader, types: readonly Uint8Array[]): Omit<LibraryFunc, "name"> | undefined {
  const source = { module: reader.name(), name: reader.name() };
  const kind = reader.byte();
  if (kind === FUNC) return { type: types[reader.unsigned()] as Uint8Array, source };
  assert(kind === MEMORY, `the library imports ${source.name}`);
  const isLimited = reader.byte() === 1;
  reader.skipNumber();
  if (isLimited) reader.skipNumber();
  return undefined;
}

function readGlobal(reader: ByteReader): Uint8Array {
  const start = reader.at;
  reader.at += 2;
  skipInstruction(reader);
  assert(reader.byte() === END, "a global of the library has a value that is not a constant");
  return reader.bytes.subarray(start, reader.at);
}

function readExport(reader: ByteReader): readonly [string, number] | undefined {
  const name = reader.name();
  const kind = reader.byte();
  const number = reader.unsigned();
  return kind === FUNC ? [name, number] : undefined;
}

function readSegment(reader: ByteReader): Library["data"][number] {
  assert(reader.byte() === 0 && reader.byte() === I32_CONST, "the library has data without an address");
  const address = reader.unsigned();
  assert(reader.byte() === END, "the library has data at a computed address");
  return { address, bytes: reader.take(reader.unsigned()) };
}

function namesOf(content: Uint8Array): { funcs: ReadonlyMap<number, string>; globals: ReadonlyMap<number, string> } {
  const parts = new Map<number, ReadonlyMap<number, string>>();
  const reader = new ByteReader(content);
  while (reader.at < content.length) {
    const id = reader.byte();
    const part = new ByteReader(reader.take(reader.unsigned()));
    if (id === NAMES_OF_FUNCS || id === NAMES_OF_GLOBALS)
      parts.set(id, new Map(part.list(() => [part.unsigned(), part.name()] as const)));
  }
  const none: ReadonlyMap<number, string> = new Map();
  return { funcs: parts.get(NAMES_OF_FUNCS) ?? none, globals: parts.get(NAMES_OF_GLOBALS) ?? none };
}
