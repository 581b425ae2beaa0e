/** The bundles that this process compiled: that such a module is made of the Rego and data beside it need not be found out. */

const bundles = new WeakSet<Uint8Array>();

export function rememberBuilt(bundle: Uint8Array): void {
  bundles.add(bundle);
}

/** By identity: the same bytes, read from a file, were not built here. */
export const isBuiltHere = (bundle: Uint8Array): boolean => bundles.has(bundle);
