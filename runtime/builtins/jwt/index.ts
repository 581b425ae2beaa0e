/** io.jwt.*: JSON Web Tokens, RFC 7519. */

import { type Family, family, total } from "../family.ts";
import type { HostBuiltin } from "../value.ts";
import { schemes } from "./algorithms.ts";
import { type Clock, decodeVerify } from "./decode-verify.ts";
import { encodeSign, encodeSignRaw } from "./sign.ts";
import { decode, verifyWithKey, verifyWithSecret } from "./verify.ts";

const verifiers = [...schemes].map(([name, scheme]): [string, HostBuiltin] => [
  `io.jwt.verify_${name.toLowerCase()}`,
  scheme.kind === "Hmac" ? verifyWithSecret({ ...scheme, kind: "Hmac" }) : verifyWithKey(scheme),
]);

export const jwt: Family = family({
  ...Object.fromEntries(verifiers),
  "io.jwt.decode": decode,
  "io.jwt.decode_verify": decodeVerify(undefined),
  "io.jwt.encode_sign": encodeSign,
  "io.jwt.encode_sign_raw": encodeSignRaw,
});

/** io.jwt.decode_verify for tokens that expire, against the clock of a host. */
export const clockedDecodeVerify = (clock: Clock): HostBuiltin => total(decodeVerify(clock));
