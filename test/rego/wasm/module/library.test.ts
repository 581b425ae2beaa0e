/** The runtime library read from its bytes, against the text that binaryen makes of them. */

import binaryen from "binaryen";
import { expect, it } from "vitest";
import { Link } from "../../../../compiler/rego/wasm/module/encode.ts";
import { linkedBody } from "../../../../compiler/rego/wasm/module/instructions.ts";
import { readLibrary } from "../../../../compiler/rego/wasm/module/library.ts";
import { rtlibBytes } from "../../../../compiler/rego/wasm/rtlib-instance.ts";

const library = readLibrary(rtlibBytes());
const imported = library.funcs.filter(({ source }) => "module" in source).length;
const text = binaryen.readBinary(rtlibBytes()).emitText();
/** The functions that are not imported, in the order of the binary form. */
const functions = text.split(/\n(?= \(func )/).slice(1);
const numbers = new Map(functions.map((f, i) => [/^ \(func \$([^\s()]+)/.exec(f)?.[1], i]));

it("has the exports that the text has", () => {
  // Those that only pass on what the host supplies are no functions of its own.
  const exports = [...library.exports].flatMap(([name, number]) =>
    number < imported ? [] : [[name, number - imported] as const],
  );
  const written = [...text.matchAll(/\n \(export "([^"]+)" \(func \$([^\s()]+)\)\)/g)];
  const own = written.flatMap(([, name, f]) => (numbers.has(f) ? [[name, numbers.get(f)]] : []));
  expect(exports.length).toBeGreaterThan(100);
  expect(Object.fromEntries(exports)).toEqual(Object.fromEntries(own));
});

it("calls in every body what the text calls, and reads no global that there is not", () => {
  const calls = library.funcs.slice(imported).map(({ source }) => {
    const { links } = linkedBody("body" in source ? source.body : new Uint8Array());
    const called = new Set<number>();
    for (let i = 0; i < links.length; i += 4) {
      const symbol = links[i + 3] as number;
      if (links[i + 2] === Link.global) expect(symbol).toBeLessThan(library.globals.length);
      else if (symbol >= imported) called.add(symbol - imported);
    }
    return called;
  });
  const written = functions.map(
    (f) => new Set([...f.matchAll(/\bcall \$([^\s()]+)/g)].flatMap((m) => numbers.get(m[1]) ?? [])),
  );
  expect(written.some((called) => called.size > 0)).toBe(true);
  expect(calls).toEqual(written);
});

it("has a name for every function and global", () => {
  const names = [...library.funcs, ...library.globals].map(({ name }) => name);
  expect(names.filter((name) => /^(func|global)\d+$/.test(name))).toEqual([]);
});
