/** The kinds of keys that certificates, PEM files and JWKs hold. */

import type { EcPrivateKey, EcPublicKey } from "./ecdsa.ts";
import type { EdPrivateKey, EdPublicKey } from "./ed25519.ts";
import type { RsaPrivateKey, RsaPublicKey } from "./rsa.ts";

/** A key of a kind that no signature of ours uses (DSA, X25519, ...): it can be read, never used. */
export interface OtherKey {
  readonly kind: "OtherKey";
  readonly algorithm: string;
}

export interface SecretKey {
  readonly kind: "SecretKey";
  readonly bytes: Uint8Array;
}

export type PublicKey = RsaPublicKey | EcPublicKey | EdPublicKey | OtherKey;
export type PrivateKey = RsaPrivateKey | EcPrivateKey | EdPrivateKey | OtherKey;
export type Key = PublicKey | PrivateKey | SecretKey;

/** The public half of a key; a key that is public already is itself. */
export function publicHalf(key: Key): PublicKey | undefined {
  switch (key.kind) {
    case "RsaPrivateKey":
      return { kind: "RsaPublicKey", n: key.n, e: key.e };
    case "EcPrivateKey":
      return { kind: "EcPublicKey", curve: key.curve, point: key.point };
    case "EdPrivateKey":
      return { kind: "EdPublicKey", bytes: key.bytes };
    case "SecretKey":
      return undefined;
    case "RsaPublicKey":
    case "EcPublicKey":
    case "EdPublicKey":
    case "OtherKey":
      return key;
  }
}
