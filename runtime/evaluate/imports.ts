/** The imports of a module: its memory, the way to end an evaluation, and the builtins that the host supplies. */

import { BUILTIN_MATERIALISE, FAULT_INTERNAL } from "../abi/layout.ts";
import type { PolicySection } from "../abi/section.ts";
import { LoadError } from "../errors.ts";
import type { HostBuiltin } from "../host/builtin.ts";
import { suppliers } from "../host/families.ts";
import { fromText, toText } from "../host/text.ts";
import type { JsonLike } from "../host/value.ts";

/** Thrown through wasm frames when the policy ends its own evaluation; the message is the module's. */
export class PolicyAbort extends Error {
  override readonly name = "PolicyAbort";
  /** A FAULT_ code of the layout. */
  readonly fault: number;

  constructor(message: string, fault: number) {
    super(message);
    this.fault = fault;
  }
}

/** The parts of an instance that a builtin call needs. */
export interface BuiltinBridge {
  /** Why the module ends its evaluation: a FAULT_ code. */
  readFault(): number;
  /** Writes the bytes of a symbolic string. */
  materialise(address: number): void;
  /** A NUL-terminated string. */
  readText(address: number): string;
  /** The value as text, sets and keys of any type included. */
  dumpValue(address: number): string;
  /** The value of such a text; 0 when it is none. */
  parseValue(text: string): number;
}

/** Resolves the section's builtins by name, before anything runs. Throws LoadError naming every missing one. */
export function resolveBuiltins(
  section: PolicySection,
  supplied: ReadonlyMap<string, HostBuiltin>,
): ReadonlyMap<number, HostBuiltin> {
  const missing = section.builtins.filter((b) => !supplied.has(b.name)).map((b) => b.name);
  if (missing.length > 0) {
    throw new LoadError(
      "missing-builtin",
      `the policy needs builtins that this host does not supply: ${missing.join(", ")}; ${remedy(missing)}`,
    );
  }
  return new Map(section.builtins.map((b) => [b.id, supplied.get(b.name) as HostBuiltin]));
}

/** What to write, so that these builtins are there. */
function remedy(missing: readonly string[]): string {
  const known = missing.flatMap((name) => suppliers.get(name) ?? []);
  const families = [...new Set(known.map(({ family }) => family))].sort();
  const sources = [...new Set(known.flatMap(({ source }) => source ?? []))].sort();
  const own = missing.filter((name) => !suppliers.has(name)).map((name) => `{ "${name}": … }`);
  const imports = families.map((family) => `import { ${family} } from "@portcullis/builtins/${family}"`);
  const options = [`builtins: [${[...families, ...own].join(", ")}]`];
  if (sources.length > 0) options.push(`sources: { ${sources.join(", ")} }`);
  return [...imports, `load(source, { ${options.join(", ")} })`].join("; ");
}

/** The import object. A builtin's failure is undefined, as in OPA; it never ends an evaluation. */
export function importsFor(
  memory: WebAssembly.Memory,
  builtins: ReadonlyMap<number, HostBuiltin>,
  bridge: () => BuiltinBridge,
): WebAssembly.Imports {
  const call = (id: number, args: readonly number[]): number => {
    const builtin = builtins.get(id);
    if (builtin === undefined) throw new PolicyAbort(`no builtin with id ${id}`, FAULT_INTERNAL);
    const { dumpValue, parseValue } = bridge();
    const result = builtin(args.map((address) => readArgument(dumpValue(address))));
    return result === undefined ? 0 : parseValue(toText(result));
  };
  return {
    env: {
      memory,
      opa_abort: (address: number) => {
        throw new PolicyAbort(bridge().readText(address), bridge().readFault());
      },
      opa_println: () => {},
      opa_builtin0: (id: number, _ctx: number) => call(id, []),
      opa_builtin1: (id: number, _ctx: number, a: number) => {
        if (id !== BUILTIN_MATERIALISE) return call(id, [a]);
        bridge().materialise(a);
        return 0;
      },
      opa_builtin2: (id: number, _ctx: number, a: number, b: number) => call(id, [a, b]),
      opa_builtin3: (id: number, _ctx: number, a: number, b: number, c: number) => call(id, [a, b, c]),
      opa_builtin4: (id: number, _ctx: number, a: number, b: number, c: number, d: number) => call(id, [a, b, c, d]),
    },
  };
}

function readArgument(text: string): JsonLike {
  const value = fromText(text);
  if (value === undefined)
    throw new PolicyAbort("a builtin was called with a value that cannot be read", FAULT_INTERNAL);
  return value;
}
