/** Serves a module that OPA's own compiler made, through OPA's own SDK, behind the same Policy. */

import { EncodeError, Interned, snapshot } from "../encode/index.ts";
import { jsonText } from "../encode/json-text.ts";
import { type Fault, LoadError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../evaluate/index.ts";
import { messageOf } from "../host/message-of.ts";
import { observedPolicy } from "../observe/index.ts";
import type { Evaluator, Policy } from "../policy.ts";
import { readJsonObject } from "./json-file.ts";
import { DEFAULT_BUNDLE_LIMITS } from "./limits.ts";
import type { LoadOptions } from "./load.ts";
import type { OpenedSource } from "./source.ts";

/** The part of `@open-policy-agent/opa-wasm` that is used here. */
interface Sdk {
  loadPolicy(wasm: WebAssembly.Module | ArrayBuffer, memory?: unknown, builtins?: unknown): Promise<SdkPolicy>;
}
interface SdkPolicy {
  readonly entrypoints: { readonly [name: string]: number };
  evaluate(input: unknown, entrypoint?: string | number): { readonly result: unknown }[];
  setData(data: object): void;
}

/** Throws LoadError when the SDK is not installed, or refuses the module. */
export async function loadForeign(opened: OpenedSource, options: LoadOptions): Promise<Policy> {
  if (!WebAssembly.Module.exports(opened.module).some((e) => e.name === "opa_wasm_abi_version")) {
    throw new LoadError("not-a-policy", "the module is neither a Portcullis policy nor one that OPA compiled");
  }
  const sdk = await importSdk();
  let policy: SdkPolicy;
  try {
    policy = await sdk.loadPolicy(opened.module);
  } catch (error) {
    throw new LoadError("module-invalid", `OPA's SDK refused the module: ${messageOf(error)}`);
  }
  const largest = options.limits?.input ?? DEFAULT_LIMITS.input;
  const evaluator = new SdkEvaluator(policy, ownData(opened, options), largest);
  const loaded = observedPolicy(evaluator, options, opened.facts);
  loaded.setData(options.data ?? {});
  return loaded;
}

/** The bundle's data: the names of its members, and their text as it is written there, with every digit. */
interface OwnData {
  readonly names: readonly string[];
  readonly members: string;
}

/** OPA's compiler writes one file of data. Throws LoadError for more, which OPA would merge. */
function ownData({ files }: OpenedSource, options: LoadOptions): OwnData {
  const other = [...(files ?? new Map<string, Uint8Array>()).keys()].find(
    (path) => /(^|\/)data\.(ya?ml|json)$/.test(path) && path !== "data.json",
  );
  if (other !== undefined)
    throw new LoadError(
      "bundle-mismatch",
      `the bundle has data in \`${other}\`: merge it into one data.json with \`opa build\``,
    );
  const bytes = files?.get("data.json");
  if (bytes === undefined) return { names: [], members: "" };
  const data = readJsonObject(bytes, "data.json", { ...DEFAULT_BUNDLE_LIMITS, ...options.bundleLimits });
  return { names: Object.keys(data), members: strict.decode(bytes).trim().slice(1, -1).trim() };
}

async function importSdk(): Promise<Sdk> {
  // The name is computed, so that bundlers leave the optional package alone.
  const name = ["@open-policy-agent", "opa-wasm"].join("/");
  let imported: { readonly default?: Sdk } & Partial<Sdk>;
  try {
    imported = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as typeof imported;
  } catch {
    throw new LoadError(
      "not-a-policy",
      "this module was compiled by OPA: install `@open-policy-agent/opa-wasm` to serve it",
    );
  }
  const sdk = imported.default ?? imported;
  return sdk as Sdk;
}

const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The SDK is handed bytes of JSON alone. Of a value it would make something itself: it calls `toJSON`, rounds, and takes
 * `null` for no input at all.
 */
class SdkEvaluator implements Evaluator {
  readonly entrypoints: readonly string[];
  lastFault: Fault | undefined = undefined;
  faults = 0;
  readonly memoryBytes = 0;
  private readonly policy: SdkPolicy;
  /** Bytes that an input may have. */
  private readonly largest: number;
  /** The bundle's own data. If the host's data has a member of the same name, the bundle's counts. */
  private readonly own: OwnData;

  constructor(policy: SdkPolicy, own: OwnData, largest: number) {
    this.policy = policy;
    this.own = own;
    this.largest = largest;
    this.entrypoints = Object.keys(policy.entrypoints);
  }

  evaluate(entrypoint: string, input: unknown): unknown {
    const read = () => (input === undefined ? undefined : jsonText(input, this.largest >> 2));
    return onlyResult(this.asked(entrypoint, read));
  }

  /** The SDK is handed the whole input. */
  readsOf(): true {
    return true;
  }

  denialOf(): undefined {
    return undefined;
  }

  /** Nothing is known of the strings of another compiler's module: its SDK gets the text. */
  intern(text: string): Interned {
    return new Interned(String(text), 0, undefined);
  }

  allowedTexts(): string[] {
    this.fail("internal", "no texts");
    return [];
  }

  decide(id: number, input: unknown): unknown {
    return this.evaluate(this.entrypoints[id] ?? "", input);
  }

  evaluateJson(entrypoint: string, json: string | Uint8Array): unknown {
    return onlyResult(
      this.asked(entrypoint, () => {
        const text = typeof json === "string" ? json : strict.decode(json);
        JSON.parse(text);
        return text;
      }),
    );
  }

  /** `read` gives the input as JSON text; what it throws is the input's fault. */
  private asked(name: string, read: () => string | undefined): readonly unknown[] | undefined {
    this.lastFault = undefined;
    if (!this.entrypoints.includes(name)) return this.fail("entrypoint", `no entrypoint \`${String(name)}\``);
    let bytes: Uint8Array | undefined;
    try {
      const text = read();
      bytes = text === undefined ? undefined : utf8.encode(text);
      if (bytes !== undefined && bytes.length > this.largest) throw new EncodeError("the input is too large");
    } catch (error) {
      return this.fail("input", error instanceof EncodeError ? error.message : "the input is not valid JSON");
    }
    try {
      return this.policy.evaluate(bytes?.slice().buffer, name);
    } catch (error) {
      return this.fail("internal", messageOf(error));
    }
  }

  setData(data: unknown): void {
    if (typeof data !== "object" || data === null || Array.isArray(data))
      throw new LoadError("not-a-policy", "data must be an object");
    const { names, members } = this.own;
    const most = this.largest >> 2;
    try {
      const hosts = Object.entries(snapshot(data, most) as object).filter(([name]) => !names.includes(name));
      const texts = [jsonText(Object.fromEntries(hosts), most).slice(1, -1), members].filter((text) => text !== "");
      this.policy.setData(utf8.encode(`{${texts.join(",")}}`).slice().buffer);
    } catch (error) {
      throw new LoadError("memory-limit", `the data was refused: ${messageOf(error)}`);
    }
  }

  private fail(code: Fault["code"], message: string): undefined {
    this.faults++;
    this.lastFault = { code, message };
    return undefined;
  }
}

function onlyResult(results: readonly unknown[] | undefined): unknown {
  return (results?.[0] as { result?: unknown } | undefined)?.result;
}
