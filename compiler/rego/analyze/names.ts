/**
 * Names of locals after analysis. `#` cannot be written in a Rego variable, so the author's name
 * stands before it, and a name that begins with it is the compiler's.
 */

/** The name as written: `x#2` → `x`, `_#1` → `_`; empty for a local that rewriting made (`#7`). */
export function originalName(local: string): string {
  const hash = local.indexOf("#");
  return hash < 0 ? local : local.slice(0, hash);
}

/** Whether rewriting made this local: nothing of it may reach a message. */
export function isGenerated(local: string): boolean {
  return local.startsWith("#");
}

export function isWildcard(local: string): boolean {
  return local === "_" || local.startsWith("_#");
}
