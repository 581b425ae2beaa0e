/** The custom sections of a policy's module (runtime/abi/section.ts), and the digest that closes it. */

import { DIGEST_SECTION, POLICY_SECTION, type PolicySection } from "@portcullis/runtime/abi";
import type { WasmModule } from "./binaryen.ts";
import { leb128 } from "./leb128.ts";

export function addPolicySection(module: WasmModule, section: PolicySection): void {
  module.addCustomSection(POLICY_SECTION, new TextEncoder().encode(JSON.stringify(section)));
}

/** The module with its digest section at the end. The hash is the platform's (Web Crypto): browsers and Node have it. */
export async function sealModule(bytes: Uint8Array): Promise<Uint8Array> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  const name = new TextEncoder().encode(DIGEST_SECTION);
  const content = [...leb128(name.length), ...name, ...digest];
  const section = [0, ...leb128(content.length), ...content];
  const sealed = new Uint8Array(bytes.length + section.length);
  sealed.set(bytes);
  sealed.set(section, bytes.length);
  return sealed;
}
