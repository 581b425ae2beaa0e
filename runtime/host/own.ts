/** A member that an object has itself. */

/** `undefined` for an inherited member, and for a holder that is not an object: what every object has was not given. */
export function own(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return (holder as Record<string, unknown>)[key];
}
