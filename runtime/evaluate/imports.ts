/** The imports of a module: its memory, the way to end an evaluation, and the builtins that the host supplies. */

import { BUILTIN_MATERIALISE, FAULT_INTERNAL } from "../abi/index.ts";
import type { SuppliedBuiltin } from "../host/builtin.ts";

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
  /** The value of such a text; 0 if it is malformed. */
  parseValue(text: string): number;
  /** Whether the answer is not waited for: the host is not asked, and its builtins are undefined. */
  readonly isRehearsal: boolean;
}

/** The import object. A builtin of a family is undefined where it fails, as in OPA; one that throws ends the evaluation. */
export function importsFor(
  memory: WebAssembly.Memory,
  builtins: ReadonlyMap<number, SuppliedBuiltin>,
  bridge: () => BuiltinBridge,
): WebAssembly.Imports {
  const call = (id: number, _context: number, ...args: readonly number[]): number => {
    const builtin = builtins.get(id);
    if (builtin === undefined) throw new PolicyAbort(`no builtin with id ${id}`, FAULT_INTERNAL);
    const { dumpValue, parseValue, isRehearsal } = bridge();
    if (isRehearsal) return 0;
    const text = answerOf(builtin, args.map(dumpValue));
    return text === undefined ? 0 : parseValue(text);
  };
  return {
    env: {
      memory,
      opa_abort: (address: number) => {
        throw new PolicyAbort(bridge().readText(address), bridge().readFault());
      },
      opa_builtin0: call,
      opa_builtin1: (id: number, context: number, a: number) => {
        if (id !== BUILTIN_MATERIALISE) return call(id, context, a);
        bridge().materialise(a);
        return 0;
      },
      opa_builtin2: call,
      opa_builtin3: call,
      opa_builtin4: call,
    },
  };
}

/** The text of what the builtin gives. What it throws, the fault says, and of which builtin. */
function answerOf({ name, call }: SuppliedBuiltin, operands: readonly string[]): string | undefined {
  try {
    return call(operands);
  } catch (error) {
    const reason = error instanceof Error ? String(error.message) : "it threw a value that is not an error";
    throw new PolicyAbort(`the builtin \`${name}\` failed: ${reason}`, FAULT_INTERNAL);
  }
}
