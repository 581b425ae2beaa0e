/**
 * io.jwt.encode_sign and io.jwt.encode_sign_raw. All signatures are deterministic: ECDSA by RFC 6979, PSS by a derived
 * salt. OPA draws both at random; tokens of either verify alike.
 */

import { fromJson, type HostBuiltin, isObject, type JsonLike, toJson } from "@portcullis/runtime/host";
import { base64Url, utf8 } from "../bytes.ts";
import { fail, need, text } from "../family.ts";
import { makeSignature, schemes } from "./algorithms.ts";
import { readJwks } from "./jwk.ts";

function sign(headerText: string, payload: string, keys: string): string {
  const { key } = need(readJwks(keys)[0], "no keys found");
  const header = fromJson(headerText);
  const alg = isObject(header) ? header.get("alg") : undefined;
  const scheme = need(typeof alg === "string" ? schemes.get(alg) : undefined, "missing or unknown algorithm");
  const type = isObject(header) ? header.get("typ") : undefined;
  if ((typeof type !== "string" || type === "JWT") && fromJson(payload) === undefined) fail("payload is not JSON");
  const signed = `${base64Url(utf8(headerText))}.${base64Url(utf8(payload))}`;
  const signature = need(makeSignature(key, scheme, utf8(signed)), "the key does not suit the algorithm");
  return `${signed}.${base64Url(signature)}`;
}

export const encodeSignRaw: HostBuiltin = (args) => sign(text(args, 0), text(args, 1), text(args, 2));

export const encodeSign: HostBuiltin = (args) => {
  const json = (value: JsonLike | undefined): string => toJson(need(value, "operand missing"), { html: true });
  return sign(json(args[0]), json(args[1]), json(args[2]));
};
