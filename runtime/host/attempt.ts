/** What may fail, and then counts as nothing. */

/** `undefined` where `work` throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
