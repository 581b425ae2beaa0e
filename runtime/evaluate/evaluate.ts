/**
 * Evaluation that never throws. A fault - a conflict in the policy, a used-up budget, a trap - is kept as a value, and the
 * answer is the entrypoint's denial. A trap poisons the instance: it is replaced before the next evaluation.
 */

import {
  FAULT_CONFLICT,
  FAULT_INTERNAL,
  FAULT_MEMORY,
  FAULT_STEPS,
  type FootprintNode,
  type PolicySection,
} from "../abi/index.ts";
import { DecodeError } from "../decode/index.ts";
import { EncodeError, Interned, snapshot } from "../encode/index.ts";
import { type Fault, type FaultCode, LoadError } from "../errors.ts";
import type { Answers, SuppliedBuiltin } from "../host/builtin.ts";
import type { SourceSession } from "../host/session.ts";
import type { WasmModule } from "../platform.ts";
import type { Evaluator } from "../policy.ts";
import { PolicyAbort } from "./imports.ts";
import { Instance, type Limits } from "./instance.ts";
import { limitText } from "./limit-text.ts";
import { warmUp } from "./warm-up.ts";

/** Fault codes of the module's own faults; any other fault is `internal`. */
const FAULTS: { readonly [fault: number]: FaultCode | undefined } = {
  [FAULT_CONFLICT]: "conflict",
  [FAULT_STEPS]: "budget",
  [FAULT_MEMORY]: "memory",
};

const utf8 = new TextEncoder();

export class ModuleEvaluator implements Evaluator {
  readonly entrypoints: readonly string[];
  lastFault: Fault | undefined = undefined;
  faults = 0;
  private readonly section: PolicySection;
  private readonly ids: ReadonlyMap<string, number>;
  /** The name that was asked for last, and its number: a Map would hash the text of a new one. */
  private lastName = "";
  private lastId: number | undefined;
  private readonly denials: readonly unknown[];
  private readonly make: () => Instance;
  /** Where the host has sources, that must be asked anew in every evaluation. */
  private readonly session: SourceSession | undefined;
  private instance: Instance | undefined;
  /** The host's data as it was when it was handed over: a new instance gets the very same. */
  private data: unknown = undefined;
  /** Elements for which the data of a host has room at most. */
  private readonly longestList: number;
  /** Whether an evaluation is under way. */
  private busy = false;

  /** Instantiates once, so that whatever is wrong shows at load. Throws LoadError. */
  constructor(
    module: WasmModule,
    section: PolicySection,
    builtins: ReadonlyMap<number, SuppliedBuiltin>,
    limits: Limits,
    session?: SourceSession | undefined,
    code?: WasmModule,
    warms = true,
  ) {
    this.section = section;
    this.longestList = limits.input >> 2;
    this.entrypoints = section.entrypoints;
    this.ids = new Map(section.entrypoints.map((name, id) => [name, id]));
    this.denials = section.entrypoints.map((name) => denialOf(section, name));
    this.session = session;
    this.make = () => new Instance(module, section, builtins, limits, code);
    try {
      const instance = this.make();
      this.instance = !warms || warmUp(instance, section) ? instance : this.make();
      // The way into the instance, and the way out by a denial: this is refused before it gets to the module.
      this.decide(0, Symbol());
      this.lastFault = undefined;
      this.faults = 0;
    } catch (error) {
      throw new LoadError("module-invalid", `the module cannot be instantiated: ${(error as Error).message}`);
    }
  }

  get memoryBytes(): number {
    return this.instance?.memoryBytes ?? 0;
  }

  readsOf(entrypoint: string): FootprintNode {
    return this.section.decide?.[this.ids.get(entrypoint) ?? -1]?.footprint ?? true;
  }

  denialOf(entrypoint: string): unknown {
    return this.denials[this.ids.get(entrypoint) ?? -1];
  }

  intern(text: string): Interned {
    const address = typeof text === "string" ? this.instance?.strings.get(text) : undefined;
    return new Interned(String(text), address ?? 0, this.section);
  }

  evaluate(entrypoint: string, input: unknown): unknown {
    const id = this.idOf(entrypoint);
    return id === undefined ? this.unknown(entrypoint) : this.decide(id, input);
  }

  private idOf(name: string): number | undefined {
    if (name !== this.lastName) [this.lastName, this.lastId] = [name, this.ids.get(name)];
    return this.lastId;
  }

  decide(id: number, input: unknown): unknown {
    if (this.busy) return this.refuse(this.denials[id]);
    this.busy = true;
    this.lastFault = undefined;
    try {
      this.session?.beginEvaluation();
      return (this.instance ?? this.renew()).decide(id, input);
    } catch (error) {
      const { instance } = this;
      // Given up first: on a full stack, `absorb` itself may fail.
      this.instance = undefined;
      if (this.absorb(error, instance)) this.instance = instance;
      return this.denials[id];
    } finally {
      this.busy = false;
    }
  }

  allowedTexts(ids: readonly number[], input: Record<string, unknown>, member: string): string[] {
    const found: string[] = [];
    let first: Fault | undefined;
    for (const text of (this.instance ?? this.renew()).strings.keys()) {
      input[member] = text;
      const isAllowed = ids.every((id) => Object(this.decide(id, input)).allowed === true);
      const fault = this.lastFault;
      if (isAllowed && fault === undefined) found.push(text);
      first ??= fault;
      // Any other costs an instance, or what an evaluation may take at most.
      if (fault !== undefined && fault.code !== "conflict") break;
    }
    this.lastFault = first;
    return found.sort();
  }

