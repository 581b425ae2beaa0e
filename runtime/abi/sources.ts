/** What a module was compiled from, as a hash: what is evaluated is what is audited. */

/** Whether OPA reads a file of a bundle as policy or data. */
export function isSource(path: string): boolean {
  return /\.rego$|(^|\/)data\.(json|ya?ml)$/.test(path);
}

/** Hex SHA-256 over paths and contents of those files that are sources, in whatever order they come. */
export async function sourcesHash(files: Iterable<readonly [path: string, bytes: Uint8Array]>): Promise<string> {
  const sources = [...files].filter(([path]) => isSource(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  const hashes = await Promise.all(sources.map(async ([path, bytes]) => [path, await sha256(bytes)]));
  return sha256(new TextEncoder().encode(JSON.stringify(hashes)));
}

/** In hex. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("");
}
