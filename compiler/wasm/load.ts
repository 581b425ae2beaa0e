/**
 * The door to code generation. It needs binaryen, which takes longer to load than most policies take to compile. So it is
 * loaded on the first use; whoever knows that there will be one may call this early, and let it load beside other work.
 */

export function loadBackEnd(): Promise<typeof import("./emit-module.ts")> {
  return import("./emit-module.ts");
}
