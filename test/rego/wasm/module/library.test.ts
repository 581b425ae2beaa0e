/** The runtime library read from its bytes, against the call graph that was read from its text when it was built. */

import { expect, it } from "vitest";
import { Link } from "../../../../compiler/rego/wasm/module/encode.ts";
import { linkedBody } from "../../../../compiler/rego/wasm/module/instructions.ts";
import { readLibrary } from "../../../../compiler/rego/wasm/module/library.ts";
import { RTLIB_CALLS, RTLIB_EXPORTS } from "../../../../compiler/rego/wasm/rtlib.embedded.ts";
import { rtlibBytes } from "../../../../compiler/rego/wasm/rtlib-instance.ts";

const library = readLibrary(rtlibBytes());
const imported = library.funcs.filter(({ source }) => "module" in source).length;

it("has the exports that the text has", () => {
  // Those that only pass on what the host supplies are no functions of its own.
  const exports = [...library.exports].flatMap(([name, number]) =>
    number < imported ? [] : [[name, number - imported] as const],
  );
  expect(Object.fromEntries(exports)).toEqual(RTLIB_EXPORTS);
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
    return [...called].sort((a, b) => a - b);
  });
  expect(calls).toEqual(RTLIB_CALLS);
});

it("has a name for every function and global", () => {
  const names = [...library.funcs, ...library.globals].map(({ name }) => name);
  expect(names.filter((name) => /^(func|global)\d+$/.test(name))).toEqual([]);
});
