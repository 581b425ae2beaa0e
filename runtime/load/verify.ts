/** Checks bytes before anything is instantiated: is it a module, is it whole, is it one of ours, who made it? */

import {
  ABI_VERSION,
  BUNDLE_SECTION,
  type BundleSection,
  DIGEST_SECTION,
  POLICY_SECTION,
  type PolicySection,
} from "../abi/index.ts";
import { LoadError } from "../errors.ts";
import { nestingOf } from "./json-file.ts";
import { lebAt, wasmSections } from "./wasm-sections.ts";

const WASM_MAGIC = [0x00, 0x61, 0x73, 0x6d];

export function isWasm(bytes: Uint8Array): boolean {
  return WASM_MAGIC.every((b, i) => bytes[i] === b);
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Compiles a module after checking its digest section, when it has one; `isKnown` when its bytes have been compared with a
 * digest already. Throws LoadError.
 */
export async function compileModule(bytes: Uint8Array, isKnown: boolean): Promise<WebAssembly.Module> {
  if (!isKnown) await checkDigest(bytes);
  let module: WebAssembly.Module;
  try {
    module = await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw new LoadError("module-invalid", `the WebAssembly module is not valid: ${(error as Error).message}`);
  }
  policySectionOf(module);
  return module;
}

/**
 * The `portcullis` section of a module, `undefined` for a module that another compiler made. Throws LoadError when the
 * section is damaged or of a version that this runtime does not know, or when the module was cut behind one of its sections.
 */
export function policySectionOf(module: WebAssembly.Module): PolicySection | undefined {
  const section = readSection(module, POLICY_SECTION);
  if (section === undefined && !WebAssembly.Module.exports(module).some(({ name }) => name.startsWith("portcullis_")))
    return undefined;
  if (section === undefined || WebAssembly.Module.customSections(module, DIGEST_SECTION).length !== 1)
    throw new LoadError("module-tampered", "the module lacks a section at its end: it was cut or changed");
  if (!("abi" in section)) throw damaged(POLICY_SECTION);
  if (section.abi !== ABI_VERSION) {
    throw new LoadError(
      "abi-mismatch",
      `the module speaks version ${String(section.abi)} of the ABI, this runtime version ${ABI_VERSION}: build it again, or update the runtime`,
    );
  }
  const { entrypoints, builtins } = section as Partial<PolicySection>;
  if (!Array.isArray(entrypoints) || !Array.isArray(builtins) || builtins.includes(null as never))
    throw damaged(POLICY_SECTION);
  return section as PolicySection;
}

/** What the module's bundle says of itself; `undefined` for a module that was never in one. Throws LoadError. */
export function bundleSectionOf(module: WebAssembly.Module): BundleSection | undefined {
  const section = readSection(module, BUNDLE_SECTION) as BundleSection | undefined;
  if (section !== undefined && !Array.isArray(section.roots)) throw damaged(BUNDLE_SECTION);
  return section;
}

/** Deeper than any section of ours. */
const MAX_NESTING = 1000;

function readSection(module: WebAssembly.Module, name: string): object | undefined {
  const sections = WebAssembly.Module.customSections(module, name);
  const [first] = sections;
  if (first === undefined) return undefined;
  try {
    const bytes = new Uint8Array(first);
    const value: unknown =
      sections.length === 1 && nestingOf(bytes) <= MAX_NESTING
        ? JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
        : undefined;
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Falls through.
  }
  throw damaged(name);
}

function damaged(name: string): LoadError {
  return new LoadError("module-tampered", `the module's \`${name}\` section is damaged`);
}

/** Compares the digest section, which must be the last one, with the bytes before it. No section is not an error here. */
async function checkDigest(bytes: Uint8Array): Promise<void> {
  for (const [id, start, content] of wasmSections(bytes)) {
    if (id !== 0) continue;
    const [length, name] = lebAt(bytes, content);
    const end = name + length;
    if (new TextDecoder().decode(bytes.subarray(name, end)) !== DIGEST_SECTION) continue;
    const before = bytes.subarray(0, start) as Uint8Array<ArrayBuffer>;
    const actual = new Uint8Array(await crypto.subtle.digest("SHA-256", before));
    // With whatever follows the section, which makes it another one.
    if (bytes.length !== end + actual.length || actual.some((byte, i) => byte !== bytes[end + i]))
      throw new LoadError("module-tampered", "the module does not match its digest: it was changed");
  }
}
