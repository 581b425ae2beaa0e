/** crypto.x509.parse_and_verify_certificates and its form with options. */

import {
  type HostBuiltin,
  HostNumber,
  isArray,
  isObject,
  isSet,
  type JsonLike,
  operandInt64,
} from "@portcullis/runtime/host";
import { fail } from "../family.ts";
import type { Certificate } from "./certificate.ts";
import { verifyChain } from "./chain.ts";
import { extendedKeyUsages, serverAuth } from "./extended-key-usages.ts";
import { certificateValue } from "./json.ts";
import { readCertificateText } from "./text.ts";

/** Nanoseconds since 1970. */
export type Clock = () => bigint;

interface Options {
  readonly dnsName: string;
  readonly time: bigint | undefined;
  readonly usages: readonly number[];
}

const unverified: JsonLike = [false, []];

const unquoted = (text: string): string => text.replace(/^"+/, "").replace(/"+$/, "");

function readUsages(value: JsonLike | undefined): readonly number[] {
  if (!isArray(value) && !isSet(value)) return fail("KeyUsages must be an array or a set");
  return [...value]
    .filter((name) => typeof name === "string")
    .map((name) => {
      const number = extendedKeyUsages.findIndex((usage) => usage.name === unquoted(name));
      return number < 0 ? fail("unknown key usage") : number;
    });
}

function integer(value: JsonLike | undefined): bigint {
  const number = value instanceof HostNumber ? operandInt64(value.text) : undefined;
  return number ?? fail("option must be an integer");
}

function readOptions(value: JsonLike | undefined): Options {
  if (!isObject(value)) return fail("options must be an object");
  let options: Options = { dnsName: "", time: undefined, usages: [] };
  for (const [name, option] of value) {
    if (typeof name !== "string") continue;
    if (name === "DNSName")
      options = {
        ...options,
        dnsName: typeof option === "string" ? unquoted(option) : fail("DNSName must be a string"),
      };
    else if (name === "CurrentTime") options = { ...options, time: integer(option) };
    else if (name === "KeyUsages") options = { ...options, usages: readUsages(option) };
    else if (name === "MaxConstraintComparisons") integer(option);
    else fail("unknown option");
  }
  return options;
}

function readAll(value: JsonLike | undefined): readonly Certificate[] | undefined {
  if (typeof value !== "string") return fail("operand must be a string");
  try {
    return readCertificateText(value);
  } catch {
    return undefined;
  }
}

/** Certificates expire: without a given time and without a clock there is no answer. */
export function verifyCertificates(clock: Clock | undefined, withOptions: boolean): HostBuiltin {
  return (args) => {
    const certificates = readAll(args[0]);
    if (withOptions && !isObject(args[1])) fail("options must be an object");
    // Options are looked at only where there are certificates.
    if (certificates === undefined) return unverified;
    const options = withOptions ? readOptions(args[1]) : { dnsName: "", time: undefined, usages: [] };
    const nanoseconds = options.time ?? clock?.() ?? fail("no time given and no clock supplied");
    const chain = verifyChain(certificates, {
      now: Number(nanoseconds) / 1e9,
      dnsName: options.dnsName,
      usages: options.usages.length === 0 ? [serverAuth] : options.usages,
    });
    return chain === undefined
      ? unverified
      : [true, chain.map((certificate) => certificateValue(certificate, !withOptions))];
  };
}
