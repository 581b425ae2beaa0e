/** The door to code generation, which is loaded on the first use. */

export function loadBackEnd(): Promise<typeof import("./emit-module.ts")> {
  return import("./emit-module.ts");
}
