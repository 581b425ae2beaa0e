/** A module as bytes: what is reached gets its number, and the links of bodies are filled in. */

import { assert } from "../../diagnostics/index.ts";
import { ByteWriter } from "./bytes.ts";
import { type Body, Link } from "./encode.ts";
import type { ModuleBuilder } from "./module.ts";

const MAGIC = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
const FUNC_TYPE = 0x60;
const FUNC_REF = 0x70;
const PASSIVE = 1;
const KINDS = { func: 0, memory: 2, global: 3 } as const;

/** Numbers in the module by symbols of the builder. */
interface Numbers {
  /** Those of the host first, as WebAssembly wants them. */
  readonly imported: readonly number[];
  readonly own: readonly { readonly symbol: number; readonly body: Body }[];
  readonly globals: readonly number[];
  readonly func: readonly (number | undefined)[];
  readonly global: readonly (number | undefined)[];
}

/** The same module always gives the same bytes. */
export function writeModule(module: ModuleBuilder): Uint8Array {
  const numbers = numbersOf(module);
  const out = new ByteWriter(1 << 20);
  out.append(MAGIC);
  const section = (id: number, fill: (content: ByteWriter) => void): void => {
    const content = new ByteWriter(1 << 12);
    fill(content);
    out.byte(id);
    out.unsigned(content.length);
    out.append(content.view());
  };
  const typeOf = (symbol: number): number => module.typeNumber(module.definition(symbol).type);
  const func = (symbol: number): number => numbers.func[symbol] as number;
  // Types get their numbers as they are asked for, so those who ask come first.
  const declared = numbers.own.map(({ symbol }) => typeOf(symbol));
  const importedTypes = numbers.imported.map(typeOf);
  section(1, (s) =>
    list(s, module.types, (type) => {
      s.byte(FUNC_TYPE);
      s.append(type);
    }),
  );
  section(2, (s) => writeImports(s, module, numbers, importedTypes));
  section(3, (s) => list(s, declared, (type) => s.unsigned(type)));
  section(4, (s) => {
    s.unsigned(1);
    s.byte(FUNC_REF);
    s.byte(1);
    s.unsigned(module.table.length);
    s.unsigned(module.table.length);
  });
  section(6, (s) => list(s, numbers.globals, (symbol) => s.append(module.globals[symbol]?.bytes ?? new Uint8Array())));
  section(7, (s) =>
    list(s, module.exports, ({ name, kind, symbol }) => {
      s.name(name);
      s.byte(KINDS[kind]);
      s.unsigned(kind === "func" ? func(symbol) : kind === "global" ? (numbers.global[symbol] as number) : 0);
    }),
  );
  const { start } = module;
  if (start !== undefined) section(8, (s) => s.unsigned(func(start)));
  if (module.table.length > 0)
    section(9, (s) => {
      for (const byte of [1, 0, 0x41, 0, 0x0b]) s.byte(byte);
      list(s, module.table, (symbol) => s.unsigned(func(symbol)));
    });
  section(12, (s) => s.unsigned(module.segments.length));
  section(10, (s) => list(s, numbers.own, ({ body }) => writeBody(s, body, numbers, module)));
  section(11, (s) =>
    list(s, module.segments, ({ data }) => {
      s.byte(PASSIVE);
      s.unsigned(data.length);
      s.append(data);
    }),
  );
  section(0, (s) => writeNames(s, module, numbers));
  for (const { name, content } of module.custom)
    section(0, (s) => {
      s.name(name);
      s.append(content);
    });
  return out.copy();
}

