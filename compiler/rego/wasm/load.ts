/** Loads code generation on its first use. */

export function loadBackEnd(): Promise<typeof import("./emit-module.ts")> {
  return import("./emit-module.ts");
}
