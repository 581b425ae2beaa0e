/** Base64, which tokens and PEM are written in. */

/** The bytes of a base64 text of either alphabet, with or without padding. Throws for anything else. */
export function base64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}
