/** Signs checkpoints of a ledger as JSON Web Signatures (RFC 7515), with the platform's Web Crypto. */

export interface LedgerKey {
  /** RS256, PS256, ES256, HS256, and the same with 384 and 512. */
  readonly algorithm: string;
  /** A private key in PEM (PKCS #8), or for HS256, HS384 and HS512 the secret; or a key that is imported already. */
  readonly key: string | Uint8Array | CryptoKeyLike;
  /** Tells who verifies which key it was. */
  readonly keyId?: string;
}

/** The platform's `CryptoKey`, where its types are declared. */
export interface CryptoKeyLike {
  readonly algorithm: object;
  readonly usages: readonly string[];
}

/** A compact JWS of the text. */
export type Signer = (text: string) => Promise<string>;

const HASHES: { readonly [bits: string]: string } = { "256": "SHA-256", "384": "SHA-384", "512": "SHA-512" };
const CURVES: { readonly [bits: string]: string } = { "256": "P-256", "384": "P-384", "512": "P-521" };
const SHORTEST_SECRET = 32;
const utf8 = new TextEncoder();

/** Rejects with a TypeError for a key that does not fit its algorithm. */
export async function signerOf({ algorithm, key, keyId }: LedgerKey): Promise<Signer> {
  const [, family = "", bits = ""] = /^(RS|PS|ES|HS)(256|384|512)$/.exec(algorithm) ?? [];
  const hash = HASHES[bits];
  if (hash === undefined) throw new TypeError(`\`${algorithm}\` is no algorithm that signs ledgers`);
  const parameters = {
    RS: { name: "RSASSA-PKCS1-v1_5", hash },
    PS: { name: "RSA-PSS", hash, saltLength: Number(bits) / 8 },
    ES: { name: "ECDSA", hash, namedCurve: CURVES[bits] as string },
    HS: { name: "HMAC", hash },
  }[family as "RS" | "PS" | "ES" | "HS"];
  const imported = await importKey(key, family === "HS", parameters);
  const header = base64url(utf8.encode(JSON.stringify({ alg: algorithm, kid: keyId })));
  return async (text) => {
    const signed = `${header}.${base64url(utf8.encode(text))}`;
    const signature = await crypto.subtle.sign(parameters, imported, utf8.encode(signed));
    return `${signed}.${base64url(new Uint8Array(signature))}`;
  };
}

async function importKey(
  key: LedgerKey["key"],
  isSecret: boolean,
  parameters: { readonly name: string; readonly hash: string },
): Promise<CryptoKey> {
  if (typeof key !== "string" && !(key instanceof Uint8Array)) return key as CryptoKey;
  const text = typeof key === "string" ? key : new TextDecoder().decode(key);
  const isPem = text.includes("-----BEGIN ");
  if (isSecret) {
    const bytes = typeof key === "string" ? utf8.encode(key) : key;
    if (isPem || bytes.length < SHORTEST_SECRET)
      throw new TypeError(`a secret that signs has at least ${SHORTEST_SECRET} bytes, and is no key in PEM`);
    return crypto.subtle.importKey("raw", bytes as Uint8Array<ArrayBuffer>, parameters, false, ["sign"]);
  }
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(text)?.[1];
  if (body === undefined)
    throw new TypeError("the key that signs is a private key in PEM, PKCS #8: `-----BEGIN PRIVATE KEY-----`");
  const der = Uint8Array.from(atob(body.replace(/\s/g, "")), (c) => c.charCodeAt(0));
  try {
    return await crypto.subtle.importKey("pkcs8", der, parameters, false, ["sign"]);
  } catch {
    throw new TypeError(`the private key does not fit ${parameters.name} with ${parameters.hash}`);
  }
}

function base64url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}
