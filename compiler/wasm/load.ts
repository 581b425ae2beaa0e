/**
 * The door to code generation. It needs binaryen, which takes longer to load than most policies take to compile. So it is
 * loaded on the first use; whoever knows that there will be one may call this early, and let it load beside other work.
 */

export async function loadBackEnd(): Promise<typeof import("./emit-module.ts")> {
  const { startBinaryen } = await import("./binaryen.ts");
  await startBinaryen();
  return import("./emit-module.ts");
}
