/**
 * The only door to binaryen. Its type declarations of version 132 lag behind the module in how data segments are read: those
 * that we use are declared here.
 */

import type Binaryen from "binaryen";

/** There after `startBinaryen`: it has a module of its own to compile first. */
export let binaryen: typeof Binaryen;

/** Must have ended before the modules that use binaryen are imported; `loadBackEnd` sees to that. A second call costs nothing. */
export async function startBinaryen(): Promise<void> {
  binaryen ??= await (await import("binaryen")).default;
}

/** A wasm expression under construction; each may be used in one place only. */
export type Expr = number;
export type WasmModule = Binaryen.Module;

/** WebAssembly MVP and bulk memory: every host of OPA modules can run these. */
export const features = (): number => binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt;

interface Segments {
  getNumDataSegments(): number;
  getDataSegmentByIndex(index: number): number;
  getDataSegmentInfo(segment: number): { readonly offset: number; readonly data: ArrayBuffer };
}

export interface ActiveSegment {
  readonly offset: number;
  readonly data: Uint8Array;
}

/** The active data segments of a module that was read. */
export function dataSegments(module: WasmModule): ActiveSegment[] {
  const m = module as unknown as Segments;
  return Array.from({ length: m.getNumDataSegments() }, (_, i) => {
    const info = m.getDataSegmentInfo(m.getDataSegmentByIndex(i));
    return { offset: info.offset, data: new Uint8Array(info.data) };
  });
}

export interface PassiveSegment {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Replaces all data by passive segments, and imports the memory as `env.memory` with `pages` pages at least. */
export function setPassiveData(
  module: WasmModule,
  memory: string,
  pages: number,
  passive: readonly PassiveSegment[],
): void {
  const segments = passive.map(({ name, data }) => ({ name, offset: 0, data, passive: true }));
  module.setMemory(pages, -1, null, segments, false, false, memory);
  module.addMemoryImport(memory, "env", "memory");
}

/** Names of all exports and of the exported functions and memories. */
export function exportsOf(module: WasmModule): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < module.getNumExports(); i++) {
    const info = binaryen.getExportInfo(module.getExportByIndex(i));
    found.set(info.name, info.value);
  }
  return found;
}

/** A constant of 64 bits. */
export function constant64(module: WasmModule, value: bigint): Expr {
  const { i64 } = module as unknown as { readonly i64: { const(value: bigint): Expr } };
  return i64.const(value);
}
