/**
 * Plain scalars of YAML that are texts to this reader, and something else to readers of YAML 1.1, of which `opa` has one
 * (https://pkg.go.dev/sigs.k8s.io/yaml).
 */

/** What it reads as a number once each `_` is left out. */
const NUMBER =
  /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

/** Whether a text of YAML 1.2 is a number to them. */
export function isNumberElsewhere(written: string): boolean {
  return /^[-+.0-9]/.test(written) && NUMBER.test(written.replaceAll("_", ""));
}

/** What a plain key is to them, where it is not the text that is written; `value`: what it would be as a value. */
export function keyElsewhere(written: string, value: unknown): string | undefined {
  if (typeof value === "string") return isNumberElsewhere(written) ? "a number" : undefined;
  if (String(value) === written && value !== null) return undefined;
  return value === null ? "nothing" : typeof value === "boolean" ? `\`${value}\`` : "another one";
}
