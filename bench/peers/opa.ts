/** Stock `@open-policy-agent/opa-wasm`: on our module, and on the module that OPA's own compiler makes of the same bundle. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { DECISION_KINDS, entrypointOf } from "@portcullis/runtime";
import { type Bundle, writeTree } from "../bundles.ts";
import { HOST_BUILTINS } from "./host-builtins.ts";
import { allowedOf, type Peer, type PeerMaker } from "./peer.ts";

/** Stock opa-wasm as a stranger runs it: on the module that OPA makes of the same bundle. */
export const STOCK = "opa-wasm, OPA's module";

interface StockPolicy {
  setData(data: unknown): void;
  evaluate(input: unknown, entrypoint: string): readonly { readonly result: unknown }[];
}

export const stockOnOurs: PeerMaker = async (bundle) => {
  const policy = (await loadPolicy(bundle.wasm, undefined, HOST_BUILTINS)) as unknown as StockPolicy;
  policy.setData({});
  return peerOf("opa-wasm, our module", policy);
};

export const stockOnOpas: PeerMaker = async (bundle) => {
  try {
    execFileSync("opa", ["version"], { stdio: "ignore" });
  } catch {
    return { name: STOCK, absent: "no `opa` on the PATH" };
  }
  const policy = (await loadPolicy(compiledByOpa(bundle), undefined, HOST_BUILTINS)) as unknown as StockPolicy;
  policy.setData(bundle.data);
  return peerOf(STOCK, policy);
};

function peerOf(name: string, policy: StockPolicy): Peer {
  return {
    name,
    wholeDecisions: true,
    decides: (kind) => {
      const entrypoint = entrypointOf(kind);
      return (request) => policy.evaluate(request, entrypoint)[0]?.result;
    },
    allowed: allowedOf,
  };
}

/** Only the Rego is compiled: the tables come in as data, which is OPA's fast way. */
export function compiledByOpa(bundle: Bundle): Uint8Array {
  const folder = join(dirname(bundle.path), "opa");
  const archive = join(folder, "bundle.tar.gz");
  if (!existsSync(archive)) {
    mkdirSync(folder, { recursive: true });
    writeTree(join(folder, "rego"), bundle.rego);
    const entrypoints = DECISION_KINDS.flatMap((kind) => ["-e", entrypointOf(kind)]);
    const made = join(folder, "made.tar.gz");
    try {
      execFileSync("opa", ["build", "-t", "wasm", ...entrypoints, "-o", made, join(folder, "rego")], { stdio: "pipe" });
    } catch (error) {
      throw new Error(`opa build failed: ${(error as { stderr?: Buffer }).stderr?.toString() ?? error}`);
    }
    execFileSync("mv", [made, archive]);
  }
  return fileOfTar(gunzipSync(readFileSync(archive)), "/policy.wasm");
}

/** One file of an uncompressed ustar archive. */
function fileOfTar(tar: Uint8Array, path: string): Uint8Array {
  const text = new TextDecoder();
  for (let at = 0; at + 512 <= tar.length; ) {
    const name = text.decode(tar.subarray(at, at + 100)).replace(/\0.*$/s, "");
    const size = Number.parseInt(text.decode(tar.subarray(at + 124, at + 136)), 8) || 0;
    if (name === path) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`no ${path} in the archive that opa made`);
}
