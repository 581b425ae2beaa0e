/** A module in stock @open-policy-agent/opa-wasm, asked as OPA's own runner for wasm asks its modules. */

import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { Module } from "../rego/wasm/module.ts";
import type { Case, Outcome } from "./cases.ts";

type Question = Pick<Case, "data" | "input" | "input_term">;

/** The results of the first entrypoint; throws what the SDK throws. */
export async function evaluateInStock(bytes: Uint8Array, c: Question): Promise<unknown[]> {
  if (c.input_term === undefined && c.input !== undefined && !c.input) {
    // The SDK sends falsy inputs as undefined.
    const module = new Module(bytes);
    module.setData(c.data ?? {});
    return module.evaluate(c.input) as unknown[];
  }
  const loaded = await loadPolicy(bytes as unknown as ArrayBuffer);
  loaded.setData((c.data ?? {}) as object);
  if (c.input_term === undefined) return loaded.evaluate(c.input) as unknown[];
  // A term may hold what JSON cannot say: straight to opa_eval, as the SDK's evaluate does.
  const { exports } = (loaded as unknown as { wasmInstance: WebAssembly.Instance }).wasmInstance;
  const fn = exports as unknown as { opa_eval(...args: number[]): number; memory: WebAssembly.Memory };
  const heap = (loaded as unknown as { dataHeapPtr: number }).dataHeapPtr;
  const data = (loaded as unknown as { dataAddr: number }).dataAddr;
  const input = new TextEncoder().encode(c.input_term);
  new Uint8Array(fn.memory.buffer).set(input, heap);
  const at = fn.opa_eval(0, 0, data, heap, input.length, heap + input.length, 0);
  const memory = new Uint8Array(fn.memory.buffer);
  return JSON.parse(new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)))) as unknown[];
}

/** Names of the builtins that a module leaves to its host. */
export function hostBuiltins(bytes: Uint8Array): string[] {
  const module = new Module(bytes);
  return Object.keys(module.json(module.fn("builtins")()) as Record<string, number>);
}

/** As an outcome of a case: an error of the policy is one, too. The SDK throws plain objects. */
export async function stockOutcome(bytes: Uint8Array, c: Case): Promise<Outcome> {
  try {
    return { kind: "solutions", solutions: await evaluateInStock(bytes, c) };
  } catch (error) {
    const message = String((error as { message?: unknown }).message ?? error);
    return { kind: "error", code: message.includes("conflict") ? "eval_conflict_error" : "unknown", message };
  }
}
