/** Bundles that are wrong in one or two ways, a seed each: bits, sizes, names, orders, dialects of tar, documents, bombs. */

import { gzipSync } from "node:zlib";
import type { Random } from "../../../rego/plan/generate/random.ts";

/** An entry of a tar archive, with what its header says. */
export interface TarEntry {
  readonly header: Buffer;
  readonly body: Buffer;
}

export interface Mutant {
  readonly kind: string;
  readonly isBomb: boolean;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);

/** Entries of a well-formed archive. */
export function entriesOf(tar: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const header = Buffer.from(tar.subarray(at, at + BLOCK));
    const size = Number.parseInt(header.toString("latin1", 124, 135), 8);
    entries.push({ header, body: Buffer.from(tar.subarray(at + BLOCK, at + BLOCK + size)) });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

function tarOf(entries: readonly TarEntry[], end: Buffer = END): Buffer {
  const pad = ({ body }: TarEntry): Buffer => Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return Buffer.concat([...entries.flatMap((e) => [e.header, e.body, pad(e)]), end]);
}

/** The header with a field changed and its checksum made right again. */
function withField(header: Buffer, at: number, value: string | Buffer): Buffer {
  const changed = Buffer.from(header);
  Buffer.from(value as string, "latin1").copy(changed, at);
  return summed(changed);
}

function summed(header: Buffer): Buffer {
  header.write("        ", 148, "latin1");
  const sum = header.reduce((a, b) => a + b, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

const octal = (size: number, digits = 11): string => `${size.toString(8).padStart(digits, "0")}\0`;
const named = (header: Buffer, name: string): Buffer =>
  withField(header, 0, Buffer.concat([Buffer.from(name), Buffer.alloc(100)]).subarray(0, 100));
const sized = (header: Buffer, size: number): Buffer => withField(header, 124, octal(size));

/** An entry like another one, with another name, type and body. */
function entry(like: TarEntry, name: string, body: Buffer, type = "0"): TarEntry {
  return { header: withField(sized(named(like.header, name), body.length), 156, type), body };
}

function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length++;
  return Buffer.from(`${length}${rest}`);
}

const NAMES = [
  ...["policy.wasm", "./policy.wasm", "//policy.wasm", "/../policy.wasm", "a/./b.rego", "a//b.rego", "data.json/"],
  ...["/x/policy.wasm", "/b/data.json", "/data.yaml", "/.manifest", "/x/.manifest", "/.manifest.pb", "/patch.json"],
  ...[
    "/.signatures.json",
    "/x/.signatures.json",
    "/app.rego",
    "app.rego",
    "/APP.REGO",
    "/x\\y.rego",
    "",
    "/",
    "/é.rego",
  ],
  ...["/plan.json", "/README", "a".repeat(100), "/\u202e.rego"],
];
const KEYS = ["path", "size", "mtime", "linkpath", "GNU.sparse.name", "GNU.sparse.map", "hdrcharset", "comment"];
const TYPES = [..."\0 1234567gxLKSVMNDA"];
const REGO = Buffer.from('package app\n\ndecision := {"allowed": true}\n');

type Change = (random: Random, entries: TarEntry[]) => TarEntry[] | Buffer | Mutant;

const at = (random: Random, entries: readonly TarEntry[]): TarEntry => random.pick(entries);
const swapped = (entries: readonly TarEntry[], old: TarEntry, ...more: TarEntry[]): TarEntry[] =>
  entries.flatMap((e) => (e === old ? more : [e]));
const manifestOf = (entries: readonly TarEntry[]): TarEntry =>
  entries.find((e) => e.header.toString("latin1", 0, 10).startsWith("/.manifest")) as TarEntry;
const rewritten = (e: TarEntry, body: Buffer): TarEntry => ({ header: sized(e.header, body.length), body });
const flipped = (bytes: Buffer, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
};

/** What a manifest could say otherwise. */
const MANIFESTS: readonly ((text: string, random: Random) => string)[] = [
  (t) => t.replace('"revision"', '"Revision"'),
  (t) => t.replace("{", '{"REVISION":"x",'),
  (t) => t.replace("{", '{"revi\u017fion":"x",'),
  (t) => t.replace("{", '{"revision":"y",'),
  (t) => t.replace(/"roots":\[[^\]]*\]/, '"roots":["app","app/x"]'),
  (t) => t.replace(/"roots":\[[^\]]*\]/, '"roots":["other"]'),
  (t) => t.replace(/"roots":\[[^\]]*\]/, '"roots":"app"'),
  (t) => t.replace(/"roots":\[[^\]]*\]/, '"roots":["/app/","owner"]'),
  (t) => t.replace('"rego_version":1', '"rego_version":0'),
  (t) => t.replace('"rego_version":1', '"rego_version":2'),
  (t) => t.replace('"rego_version":1', '"rego_version":1.0'),
  (t) => t.replace('"rego_version":1', '"rego_version":1,"file_rego_versions":{"*":0}'),
  (t) => t.replace('"rego_version":1', '"rego_version":1,"file_rego_versions":{"/app.rego":2}'),
  (t) => t.replace("/policy.wasm", "/other.wasm"),
  (t) => t.replace("/policy.wasm", "policy.wasm"),
  (t) => t.replace("app/decision", "app/other"),
  (t) => t.replace(/"wasm":\[[^\]]*\],/, ""),
  (t) => t.replace(/"portcullis_wasm_sha256":"[^"]*"/, '"x":1'),
  (t) => `\ufeff${t}`,
  (t) => `${t}{}`,
  (t) => t.trim().slice(0, -1),
  () => "null",
  () => "[]",
  () => "",
  (t, random) => flipped(Buffer.from(t), random.int(t.length * 8)).toString("latin1"),
];

