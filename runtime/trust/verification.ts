/** What a host trusts: the keys that may sign its bundles. */

/** RSA with PKCS #1 v1.5 or PSS, ECDSA, HMAC: https://www.rfc-editor.org/rfc/rfc7518#section-3.1. There is no `none`. */
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "HS256",
  "HS384",
  "HS512",
] as const satisfies readonly SignatureAlgorithm[];

/** Its family, and the bits of its hash. */
export type SignatureAlgorithm = `${"RS" | "PS" | "ES" | "HS"}${256 | 384 | 512}`;

/** A key and the one algorithm that it is for; what a signature says of itself never chooses another. */
export interface VerificationKey {
  readonly algorithm: SignatureAlgorithm;
  /**
   * RS, PS and ES: a public key or certificate in PEM, or a JWK. HS: the secret, as bytes, as text, or as a JWK; at least 32
   * bytes. RSA keys have at least 2048 bits.
   */
  readonly key: string | Uint8Array | JsonWebKeyLike;
  /** The scope that a signature under this key must have. */
  readonly scope?: string;
}

/** A JSON Web Key: https://www.rfc-editor.org/rfc/rfc7517. */
export interface JsonWebKeyLike {
  readonly kty: string;
  readonly [member: string]: unknown;
}

/** Whose signatures `load` takes, and how old a bundle may be. */
export interface Verification {
  /** By the name that signatures give a key. */
  readonly keys: { readonly [keyId: string]: VerificationKey };
  /** The key to verify with, whatever the signature names. */
  readonly keyId?: string;
  /** The scope that every signature must have; without one, that of the key; without either, none. */
  readonly scope?: string;
  /** The lowest sequence that is taken (`portcullis build --sequence N`); a bundle without one is refused then. */
  readonly minimumRevision?: number;
}
