/** Small pieces of option parsing that several commands share. */

/** For options that may be repeated. */
export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}