const CHANGES: { readonly [kind: string]: Change } = {
  "a bit of the archive": (random, entries) => {
    const tar = tarOf(entries);
    return flipped(tar, random.int(tar.length * 8));
  },
  "a bit of a header, summed": (random, entries) => {
    const e = at(random, entries);
    return swapped(entries, e, { ...e, header: summed(flipped(e.header, random.int(BLOCK * 8))) });
  },
  "a bit of a body": (random, entries) => {
    const e = at(random, entries);
    return swapped(entries, e, { ...e, body: flipped(e.body, random.int(Math.max(8, e.body.length * 8))) });
  },
  "a field that is written otherwise": (random, entries) => {
    const e = at(random, entries);
    const [from, length] = random.pick([
      [100, 8],
      [108, 8],
      [116, 8],
      [124, 12],
      [136, 12],
      [329, 8],
      [337, 8],
    ] as const);
    const value = random.pick([
      " 1 ",
      "\0",
      "0x10",
      "8",
      "-1",
      "\x80\0\0\0\0\0\0\x01",
      "\xff\xff\xff\xff",
      "777777777777",
      "1\x002",
      "+1",
    ]);
    return swapped(entries, e, {
      ...e,
      header: withField(e.header, from, value.slice(0, length).padEnd(length, "\0")),
    });
  },
  "a size": (random, entries) => {
    const e = at(random, entries);
    const size = random.pick([
      0,
      1,
      e.body.length - 1,
      e.body.length + 1,
      e.body.length + BLOCK,
      1 << 30,
      0o77777777777,
    ]);
    return swapped(entries, e, { ...e, header: sized(e.header, size) });
  },
  "a name": (random, entries) => {
    const e = at(random, entries);
    return swapped(entries, e, { ...e, header: named(e.header, random.pick(NAMES)) });
  },
  "a name with bytes behind it": (random, entries) => {
    const e = at(random, entries);
    const name = Buffer.concat([Buffer.from(random.pick(NAMES)), Buffer.from("\0x.rego")]);
    return swapped(entries, e, { ...e, header: named(e.header, name.toString("latin1")) });
  },
  "a name that is not UTF-8": (random, entries) => {
    const e = at(random, entries);
    return swapped(entries, e, { ...e, header: withField(e.header, random.int(9), "\xff") });
  },
  "a prefix": (random, entries) => {
    const e = at(random, entries);
    return swapped(entries, e, {
      ...e,
      header: withField(e.header, 345, random.pick(["x", "..", "/", "a/b", "\xff"])),
    });
  },
  "a file more": (random, entries) => {
    const more = entry(
      at(random, entries),
      random.pick(NAMES),
      random.pick([REGO, Buffer.from("{}"), Buffer.alloc(0)]),
    );
    return random.chance(0.5) ? [...entries, more] : [more, ...entries];
  },
  "a file less": (random, entries) => swapped(entries, at(random, entries)),
  "a file twice": (random, entries) => [...entries, at(random, entries)],
  "another order": (random, entries) =>
    entries
      .map((e) => [random.random(), e] as const)
      .sort(([a], [b]) => a - b)
      .map(([, e]) => e),
  "two files changed about": (random, entries) => {
    const [a, b] = [at(random, entries), at(random, entries)];
    return entries.map((e) => (e === a ? rewritten(a, b.body) : e === b ? rewritten(b, a.body) : e));
  },
  "a type": (random, entries) => {
    const e = at(random, entries);
    return swapped(entries, e, { ...e, header: withField(e.header, 156, random.pick(TYPES)) });
  },
  "a folder": (random, entries) => [
    entry(at(random, entries), random.pick(["/x/", "x", "./", "..", "/"]), Buffer.alloc(0), "5"),
    ...entries,
  ],
  "an entry of another type before it": (random, entries) => {
    const e = at(random, entries);
    const body = random.pick([
      Buffer.from("/app.rego\0"),
      Buffer.from(random.pick(NAMES)),
      Buffer.alloc(20_000, "x"),
      REGO,
    ]);
    return swapped(entries, e, entry(e, "@LongLink", body, random.pick(TYPES)), e);
  },
  "a pax header": (random, entries) => {
    const e = at(random, entries);
    const records = Array.from({ length: 1 + random.int(2) }, () =>
      paxRecord(random.pick(KEYS), random.pick([...NAMES, "0", "10", "1,2", String(e.body.length)])),
    );
    const body = Buffer.concat(records);
    const broken = random.chance(0.2) ? flipped(body, random.int(body.length * 8)) : body;
    return swapped(entries, e, entry(e, "PaxHeader/x", broken, random.pick(["x", "x", "x", "g"])), e);
  },
  "a pax header and a long name": (random, entries) => {
    const e = at(random, entries);
    const pair = [
      entry(e, "x", paxRecord("path", random.pick(NAMES)), "x"),
      entry(e, "x", Buffer.from("/long.rego\0"), "L"),
    ];
    return swapped(entries, e, ...(random.chance(0.5) ? pair : pair.reverse()), e);
  },
  "a pax path": (random, entries) => {
    const e = at(random, entries);
    return swapped(
      entries,
      e,
      entry(e, "x", paxRecord("path", e.header.toString("latin1", 0, e.header.indexOf(0))), "x"),
      e,
    );
  },
  "another dialect": (random, entries) => {
    const magic = random.pick([
      "ustar  \0",
      "ustar\x0000",
      "\0\0\0\0\0\0\0\0",
      "ustar\0\0\0",
      "ustar\x0001",
      "ustar   ",
    ]);
    const tail = random.pick(["", "tar\0"]);
    return entries.map((e) => ({ ...e, header: withField(withField(e.header, 257, magic), 508, tail) }));
  },
  "an end that is not one": (random, entries) =>
    tarOf(
      entries,
      random.pick([
        Buffer.alloc(0),
        Buffer.alloc(BLOCK),
        Buffer.alloc(700),
        Buffer.alloc(1500),
        Buffer.alloc(20 * BLOCK),
      ]),
    ),
  "data behind the end": (random, entries) =>
    Buffer.concat([
      tarOf(entries),
      random.pick([Buffer.from("x"), tarOf(entries), tarOf([entry(at(random, entries), "/b.rego", REGO)])]),
    ]),
  "a block of zeros between": (random, entries) => {
    const i = random.int(entries.length);
    return Buffer.concat([tarOf(entries.slice(0, i), Buffer.alloc(BLOCK)), tarOf(entries.slice(i))]);
  },
  "a manifest": (random, entries) => {
    const e = manifestOf(entries);
    return swapped(entries, e, rewritten(e, Buffer.from(random.pick(MANIFESTS)(e.body.toString(), random), "utf8")));
  },
  "a bit of the gzip": (random, entries) => {
    const packed = gzipSync(tarOf(entries));
    return { kind: "", isBomb: false, bytes: flipped(packed, random.int(packed.length * 8)) };
  },
  "a gzip that was cut": (random, entries) => {
    const packed = gzipSync(tarOf(entries));
    return { kind: "", isBomb: false, bytes: packed.subarray(0, random.int(packed.length)) };
  },
  "two gzips": (random, entries) => {
    const tar = tarOf(entries);
    const cut = random.pick([0, BLOCK, tar.length >> 1, tar.length]);
    return {
      kind: "",
      isBomb: false,
      bytes: Buffer.concat([gzipSync(tar.subarray(0, cut)), gzipSync(tar.subarray(cut))]),
    };
  },
  "a gzip with more behind it": (random, entries) => ({
    kind: "",
    isBomb: false,
    bytes: Buffer.concat([gzipSync(tarOf(entries)), random.pick([Buffer.from("x"), Buffer.alloc(8), gzipSync("x")])]),
  }),
};

