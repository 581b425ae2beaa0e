/** io.jwt.*: JSON Web Tokens, RFC 7519. */

import type { HostBuiltin } from "@portcullis/runtime/host";
import { family } from "../family.ts";
import { schemes } from "./algorithms.ts";
import { decodeVerify } from "./decode-verify.ts";
import { encodeSign, encodeSignRaw } from "./sign.ts";
import { decode, verifyWithKey, verifyWithSecret } from "./verify.ts";

const verifiers = [...schemes].map(([name, scheme]): [string, HostBuiltin] => [
  `io.jwt.verify_${name.toLowerCase()}`,
  scheme.kind === "Hmac" ? verifyWithSecret({ ...scheme, kind: "Hmac" }) : verifyWithKey(scheme),
]);

export const jwt = family(({ now }) => ({
  ...Object.fromEntries(verifiers),
  "io.jwt.decode": decode,
  "io.jwt.decode_verify": decodeVerify(now),
  "io.jwt.encode_sign": encodeSign,
  "io.jwt.encode_sign_raw": encodeSignRaw,
}));