  get answers(): Answers | undefined {
    return this.session?.answers;
  }

  evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    const id = this.idOf(entrypoint);
    if (id === undefined) return this.unknown(entrypoint);
    const decide = (instance: Instance): unknown => {
      const bytes = typeof json === "string" ? utf8.encode(json) : json;
      if (!(bytes instanceof Uint8Array)) throw new EncodeError("JSON text is a string or its bytes");
      return instance.decideJson(id, bytes);
    };
    return this.guarded(decide, this.denials[id], recorded);
  }

  /** Everything but the hot path: `otherwise` is the answer to a fault. */
  private guarded<T>(work: (instance: Instance) => T, otherwise: T, recorded?: Answers): T {
    if (this.busy) return this.refuse(otherwise);
    this.busy = true;
    this.lastFault = undefined;
    try {
      this.session?.beginEvaluation(recorded);
      const result = work(this.instance ?? this.renew());
      const missing = this.session?.missing();
      if (missing !== undefined) throw new PolicyAbort(`what \`${missing}\` answered is not recorded`, FAULT_INTERNAL);
      return result;
    } catch (error) {
      const { instance } = this;
      this.instance = undefined;
      if (this.absorb(error, instance)) this.instance = instance;
      return otherwise;
    } finally {
      this.busy = false;
    }
  }

  /**
   * A getter of an input, or a builtin of the host's, that asks the policy while it is being asked would write into the
   * memory of the evaluation under way.
   */
  private refuse<T>(otherwise: T): T {
    this.fail("internal", "the policy was asked from within its own evaluation");
    return otherwise;
  }

  private unknown(entrypoint: unknown): undefined {
    this.fail(
      "entrypoint",
      typeof entrypoint === "string" ? `no entrypoint \`${entrypoint}\`` : "no entrypoint's name",
    );
    return undefined;
  }

  /**
   * Result set of a query that was compiled into the module: one object of bindings a solution; `undefined` on a fault.
   * Never throws. OPA's cases are such queries; policies have entrypoints.
   */
  query(name: string, input: unknown): readonly unknown[] | undefined {
    return this.solutions(name, (instance, id) => instance.evaluate(id, input));
  }

  /** `query` for an input as a ground Rego term, which can hold sets and keys of any type: `{"a": {1, 2}}`. */
  queryTerm(name: string, term: string): readonly unknown[] | undefined {
    return this.solutions(name, (instance, id) => instance.evaluateTerm(id, utf8.encode(term)));
  }

  private solutions(
    name: string,
    evaluate: (instance: Instance, id: number) => number,
  ): readonly unknown[] | undefined {
    const id = this.ids.get(name);
    if (id === undefined) return this.unknown(name);
    const read = (instance: Instance): readonly unknown[] | undefined => {
      const result = instance.reader.read(evaluate(instance, id));
      if (!Array.isArray(result)) throw new DecodeError("the module's answer is no result set");
      return result;
    };
    return this.guarded(read, undefined);
  }

  setData(data: unknown): void {
    if (this.busy) throw new LoadError("memory-limit", "the data cannot be replaced in an evaluation");
    const before = this.data;
    try {
      this.data = snapshot(data, this.longestList);
      (this.instance ?? this.make()).setData(this.data);
    } catch (error) {
      this.data = before;
      this.instance = undefined;
      throw new LoadError("memory-limit", `the data was refused: ${(error as Error | undefined)?.message}`);
    }
  }

  /** A new instance, after a trap. */
  private renew(): Instance {
    const fresh = this.make();
    if (this.data !== undefined) fresh.setData(this.data);
    this.instance = fresh;
    return fresh;
  }

  /** Whether the instance can be used after this. */
  private absorb(error: unknown, instance: Instance | undefined): boolean {
    const { code, message } = faultOf(error);
    const isLimit = (code === "budget" || code === "memory") && instance !== undefined;
    this.fail(code, isLimit ? limitText(code, message, instance.limits, instance.taken) : message);
    // Any other fault ended where the state of the module is whole: the heap is set back at the next evaluation.
    return code !== "internal";
  }

  private fail(code: Fault["code"], message: string): void {
    this.faults++;
    this.lastFault = { code, message };
  }
}

/** The fault of an error. A getter of a request may have thrown anything, even a value that throws when it is read. */
function faultOf(error: unknown): Fault {
  try {
    const message = error instanceof Error ? String(error.message) : "unknown failure";
    if (error instanceof EncodeError) return { code: "input", message };
    if (error instanceof PolicyAbort) return { code: FAULTS[error.fault] ?? "internal", message };
    return { code: "internal", message };
  } catch {
    return { code: "internal", message: "unknown failure" };
  }
}

/** The entrypoint's default answer, when it is a denial that a caller can read as one; else undefined. */
function denialOf(section: PolicySection, entrypoint: string): unknown {
  const denial = section.denials?.[entrypoint];
  if (typeof denial !== "object" || denial === null) return undefined;
  const { allowed, decision } = denial as { allowed?: unknown; decision?: unknown };
  return allowed === false || (allowed === undefined && decision === false) ? deepFreeze(denial) : undefined;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
