/**
 * The way to code generation. It needs binaryen, which takes longer to load than most policies take to compile: so it is
 * loaded on the first use, and whoever knows that there will be one may begin early, and let it load beside other work.
 */

export function loadBackEnd(): Promise<typeof import("./wasm/emit-module.ts")> {
  return import("./wasm/emit-module.ts");
}
