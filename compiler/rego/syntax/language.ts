/**
 * What a capabilities file says of the language: `features`, `future_keywords` and `wasm_abi_versions`. `allow_net` limits what
 * `http.send` may reach and schemas may load: here a host supplies the one, and no schema is loaded from the net.
 * https://www.openpolicyagent.org/docs/deployments#capabilities
 */

import { isJsonObject } from "../value/index.ts";
import { CapabilitiesError } from "./capabilities.ts";
import { V1_KEYWORDS, V2_KEYWORDS } from "./keywords.ts";

/** The parts of the language that may be used. Names are OPA's. */
export interface Language {
  readonly features: ReadonlySet<string>;
  /** Those of `and`, `not`, `or` that may be imported one by one. Those of v1 always may. */
  readonly futureKeywords: ReadonlySet<string>;
}

/** The version of the WebAssembly interface that modules are made for. */
const ABI = { version: 1, minor: 3 };

/** Throws CapabilitiesError, in OPA's words, for a file that allows no module of Rego v1 at all. */
export function readLanguage(json: unknown): Language {
  const features = new Set(names(json, "features"));
  if (!features.has("rego_v1"))
    throw new CapabilitiesError("illegal capabilities: rego_v1 feature required for parsing v1 Rego");
  const keywords = names(json, "future_keywords");
  const unknown = keywords.find((word) => !V1_KEYWORDS.includes(word) && !V2_KEYWORDS.includes(word));
  if (unknown !== undefined) throw new CapabilitiesError(`illegal capabilities: unknown keyword: ${unknown}`);
  return { features, futureKeywords: new Set(keywords.filter((word) => V2_KEYWORDS.includes(word))) };
}

/** Throws CapabilitiesError for a file that names versions of the interface, and none that our modules have. */
export function checkAbi(json: unknown): void {
  const listed = isJsonObject(json) ? (json["wasm_abi_versions"] ?? undefined) : undefined;
  if (listed === undefined) return;
  if (!Array.isArray(listed)) throw new CapabilitiesError("`wasm_abi_versions` is no list");
  const versions = listed.map((item: unknown) => {
    const { version = 0, minor_version: minor = 0 } = isJsonObject(item) ? item : {};
    return { version: Number(version), minor: Number(minor) };
  });
  if (versions.some(({ version, minor }) => version === ABI.version && minor <= ABI.minor)) return;
  const have = versions.map(({ version, minor }) => `{${version} ${minor}}`).join(" ");
  throw new CapabilitiesError(
    `compiler ABI version not in capabilities (have [${have}], want {${ABI.version} ${ABI.minor}})`,
  );
}

function names(json: unknown, member: string): readonly string[] {
  const list = isJsonObject(json) ? (json[member] ?? []) : [];
  if (!Array.isArray(list) || !list.every((name) => typeof name === "string"))
    throw new CapabilitiesError(`\`${member}\` is no list of names`);
  return list as string[];
}