/** What is reached from exports, the table and the start function, in the order in which it was defined. */
function numbersOf(module: ModuleBuilder): Numbers {
  const bodies = new Map<number, Body | undefined>();
  const globals = new Set(module.exports.flatMap((e) => (e.kind === "global" ? [e.symbol] : [])));
  const work = module.exports.flatMap((e) => (e.kind === "func" ? [e.symbol] : []));
  work.push(...module.table, ...(module.start === undefined ? [] : [module.start]));
  for (let symbol = work.pop(); symbol !== undefined; symbol = work.pop()) {
    if (bodies.has(symbol)) continue;
    const body = module.bodyOf(symbol);
    bodies.set(symbol, body);
    const links = body?.links ?? [];
    for (let i = 0; i < links.length; i += 4) {
      const target = links[i + 3] as number;
      if (links[i + 2] === Link.func) {
        if (!bodies.has(target)) work.push(target);
      } else if (links[i + 2] === Link.global) globals.add(target);
    }
  }
  const reached = module.defined.filter((symbol) => bodies.has(symbol));
  const imported = reached.filter((symbol) => bodies.get(symbol) === undefined);
  const own = reached.flatMap((symbol) => {
    const body = bodies.get(symbol);
    return body === undefined ? [] : [{ symbol, body }];
  });
  const kept = [...globals].sort((a, b) => a - b);
  return {
    imported,
    own,
    globals: kept,
    func: placesOf([...imported, ...own.map((f) => f.symbol)], module.funcs.length),
    global: placesOf(kept, module.globals.length),
  };
}

/** By symbol, of which there are `count`: its place in the list. */
function placesOf(symbols: readonly number[], count: number): (number | undefined)[] {
  const places = new Array<number | undefined>(count).fill(undefined);
  for (const [place, symbol] of symbols.entries()) places[symbol] = place;
  return places;
}

function writeImports(s: ByteWriter, module: ModuleBuilder, { imported }: Numbers, types: readonly number[]): void {
  s.unsigned(imported.length + 1);
  s.name("env");
  s.name("memory");
  s.byte(KINDS.memory);
  s.byte(0);
  s.unsigned(module.pages);
  for (const [i, symbol] of imported.entries()) {
    const { source } = module.definition(symbol);
    assert("module" in source, "only what the host supplies has no body");
    s.name(source.module);
    s.name(source.name);
    s.byte(KINDS.func);
    s.unsigned(types[i] as number);
  }
}

const scratch = new ByteWriter(1 << 16);

function writeBody(s: ByteWriter, { bytes, links }: Body, numbers: Numbers, module: ModuleBuilder): void {
  scratch.length = 0;
  let from = 0;
  for (let i = 0; i < links.length; i += 4) {
    const place = links[i] as number;
    scratch.appendRange(bytes, from, place);
    from = place + (links[i + 1] as number);
    const symbol = links[i + 3] as number;
    const kind = links[i + 2];
    const number = kind === Link.type ? symbol : (kind === Link.func ? numbers.func : numbers.global)[symbol];
    assert(number !== undefined, `${module.funcs[symbol]?.name} has no number`);
    scratch.unsigned(number);
  }
  scratch.appendRange(bytes, from, bytes.length);
  s.unsigned(scratch.length);
  s.append(scratch.view());
}

/** For people who look into the module, and for stacks: functions, globals and data. */
function writeNames(s: ByteWriter, module: ModuleBuilder, { imported, own, globals }: Numbers): void {
  s.name("name");
  const part = (id: number, names: readonly string[]): void => {
    const content = new ByteWriter(1 << 12);
    content.unsigned(names.length);
    for (const [i, name] of names.entries()) {
      content.unsigned(i);
      content.name(name);
    }
    s.byte(id);
    s.unsigned(content.length);
    s.append(content.view());
  };
  part(
    1,
    [...imported, ...own.map((f) => f.symbol)].map((symbol) => module.definition(symbol).name),
  );
  part(
    7,
    globals.map((symbol) => module.globals[symbol]?.name ?? ""),
  );
  part(
    9,
    module.segments.map(({ name }) => name),
  );
}

function list<T>(s: ByteWriter, items: readonly T[], write: (item: T) => void): void {
  s.unsigned(items.length);
  for (const item of items) write(item);
}
