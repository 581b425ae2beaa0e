/**
 * Compiles rtlib and writes compiler/rego/wasm/rtlib.embedded.ts, which carries it to the author's machine: no AssemblyScript
 * is needed there. Does nothing when the embedded module was made from these very sources by this very compiler.
 *
 *   node compiler/build/compile-rtlib.mjs [--text FILE]
 *
 * rtlib has no AssemblyScript runtime: no garbage collection, no managed objects, no start function, and no imports but
 * what the OPA ABI gives to a module. What breaks this is refused here.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import binaryen from "binaryen";

const here = fileURLToPath(new URL("../rego/wasm/rtlib/", import.meta.url));
const layoutFile = join(here, "../../../../runtime/abi/layout.ts");
const target = join(here, "../rtlib.embedded.ts");
const textAt = process.argv.indexOf("--text");
const textFile = textAt < 0 ? undefined : process.argv[textAt + 1];

const ALLOWED_IMPORTS = new Set([
  "memory",
  "opa_abort",
  "opa_builtin0",
  "opa_builtin1",
  "opa_builtin2",
  "opa_builtin3",
  "opa_builtin4",
]);

/** MVP and bulk memory only. */
const OPTIONS = [
  ...["--runtime", "stub", "--importMemory", "--noExportMemory", "--noAssert", "--use", "abort=", "--debug"],
  ...["--disable", "sign-extension", "--disable", "nontrapping-f2i", "--disable", "mutable-globals"],
  ...["--disableWarning", "201"],
];

function sources() {
  const found = [];
  const walk = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.name.endsWith(".ts")) found.push(path);
    }
  };
  walk(here);
  found.push(layoutFile, fileURLToPath(import.meta.url));
  return found.sort();
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const name of ["assemblyscript", "binaryen"])
    hash.update(createRequire(import.meta.url)(`${name}/package.json`).version);
  for (const path of sources()) hash.update(`\0${relative(here, path)}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

/** Any name of a builtin is a name of an export, with every character but letters and digits as `_`. */
function check(wasm) {
  const compiled = new WebAssembly.Module(wasm);
  const problems = WebAssembly.Module.imports(compiled)
    .filter((i) => i.module !== "env" || !ALLOWED_IMPORTS.has(i.name))
    .map((i) => `imports ${i.module}.${i.name}`);
  if (hasStart(wasm)) problems.push("has a start function: give every global a constant initial value");
  if (problems.length > 0) throw new Error(`rtlib ${problems.join("; ")}`);
  return WebAssembly.Module.exports(compiled).map((e) => e.name);
}

/** The functions of a module's text form, in order: name and text. */
function functionsOf(text) {
  const functions = text.split(/\n(?= \(func )/).slice(1);
  return functions.map((f) => ({ name: /^ \(func \$([^\s()]+)/.exec(f)?.[1], text: f }));
}

/** Exported functions: name and internal name. */
function exportedFunctions(text) {
  return [...text.matchAll(/\n \(export "([^"]+)" \(func \$([^\s()]+)\)\)/g)].map(([, name, internal]) => [
    name,
    internal,
  ]);
}

function calleesOf(f) {
  if (/\b(call_indirect|ref\.func|return_call)\b/.test(f.text))
    throw new Error(`rtlib ${f.name} calls through a table`);
  return [...new Set([...f.text.matchAll(/\bcall \$([^\s()]+)/g)].map((m) => m[1]))];
}

/**
 * The data that each export needs, as numbers of segments. Read from a build without optimisation, in which the address
 * of a table is still itself and not an address that some offset has been folded into; segments lie where they do in
 * the optimised build. A constant that only looks like an address keeps data that is not needed, which does no harm.
 */
function dataNeeds(text) {
  const segments = [...text.matchAll(/\n \(data \$\d+ \(i32\.const (\d+)\) "((?:[^"\\]|\\.)*)"\)/g)].map(
    ([, at, bytes]) => ({
      start: Number(at),
      end: Number(at) + bytes.replace(/\\(?:[0-9a-f]{2}|.)/g, "x").length,
    }),
  );
  const globals = new Map(
    [...text.matchAll(/\n \(global \$([^\s()]+) (?:\(mut )?i32\)? \(i32\.const (-?\d+)\)\)/g)].map(
      ([, name, value]) => [name, Number(value)],
    ),
  );
  const touched = (value) => segments.flatMap((s, i) => (value >= s.start && value <= s.end ? [i] : []));
  const functions = new Map(
    functionsOf(text).map((f) => {
      const constants = [...f.text.matchAll(/\bi32\.const (\d+)/g)].map((m) => Number(m[1]));
      const read = [...f.text.matchAll(/\bglobal\.get \$([^\s()]+)/g)].flatMap((m) => globals.get(m[1]) ?? []);
      return [f.name, { callees: calleesOf(f), data: [...constants, ...read].flatMap(touched) }];
    }),
  );
  const needs = exportedFunctions(text).map(([name, internal]) => {
    const found = new Set();
    const data = new Set();
    const work = [internal];
    while (work.length > 0) {
      const next = functions.get(work.pop());
      if (next === undefined || found.has(next)) continue;
      found.add(next);
      for (const segment of next.data) data.add(segment);
      work.push(...next.callees);
    }
    return [name, [...data].sort((a, b) => a - b)];
  });
  return { segments, needs: Object.fromEntries(needs) };
}

function hasStart(wasm) {
  let at = 8;
  while (at < wasm.length) {
    const id = wasm[at++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++];
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (id === 8) return true;
    at += size;
  }
  return false;
}

function render(digest, wasm, names, data) {
  const builtins = names.filter((n) => n.startsWith("builtin_")).map((n) => n.slice("builtin_".length));
  const lines =
    Buffer.from(wasm)
      .toString("base64")
      .match(/.{1,16384}/g) ?? [];
  return [
    "// Made by compiler/build/compile-rtlib.mjs; do not edit.",
    `// Sources: ${digest}`,
    "",
    "/** The compiled runtime library, base64. */",
    "export const RTLIB: string =",
    `${lines.map((l) => `  "${l}"`).join(" +\n")};`,
    "",
    "/** Builtins that it offers: names with every dot as `_`, sorted. */",
    `export const RTLIB_BUILTINS: readonly string[] = ${JSON.stringify(builtins.sort(), null, 2)};`,
    "",
    "/** Data segments: address and address behind. */",
    "export const RTLIB_SEGMENTS: readonly (readonly [start: number, end: number])[] =",
    `  ${JSON.stringify(data.segments.map((s) => [s.start, s.end]))};`,
    "",
    "/** The segments that each exported function needs. */",
    `export const RTLIB_DATA: Readonly<Record<string, readonly number[]>> = ${JSON.stringify(data.needs)};`,
    "",
  ].join("\n");
}

