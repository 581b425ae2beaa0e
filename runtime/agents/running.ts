/** Runs what was admitted, to its end: history learns what became of a tool, and the SDK gets what the tool gave. */

import type { Admission } from "./admission.ts";

/** How an SDK takes what a tool gives. */
interface Taking {
  /** The SDK reads the generator that a tool may give: such a tool has succeeded at its end. */
  readonly streams?: boolean;
  /** Whether a value says that the tool has failed. */
  readonly isFailure?: ((value: unknown) => boolean | Promise<boolean>) | undefined;
}

/** Runs a tool that gives one value. Rejects with what the tool throws. */
export async function run(
  admission: Admission,
  tool: (args: unknown) => unknown,
  { streams = false, isFailure }: Taking = {},
): Promise<unknown> {
  let value: unknown;
  try {
    value = await tool(admission.args);
  } catch (error) {
    await admission.failed(error);
    throw error;
  }
  if (streams && isAsyncGenerator(value)) return stream(admission, () => value, isFailure);
  await ended(admission, value, isFailure);
  return value;
}

/**
 * Runs a tool that gives parts, and what its generator returns in the end. It has succeeded when its reader took the last part: one
 * that leaves before has not seen the end.
 */
export async function* stream<Part, End>(
  admission: Admission,
  tool: (args: unknown) => AsyncGenerator<Part, End>,
  isFailure?: Taking["isFailure"],
): AsyncGenerator<Part, End> {
  try {
    const end = yield* tool(admission.args);
    await ended(admission, end, isFailure);
    return end;
  } catch (error) {
    await admission.failed(error);
    throw error;
  } finally {
    await admission.failed(new Error("the reader has left"));
  }
}

/** A result of a tool of the Model Context Protocol that has failed. */
export function isErrorResult(value: unknown): boolean {
  return (Object(value) as { readonly isError?: unknown }).isError === true;
}

async function ended(admission: Admission, value: unknown, isFailure: Taking["isFailure"]): Promise<void> {
  let hasFailed = true;
  try {
    hasFailed = (await isFailure?.(value)) === true;
  } catch {
    // What cannot be told has failed.
  }
  await (hasFailed ? admission.failed(value) : admission.done(value));
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof Reflect.get(value, "next") === "function"
  );
}
