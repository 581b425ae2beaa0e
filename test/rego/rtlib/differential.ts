/** Compares rtlib's builtins with OPA's, call by call. */

import { expect } from "vitest";
import { type Argument, type Call, callOpa, valueText } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

/** JSON text of what rtlib makes of the call, sets as arrays. Bytes that are not text are written as `opa eval` writes them. */
export function callRtlib(rtlib: Rtlib, { name, args }: Call): string | undefined {
  const text = rtlib.call(name, ...args.map(valueText));
  return text === undefined ? undefined : rtlib.json(rtlib.parse(text.replaceAll(/\\udc[89a-f]./g, "\ufffd")));
}

export interface Difference {
  readonly call: string;
  readonly rtlib: string | undefined;
  readonly opa: string | undefined;
}

export function differences(calls: readonly Call[], same: (a: string, b: string) => boolean): Difference[] {
  const rtlib = new Rtlib();
  const wanted = callOpa(calls);
  return calls.flatMap((call, i) => {
    const got = callRtlib(rtlib, call);
    const want = wanted[i];
    if (got === want || (got !== undefined && want !== undefined && same(got, want))) return [];
    return [{ call: `${call.name}(${call.args.map(valueText).join(", ")})`, rtlib: got, opa: want }];
  });
}

/** Fails with the first few calls whose result is not OPA's. */
export function expectLikeOpa(calls: readonly Call[], same: (a: string, b: string) => boolean = () => false): void {
  const found = differences(calls, same);
  expect(found.slice(0, 10), `${found.length} of ${calls.length} calls differ`).toEqual([]);
}

/** Every combination of one argument of each list. */
export function product(...lists: readonly (readonly Argument[])[]): Argument[][] {
  return lists.reduce<Argument[][]>((rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);
}

export function calls(name: string, argumentLists: readonly (readonly Argument[])[]): Call[] {
  return argumentLists.map((args) => ({ name, args }));
}