/**
 * Puts functions into their callers up to this size, which AssemblyScript does not: without it, decisions from bytes take 1.05
 * to 1.2 times as long. The module of a policy is a twentieth larger.
 */
const INLINED = 100;

function inline(written) {
  const module = binaryen.readBinary(written.get("rtlib.wasm"));
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  binaryen.setDebugInfo(true);
  binaryen.setAlwaysInlineMaxSize(INLINED);
  binaryen.setFlexibleInlineMaxSize(INLINED);
  binaryen.setOneCallerInlineMaxSize(2 * INLINED);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  module.optimize();
  written.set("rtlib.wasm", module.emitBinary());
  written.set("rtlib.wat", module.emitText());
  module.dispose();
}

async function main() {
  const digest = fingerprint();
  const current = existsSync(target) && statSync(target).isFile() ? readFileSync(target, "utf8") : "";
  if (textFile === undefined && current.includes(`// Sources: ${digest}\n`)) return;
  const { default: asc } = await import("assemblyscript/asc");
  const written = new Map();
  const base = /RTLIB_BASE = (\d+)/.exec(readFileSync(layoutFile, "utf8"))?.[1];
  if (base === undefined) throw new Error("no RTLIB_BASE in runtime/abi/layout.ts");
  const build = async (name, options) => {
    const { error, stderr } = await asc.main(
      ["index.ts", "--outFile", `${name}.wasm`, "--textFile", `${name}.wat`, "--memoryBase", base, ...options],
      {
        readFile: (file, dir) => {
          const path = join(here, dir ?? ".", file);
          return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : null;
        },
        writeFile: (file, data) => void written.set(file, data),
        listFiles: () => [],
      },
    );
    const report = stderr.toString();
    if (report.trim() !== "") process.stderr.write(report);
    if (error) throw error;
  };
  // Memory is zero at first, in a policy and where the compiler asks rtlib: segments are without zeros.
  await build("rtlib", [...OPTIONS, "-O3", "--zeroFilledMemory"]);
  await build("plain", OPTIONS);
  inline(written);
  const wasm = written.get("rtlib.wasm");
  const names = check(wasm);
  writeFileSync(target, render(digest, wasm, names, dataNeeds(written.get("plain.wat"))));
  if (textFile !== undefined) writeFileSync(textFile, written.get("rtlib.wat"));
  process.stdout.write(
    `rtlib: ${wasm.length} bytes, ${names.filter((n) => n.startsWith("builtin_")).length} builtins\n`,
  );
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