/** What takes much: a few of each, since each takes its time to make. */
const BOMBS: { readonly [kind: string]: Change } = {
  "a manifest of brackets": (random, entries) => {
    const e = manifestOf(entries);
    return swapped(entries, e, rewritten(e, Buffer.alloc(random.pick([1 << 20, 60_000_000]), "[")));
  },
  "a manifest of objects": (_, entries) => {
    const e = manifestOf(entries);
    return swapped(entries, e, rewritten(e, Buffer.from('{"metadata":'.concat('{"a":'.repeat(100_000)))));
  },
  "data of brackets": (_, entries) => [
    ...entries,
    entry(manifestOf(entries), "/x/data.json", Buffer.alloc(90_000_000, "[")),
  ],
  "zeros beyond the limit": (random, entries) => {
    const size = random.pick([130_000_000, 300_000_000]);
    return [...entries, entry(manifestOf(entries), "/x.rego", Buffer.alloc(size))];
  },
  "many files": (random, entries) => [
    ...entries,
    ...Array.from({ length: 10_001 }, (_, i) => entry(at(random, entries), `/n${i}`, Buffer.alloc(0))),
  ],
  "a large module": (_, entries) =>
    entries.map((e) =>
      e.header.toString("latin1", 1, 12) === "policy.wasm"
        ? rewritten(e, Buffer.concat([e.body, Buffer.alloc(60_000_000)]))
        : e,
    ),
};

/** One in this many is a bomb. */
const BOMBS_RATIO = 200;

/** The mutant of a number; the same for the same stream of choices. */
export function mutantOf(random: Random, original: readonly TarEntry[], number: number): Mutant {
  const isBomb = number % BOMBS_RATIO === BOMBS_RATIO - 1;
  const table = isBomb ? BOMBS : CHANGES;
  const kinds = Object.keys(table);
  const kind = kinds[(isBomb ? Math.floor(number / BOMBS_RATIO) : number) % kinds.length] as string;
  let entries = [...original];
  // A second change now and then.
  if (!isBomb && random.chance(0.2)) {
    const first = (CHANGES[random.pick(["another order", "a folder", "a pax path", "a file less"])] as Change)(
      random,
      entries,
    );
    if (Array.isArray(first) && first.length > 1 && first.includes(manifestOf(first))) entries = first;
  }
  const made = (table[kind] as Change)(random, entries);
  if (!Array.isArray(made) && !Buffer.isBuffer(made)) return { ...made, kind };
  return { kind, isBomb, bytes: gzipSync(Buffer.isBuffer(made) ? made : tarOf(made), { level: isBomb ? 9 : 1 }) };
}
