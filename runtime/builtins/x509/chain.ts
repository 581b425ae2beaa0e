/**
 * Verifying a certificate chain, RFC 5280 section 6 as far as Go's x509.Verify goes with a single root. Chains through
 * a certificate with name constraints are refused rather than judged. By hand: WebCrypto, which libraries verify chains
 * with, answers later, and a decision is made now.
 */

import { sameOid } from "../asn1/der.ts";
import { equalBytes } from "../bytes.ts";
import { verifySigned } from "./algorithms.ts";
import type { Certificate } from "./certificate.ts";
import { anyUsage, extendedKeyUsageNumber } from "./extended-key-usages.ts";
import type { NameConstraints } from "./name-constraints.ts";

export interface ChainOptions {
  /** Seconds since 1970. */
  readonly now: number;
  /** Empty: any name. */
  readonly dnsName: string;
  /** Numbers of extended key usages, of which the chain must allow one. */
  readonly usages: readonly number[];
}

function isConstrained({ permitted, excluded }: NameConstraints): boolean {
  return [permitted, excluded].some((trees) =>
    Object.values(trees).some((names: readonly unknown[]) => names.length > 0),
  );
}

function isCurrent(certificate: Certificate, now: number): boolean {
  return now >= certificate.notBefore.seconds && now <= certificate.notAfter.seconds;
}

/** Whether `parent` may stand above a chain in which `below` authorities come after it, the leaf not counted. */
function mayIssue(parent: Certificate, child: Certificate, below: number): boolean {
  const { basicConstraints: basic, keyUsage } = parent.extensions;
  if (isConstrained(parent.extensions)) return false;
  if (!equalBytes(parent.rawSubject, child.rawIssuer) || parent.publicKey === undefined) return false;
  if (parent.version === 3 ? basic?.isCa !== true : basic !== undefined && !basic.isCa) return false;
  // Bit 5 allows to sign certificates; no bits at all allow everything.
  if (keyUsage !== 0 && (keyUsage & 32) === 0) return false;
  if (basic !== undefined && basic.maxPathLength >= 0n && BigInt(below) > basic.maxPathLength) return false;
  return verifySigned(parent.publicKey, child.signatureAlgorithm, child.rawTbs, child.signature);
}

function isSound(certificate: Certificate, now: number): boolean {
  const { extensions } = certificate;
  return isCurrent(certificate, now) && extensions.unhandledCritical.length === 0;
}

function allowsUsage(chain: readonly Certificate[], usages: readonly number[]): boolean {
  if (usages.includes(anyUsage)) return true;
  return usages.some((usage) =>
    chain.every(({ extensions }) => {
      const allowed = extensions.extendedKeyUsages.map(extendedKeyUsageNumber);
      return allowed.length === 0 || allowed.includes(anyUsage) || allowed.includes(usage);
    }),
  );
}

/** Whether a certificate is for a host: exactly, or by a wildcard for the first label. */
function isFor(certificate: Certificate, host: string): boolean {
  const labels = host.toLowerCase().replace(/\.$/, "").split(".");
  return certificate.extensions.dns.some((pattern) => {
    const parts = pattern.toLowerCase().replace(/\.$/, "").split(".");
    if (parts.length !== labels.length || host === "") return false;
    return parts.every((part, i) => part === labels[i] || (i === 0 && part === "*" && parts.length > 1));
  });
}

const alternativeName = [2, 5, 29, 17];

/** Whether a chain has the certificate already, or another with its subject, key and alternative names, as Go asks it. */
function isIn(chain: readonly Certificate[], candidate: Certificate): boolean {
  const namesOf = ({ extensionList }: Certificate): Uint8Array | undefined =>
    extensionList.find(({ oid }) => sameOid(oid, alternativeName))?.value;
  const names = namesOf(candidate);
  for (const other of chain) {
    if (!equalBytes(other.rawSubject, candidate.rawSubject)) continue;
    if (!equalBytes(other.rawPublicKeyInfo, candidate.rawPublicKeyInfo)) continue;
    const others = namesOf(other);
    if (names === undefined || others === undefined) return names === others;
    if (equalBytes(names, others)) return true;
  }
  return false;
}

/** The chain from the leaf (the last certificate) to the root (the first); undefined when none holds. */
export function verifyChain(
  certificates: readonly Certificate[],
  options: ChainOptions,
): readonly Certificate[] | undefined {
  const [root] = certificates;
  const leaf = certificates.at(-1);
  if (certificates.length < 2 || root === undefined || leaf === undefined || !isSound(leaf, options.now))
    return undefined;
  if (options.dnsName !== "" && !isFor(leaf, options.dnsName)) return undefined;
  const intermediates = certificates.slice(1, -1);
  // Each step tries only certificates that it has not tried: the number of signatures stays below the square of the chain.
  let left = 100;
  const extend = (chain: readonly Certificate[]): readonly Certificate[] | undefined => {
    const last = chain.at(-1) as Certificate;
    const below = chain.length - 1;
    for (const parent of [root, ...intermediates]) {
      if (isIn(chain, parent)) continue;
      if (left-- <= 0) return undefined;
      if (!isSound(parent, options.now) || !mayIssue(parent, last, below)) continue;
      const found = parent === root ? [...chain, parent] : extend([...chain, parent]);
      if (found !== undefined && (parent !== root || allowsUsage(found, options.usages))) return found;
    }
    return undefined;
  };
  if (equalBytes(leaf.raw, root.raw)) return allowsUsage([leaf], options.usages) ? [leaf] : undefined;
  return extend([leaf]);
}
