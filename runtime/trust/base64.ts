/** Base64, which tokens and PEM are written in. */

/** Of both alphabets, without padding or with it. Throws for anything else. */
export function base64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}
