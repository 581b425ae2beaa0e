/** Bundles in a registry of the OCI, as OPA finds them: one layer of a manifest is the `bundle.tar.gz`. */

import { type BundleSource, type HttpSourceOptions, httpSource, SourceError } from "../operate/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";
import type { PlatformFetch } from "../platform.ts";
import { authorizedFetch, digestOf, dockerCredentials, holdDigest, type OciRef, ociRef, originOf } from "./registry.ts";

/** How often a registry is asked, and how much of it is taken, as for `httpSource`. */
export type OciSourceOptions = Pick<
  HttpSourceOptions,
  "minDelay" | "maxDelay" | "staleAfter" | "timeout" | "maxBytes" | "fetch"
>;

const OCI_SOURCE: OptionTable = {
  ...{ minDelay: "number", maxDelay: "number", staleAfter: "number", timeout: "number", maxBytes: "number" },
  fetch: "function",
};

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
/** What OPA looks for among the layers. */
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
const MOST_MANIFEST = 4 << 20;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * A bundle in a registry, by tag or digest: `oci://registry.example/policies/newsroom:stable`. Each part is held against its digest.
 * Credentials are those of `docker login`. A registry of this machine is asked over HTTP, any other over TLS. Throws TypeError for a
 * reference of another form.
 */
export function ociSource(reference: string, options: OciSourceOptions = {}): BundleSource {
  holdOptions(options, OCI_SOURCE);
  const ref = ociRef(reference);
  const { fetch: given = globalThis.fetch as PlatformFetch, maxBytes = 64 << 20, timeout, ...times } = options;
  const fetch = authorizedFetch(ref, () => dockerCredentials(ref.host), given);
  const limits = timeout === undefined ? {} : { timeout };
  const base = `${originOf(ref)}/v2/${ref.repository}`;
  const manifests = httpSource(`${base}/manifests/${ref.digest ?? ref.tag}`, {
    ...{ ...times, ...limits, fetch, wait: 0, maxBytes: MOST_MANIFEST },
    headers: { accept: MANIFEST },
  });
  return {
    name: reference,
    staleAfter: manifests.staleAfter,
    pause: (failures, error, signal) => manifests.pause(failures, error, signal),
    async fetch(tag, signal) {
      const { bytes: text = new Uint8Array() } = await manifests.fetch(undefined, signal);
      const digest = await digestOf(text);
      if (ref.digest !== undefined) await holdDigest(text, ref.digest, `the manifest of ${reference}`);
      if (digest === tag) return { bytes: undefined, tag };
      const layer = layerOf(text, reference);
      if (layer.size > maxBytes) throw new SourceError("too-large", `${reference} has more than ${maxBytes} bytes`);
      const blob = httpSource(`${base}/blobs/${layer.digest}`, {
        ...limits,
        fetch,
        wait: 0,
        maxBytes: Math.max(1, layer.size),
      });
      const { bytes = new Uint8Array() } = await blob.fetch(undefined, signal);
      await holdDigest(bytes, layer.digest, `the bundle of ${reference}`);
      return { bytes, tag: digest };
    },
  };
}

interface Layer {
  readonly digest: string;
  readonly size: number;
}

/** Throws SourceError for a manifest without a bundle, or with several: OPA takes the first, others may not. */
function layerOf(text: Uint8Array, reference: string): Layer {
  let layers: unknown;
  try {
    layers = (JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text)) as { layers?: unknown }).layers;
  } catch {
    throw new SourceError("status", `the manifest of ${reference} is not JSON`);
  }
  const found = (Array.isArray(layers) ? layers : []).filter(
    (one: { mediaType?: unknown } | null) => one?.mediaType === LAYER,
  );
  const [layer] = found as Partial<Layer>[];
  const { digest, size } = layer ?? {};
  if (
    found.length !== 1 ||
    digest === undefined ||
    !DIGEST.test(digest) ||
    !Number.isSafeInteger(size) ||
    (size as number) < 0
  )
    throw new SourceError("status", `${reference} is not a bundle: its manifest has no one layer ${LAYER}`);
  return { digest, size: size as number };
}

/**
 * Puts a bundle into a registry, where OPA and `ociSource` find it, and gives the digest of its manifest. What is not whole is not to
 * be found: the manifest comes last. Rejects with SourceError; throws TypeError for a reference of another form, or by digest.
 */
export async function pushBundle(reference: string, bytes: Uint8Array): Promise<string> {
  const ref = ociRef(reference);
  if (ref.digest !== undefined)
    throw new TypeError(`\`${reference}\`: a bundle is pushed under a tag; its digest follows from it`);
  const fetch = authorizedFetch(ref, () => dockerCredentials(ref.host), globalThis.fetch as PlatformFetch);
  const send = sender(ref, fetch);
  const config = new TextEncoder().encode("{}");
  const parts = await Promise.all(
    [config, bytes].map(async (part) => ({ digest: await digestOf(part), size: part.length })),
  );
  for (const [i, part] of [config, bytes].entries()) await putBlob(send, ref, parts[i]?.digest as string, part);
  const manifest = new TextEncoder().encode(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType: MANIFEST },
      config: { mediaType: CONFIG, ...parts[0] },
      layers: [{ mediaType: LAYER, ...parts[1], annotations: { "org.opencontainers.image.title": "bundle.tar.gz" } }],
    }),
  );
  const path = `/v2/${ref.repository}/manifests/${ref.tag}`;
  await send("PUT", new URL(path, originOf(ref)), [201], { body: manifest, type: MANIFEST });
  return digestOf(manifest);
}

type Send = (
  method: string,
  url: URL,
  good: readonly number[],
  content?: { readonly body: Uint8Array; readonly type: string },
) => Promise<Response>;

const SEND_MS = 300_000;

/** A request to the registry itself: an answer that leads elsewhere is an error. */
function sender(ref: OciRef, fetch: PlatformFetch): Send {
  const origin = originOf(ref);
  return async (method, url, good, content) => {
    if (url.origin !== origin) throw new SourceError("status", `${origin} wants the bundle to be sent elsewhere`);
    let response: Response;
    try {
      response = (await fetch(url.href, {
        ...{ method, redirect: "error", signal: AbortSignal.timeout(SEND_MS) },
        ...(content === undefined ? {} : { body: content.body, headers: { "content-type": content.type } }),
      } as never)) as Response;
      await response.body?.cancel().catch(() => undefined);
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw new SourceError("unreachable", `no answer from ${origin}: ${(error as Error).message}`);
    }
    if (good.includes(response.status)) return response;
    throw new SourceError("status", `${origin} answers ${method} ${url.pathname} with status ${response.status}`);
  };
}

/** In one request, where it is not there already. */
async function putBlob(send: Send, ref: OciRef, digest: string, bytes: Uint8Array): Promise<void> {
  const base = new URL(`/v2/${ref.repository}/blobs/`, originOf(ref));
  const there = await send("HEAD", new URL(`./${digest}`, base), [200, 404]);
  if (there.status === 200) return;
  const begun = await send("POST", new URL("uploads/", base), [202]);
  const place = new URL(begun.headers.get("location") ?? "", base);
  place.searchParams.set("digest", digest);
  await send("PUT", place, [201], { body: bytes, type: "application/octet-stream" });
}
