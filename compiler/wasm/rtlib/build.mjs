/**
 * Compiles rtlib and writes compiler/wasm/rtlib.embedded.ts, which carries it to the author's machine: no AssemblyScript
 * is needed there. Does nothing when the embedded module was made from these very sources by this very compiler.
 *
 *   node compiler/wasm/rtlib/build.mjs [--text FILE]
 *
 * rtlib has no AssemblyScript runtime: no garbage collection, no managed objects, no start function, and no imports but
 * what the OPA ABI gives to a module. What breaks this is refused here.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const layoutFile = join(here, "../../../runtime/abi/layout.ts");
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

/** MVP and bulk memory only; -O3 here, so that nothing of rtlib is optimised again when a policy is linked. */
const OPTIONS = [
  ...["--runtime", "stub", "--importMemory", "--noExportMemory", "--noAssert", "--use", "abort=", "--debug"],
  ...["--disable", "sign-extension", "--disable", "nontrapping-f2i", "--disable", "mutable-globals"],
  ...["--disableWarning", "201", "-O3"],
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
  hash.update(createRequire(import.meta.url)("assemblyscript/package.json").version);
  for (const path of sources()) hash.update(`\0${relative(here, path)}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

/** Any name of a builtin is a name of an export, with every character that is no letter or digit as `_`. */
function check(wasm) {
  const compiled = new WebAssembly.Module(wasm);
  const problems = WebAssembly.Module.imports(compiled)
    .filter((i) => i.module !== "env" || !ALLOWED_IMPORTS.has(i.name))
    .map((i) => `imports ${i.module}.${i.name}`);
  if (hasStart(wasm)) problems.push("has a start function: give every global a constant initial value");
  if (problems.length > 0) throw new Error(`rtlib ${problems.join("; ")}`);
  return WebAssembly.Module.exports(compiled).map((e) => e.name);
}

/**
 * Which functions each function calls, by their numbers among the functions that are not imported, and the numbers of
 * those that are exported. Read from the text form, which has the functions in the order of the binary one.
 */
function callGraph(text) {
  const functions = text.split(/\n(?= \(func )/).slice(1);
  const nameOf = (line) => /^ \(func \$((?:[^\s()"]|"[^"]*")+)/.exec(line)?.[1];
  const numbers = new Map(functions.map((f, i) => [nameOf(f), i]));
  const calls = functions.map((f) => {
    if (/\b(call_indirect|ref\.func|return_call)\b/.test(f)) throw new Error(`rtlib ${nameOf(f)} calls through a table`);
    const callees = [...f.matchAll(/\bcall \$((?:[^\s()"]|"[^"]*")+)/g)].map((m) => numbers.get(m[1]));
    return [...new Set(callees.filter((n) => n !== undefined))].sort((a, b) => a - b);
  });
  if (calls.every((c) => c.length === 0)) throw new Error("rtlib's text form has changed: no calls found");
  const exported = [...text.matchAll(/\n \(export "([^"]+)" \(func \$((?:[^\s()"]|"[^"]*")+)\)\)/g)];
  return { calls, exports: Object.fromEntries(exported.map(([, name, internal]) => [name, numbers.get(internal)])) };
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

function render(digest, wasm, names, graph) {
  const builtins = names.filter((n) => n.startsWith("builtin_")).map((n) => n.slice("builtin_".length));
  const lines = Buffer.from(wasm).toString("base64").match(/.{1,16384}/g) ?? [];
  return [
    "// Made by compiler/wasm/rtlib/build.mjs; do not edit.",
    `// Sources: ${digest}`,
    "",
    "/** The compiled runtime library, base64. */",
    "export const RTLIB: string =",
    `${lines.map((l) => `  "${l}"`).join(" +\n")};`,
    "",
    "/** Builtins that it offers: names with every dot as `_`, sorted. */",
    `export const RTLIB_BUILTINS: readonly string[] = ${JSON.stringify(builtins.sort(), null, 2)};`,
    "",
    "/** For each function that is not imported, the numbers of those that it calls. */",
    `export const RTLIB_CALLS: readonly (readonly number[])[] = ${JSON.stringify(graph.calls)};`,
    "",
    "/** The numbers of the exported functions. */",
    `export const RTLIB_EXPORTS: Readonly<Record<string, number | undefined>> = ${JSON.stringify(graph.exports)};`,
    "",
  ].join("\n");
}

async function main() {
  const digest = fingerprint();
  const current = existsSync(target) && statSync(target).isFile() ? readFileSync(target, "utf8") : "";
  if (textFile === undefined && current.includes(`// Sources: ${digest}\n`)) return;
  const { default: asc } = await import("assemblyscript/asc");
  const written = new Map();
  const base = /RTLIB_BASE = (\d+)/.exec(readFileSync(layoutFile, "utf8"))?.[1];
  if (base === undefined) throw new Error("no RTLIB_BASE in runtime/abi/layout.ts");
  const { error, stderr } = await asc.main(
    ["index.ts", "--outFile", "rtlib.wasm", "--textFile", "rtlib.wat", "--memoryBase", base, ...OPTIONS],
    {
      readFile: (name, dir) => {
        const path = join(here, dir ?? ".", name);
        return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : null;
      },
      writeFile: (name, data) => void written.set(name, data),
      listFiles: () => [],
    },
  );
  const report = stderr.toString();
  if (report.trim() !== "") process.stderr.write(report);
  if (error) throw error;
  const wasm = written.get("rtlib.wasm");
  const names = check(wasm);
  writeFileSync(target, render(digest, wasm, names, callGraph(written.get("rtlib.wat"))));
  if (textFile !== undefined) writeFileSync(textFile, written.get("rtlib.wat"));
  process.stdout.write(`rtlib: ${wasm.length} bytes, ${names.filter((n) => n.startsWith("builtin_")).length} builtins\n`);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
