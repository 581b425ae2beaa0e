/** Extended key usages by their numbers in Go's x509 package and their names in OPA's verification options. */

import { sameOid } from "../asn1/der.ts";

interface Usage {
  readonly name: string;
  readonly oid: readonly number[];
}

const pkix = [1, 3, 6, 1, 5, 5, 7, 3];
const microsoft = [1, 3, 6, 1, 4, 1, 311];

/** In the order of Go's constants, from 0. */
export const extendedKeyUsages: readonly Usage[] = [
  { name: "KeyUsageAny", oid: [2, 5, 29, 37, 0] },
  { name: "KeyUsageServerAuth", oid: [...pkix, 1] },
  { name: "KeyUsageClientAuth", oid: [...pkix, 2] },
  { name: "KeyUsageCodeSigning", oid: [...pkix, 3] },
  { name: "KeyUsageEmailProtection", oid: [...pkix, 4] },
  { name: "KeyUsageIPSECEndSystem", oid: [...pkix, 5] },
  { name: "KeyUsageIPSECTunnel", oid: [...pkix, 6] },
  { name: "KeyUsageIPSECUser", oid: [...pkix, 7] },
  { name: "KeyUsageTimeStamping", oid: [...pkix, 8] },
  { name: "KeyUsageOCSPSigning", oid: [...pkix, 9] },
  { name: "KeyUsageMicrosoftServerGatedCrypto", oid: [...microsoft, 10, 3, 3] },
  { name: "KeyUsageNetscapeServerGatedCrypto", oid: [2, 16, 840, 1, 113730, 4, 1] },
  { name: "KeyUsageMicrosoftCommercialCodeSigning", oid: [...microsoft, 2, 1, 22] },
  { name: "KeyUsageMicrosoftKernelCodeSigning", oid: [...microsoft, 61, 1, 1] },
];

export const anyUsage = 0;
export const serverAuth = 1;

export function extendedKeyUsageNumber(oid: readonly number[]): number | undefined {
  const number = extendedKeyUsages.findIndex((usage) => sameOid(usage.oid, oid));
  return number < 0 ? undefined : number;
}
