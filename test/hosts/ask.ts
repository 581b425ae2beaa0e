/** What every host is asked, and how: nothing here knows which host it is. */

import type * as Runtime from "@portcullis/runtime";

/** The runtime as the host has it: the built package, or a bundle of it. */
type Package = Pick<typeof Runtime, "load" | "LoadError" | "readBundle">;

export interface Material {
  /** The library without a policy, and a bundle with its signature; base64. */
  readonly library: string;
  readonly bundle: string;
  readonly revision: string;
  /** Names of the bundle's files. */
  readonly files: readonly string[];
  readonly verification: Runtime.Verification;
  readonly policies: readonly unknown[];
  /** Entrypoint, place of its policy, input, and the answer that a statement made by hand expects. */
  readonly questions: readonly (readonly [string, number, unknown, unknown])[];
}

export interface Report {
  readonly asked: number;
  /** At most three questions whose answer is another. */
  readonly wrong: readonly unknown[];
  readonly wrongCount: number;
  /** What else must hold; empty where all does. */
  readonly broken: readonly string[];
}

/** Modules that were compiled before, where the host compiles no bytes. */
export interface CompiledModules {
  readonly library: WebAssembly.Module;
  readonly bundle: WebAssembly.Module;
}

export async function ask(runtime: Package, material: Material, compiled?: CompiledModules): Promise<Report> {
  const broken: string[] = [];
  const hold = (condition: boolean, what: string): void => {
    if (!condition) broken.push(what);
  };
  const policy = await runtime.load(compiled?.library ?? bytesOf(material.library));
  let current = -1;
  const wrong: unknown[] = [];
  let wrongCount = 0;
  for (const [entrypoint, place, input, expected] of material.questions) {
    if (place !== current) policy.setData({ portcullis: { policy: material.policies[place] } });
    current = place;
    const answers = [policy.evaluate(entrypoint, input), typed(policy, entrypoint, input)];
    if (answers.every((answer) => answer === undefined || canonical(answer) === canonical(expected))) continue;
    wrongCount++;
    if (wrong.length < 3) wrong.push({ entrypoint, input, expected, answers });
  }
  const bundle = bytesOf(material.bundle);
  const files = await runtime.readBundle(bundle);
  hold([...files.keys()].sort().join() === material.files.join(), "readBundle gives the bundle's files");
  const { verification } = material;
  if (compiled === undefined) {
    const signed = await runtime.load(bundle, { verification });
    hold(signed.revision === material.revision, "a signed bundle has its revision");
    const changed = bundle.slice();
    changed[changed.length >> 1] = (changed[changed.length >> 1] as number) ^ 1;
    hold((await codeOf(runtime, changed, verification)) !== undefined, "a bundle with a changed bit is refused");
    hold((await codeOf(runtime, bundle.slice(0, -9), verification)) !== undefined, "a cut bundle is refused");
    const [keyId] = Object.keys(verification.keys) as [string];
    const none: Runtime.Verification = { keys: { [keyId]: { algorithm: "HS256", key: "0123456789abcdef".repeat(4) } } };
    hold((await codeOf(runtime, bundle, none)) === "signature-invalid", "another key is refused as such");
  } else {
    hold((await runtime.load(compiled.bundle)).revision === material.revision, "a module alone has its revision");
  }
  return { asked: material.questions.length, wrong, wrongCount, broken };
}

/** By the typed call of a decision; `undefined` for an entrypoint that is not one. */
function typed(policy: Runtime.Policy, entrypoint: string, input: unknown): unknown {
  const [, kind] = /^portcullis\/(\w+)\/decision$/.exec(entrypoint) ?? [];
  if (kind === undefined) return undefined;
  return policy[kind as Runtime.DecisionKind](input as never);
}

async function codeOf(
  { load, LoadError }: Package,
  bytes: Uint8Array,
  verification: Runtime.Verification,
): Promise<string | undefined> {
  try {
    await load(bytes, { verification });
    return undefined;
  } catch (error) {
    return error instanceof LoadError ? error.code : undefined;
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** JSON with sorted members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
