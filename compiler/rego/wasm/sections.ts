/** The custom sections of a policy's module (runtime/abi/section.ts), and the digest that closes it. */

import {
  BUNDLE_SECTION,
  type BundleSection,
  DIGEST_SECTION,
  POLICY_SECTION,
  type PolicySection,
} from "@portcullis/runtime/abi";
import { ByteWriter } from "./module/bytes.ts";
import type { ModuleBuilder } from "./module/module.ts";

/** The id of such sections. */
const CUSTOM = 0;

export function addPolicySection(module: ModuleBuilder, section: PolicySection): void {
  module.custom.push({ name: POLICY_SECTION, content: new TextEncoder().encode(JSON.stringify(section)) });
}

/** The module with its digest section at the end. The hash is the platform's (Web Crypto): browsers and Node have it. */
export async function sealModule(bytes: Uint8Array): Promise<Uint8Array> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return withSection(bytes, DIGEST_SECTION, digest);
}

/** Bytes of the digest section: id and length, name with its length, SHA-256. */
const SEAL_BYTES = 2 + 1 + DIGEST_SECTION.length + 32;

/** A sealed module with what its bundle says of itself, sealed anew. */
export function describeModule(sealed: Uint8Array, section: BundleSection): Promise<Uint8Array> {
  return addSection(sealed, BUNDLE_SECTION, new TextEncoder().encode(JSON.stringify(section)));
}

/** A sealed module with one more custom section, sealed anew. */
export function addSection(sealed: Uint8Array, name: string, payload: Uint8Array): Promise<Uint8Array> {
  return sealModule(withSection(sealed.subarray(0, sealed.length - SEAL_BYTES), name, payload));
}

/** Whether a module is a sealed one with what a bundle says of itself, and nothing else. */
export async function isDescribed(module: Uint8Array, sealed: Uint8Array): Promise<boolean> {
  const [head, tail] = [module.subarray(0, 8), module.subarray(sealed.length - SEAL_BYTES)];
  const sections = new Uint8Array([...head, ...tail]);
  if (!WebAssembly.validate(sections)) return false;
  const [said] = WebAssembly.Module.customSections(new WebAssembly.Module(sections), BUNDLE_SECTION);
  if (said === undefined) return false;
  const described = await addSection(sealed, BUNDLE_SECTION, new Uint8Array(said));
  return described.length === module.length && described.every((byte, i) => byte === module[i]);
}

function withSection(bytes: Uint8Array, name: string, payload: Uint8Array): Uint8Array {
  const content = new ByteWriter();
  content.name(name);
  content.append(payload);
  const whole = new ByteWriter(bytes.length);
  whole.append(bytes);
  whole.byte(CUSTOM);
  whole.unsigned(content.length);
  whole.append(content.view());
  return whole.copy();
}
