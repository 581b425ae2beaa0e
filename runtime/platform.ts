/**
 * Types of the platform, taken from whatever declares them: the DOM's, a Worker's or Node's. Where nothing does, the
 * package's declarations still hold; a program cannot have such a value there.
 */

/** What the platform calls `WebAssembly[Name]`; `never` where nothing declares it. */
export type Declared<Name extends string> = typeof globalThis extends {
  WebAssembly: Record<Name, { readonly prototype: infer T }>;
}
  ? T
  : never;

/** `WebAssembly.Module`. */
export type WasmModule = Declared<"Module">;
/** `WebAssembly.Memory`. */
export type WasmMemory = Declared<"Memory">;
/** `AbortSignal`. */
export type PlatformAbortSignal = typeof globalThis extends { AbortSignal: { readonly prototype: infer T } }
  ? T
  : never;
/** `fetch`. */
export type PlatformFetch = typeof globalThis extends { fetch: infer T } ? T : never;
