/**
 * A registry of the OCI: names, manifests, and who may ask. https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 * INVARIANT: what the registry gives is what its digest says. Credentials go to the registry, and to the place of its tokens over TLS.
 */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../abi/index.ts";
import { attempt } from "../host/attempt.ts";
import { bodyOf, SourceError } from "../operate/index.ts";
import type { PlatformFetch } from "../platform.ts";

/** `oci://host[:port]/repository[:tag][@digest]`, taken apart. */
export interface OciRef {
  /** With the port. */
  readonly host: string;
  readonly repository: string;
  /** `latest` where neither is named. */
  readonly tag: string;
  /** `sha256:…` of the manifest, where the reference names it. */
  readonly digest: string | undefined;
}

const PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const HOST = "[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\]";
const REF = new RegExp(
  `^oci://((?:${HOST})(?::\\d{1,5})?)/(${PART}(?:/${PART})*)(?::([A-Za-z0-9_][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);

/** Throws TypeError for a text of another form. */
export function ociRef(text: string): OciRef {
  const [, host, repository, tag = "latest", digest] = REF.exec(text) ?? [];
  if (host === undefined || repository === undefined)
    throw new TypeError(`\`${text}\` is not oci://HOST/REPOSITORY:TAG, nor oci://HOST/REPOSITORY@sha256:DIGEST`);
  return { host, repository, tag, digest };
}

/** Registries of this machine speak HTTP, as for Docker; others TLS. */
export function originOf({ host }: OciRef): string {
  return `${/^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host) ? "http" : "https"}://${host}`;
}

export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await sha256(bytes)}`;
}

/** Throws SourceError for bytes that are not those of the digest. */
export async function holdDigest(bytes: Uint8Array, digest: string, what: string): Promise<void> {
  if ((await digestOf(bytes)) !== digest) throw new SourceError("digest", `${what} is not what its digest says`);
}

/** Credentials for a registry; `undefined` for one that is asked without. */
export type Credentials = { readonly username: string; readonly password: string } | undefined;

/** A `fetch` that shows the registry who asks, once it wants to know. Other servers, as after a redirect, are shown nothing. */
export function authorizedFetch(
  ref: OciRef,
  credentials: () => Promise<Credentials>,
  fetch: PlatformFetch,
): PlatformFetch {
  const origin = originOf(ref);
  let authorization: string | undefined;
  return async (asked, options) => {
    const url = asked instanceof Request ? asked.url : String(asked);
    if (new URL(url).origin !== origin) return fetch(url, options);
    const ask = (): ReturnType<PlatformFetch> =>
      fetch(
        url,
        authorization === undefined ? options : { ...options, headers: { ...options?.headers, authorization } },
      );
    const response = await ask();
    if (response.status !== 401) return response;
    const challenge = response.headers.get("www-authenticate") ?? "";
    await response.body?.cancel().catch(() => undefined);
    authorization = await answerTo(challenge, origin, await credentials(), (place, headers) =>
      fetch(place, {
        headers,
        redirect: "error",
        ...(options?.signal === undefined ? {} : { signal: options.signal }),
      }),
    );
    return ask();
  };
}

/** Bytes of an answer that has a token. */
const MOST_ANSWER = 1 << 20;

type Ask = (place: string, headers: { readonly [name: string]: string }) => ReturnType<PlatformFetch>;

/** The header that a challenge asks for. Throws SourceError. */
async function answerTo(challenge: string, origin: string, known: Credentials, ask: Ask): Promise<string> {
  const basic = known && `Basic ${Buffer.from(`${known.username}:${known.password}`, "utf8").toString("base64")}`;
  if (/^basic\b/i.test(challenge)) {
    if (basic === undefined)
      throw new SourceError("status", `${origin} wants credentials, and Docker's configuration has none for it`);
    return basic;
  }
  const said = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name as string, value as string]),
  );
  const realm = said.get("realm");
  if (!/^bearer\b/i.test(challenge) || realm === undefined || !URL.canParse(realm))
    throw new SourceError("status", `${origin} answers 401, and does not say how to ask`);
  const place = new URL(realm);
  // Anybody on the way could read what is sent without TLS.
  if (place.protocol !== "https:" && place.origin !== origin)
    throw new SourceError("status", `${origin} wants its tokens to be fetched without TLS`);
  for (const name of ["service", "scope"]) if (said.has(name)) place.searchParams.set(name, said.get(name) as string);
  const response = await ask(place.href, basic === undefined ? {} : { authorization: basic });
  const text = new TextDecoder().decode(await bodyOf(response, MOST_ANSWER, place.origin));
  const answer = attempt(() => JSON.parse(text) as { token?: unknown; access_token?: unknown } | null);
  const token = answer?.token ?? answer?.access_token;
  if (!response.ok || typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token))
    throw new SourceError("status", `${place.origin} gives no token for ${origin}`);
  return `Bearer ${token}`;
}

interface DockerConfig {
  readonly auths?: { readonly [host: string]: { readonly auth?: unknown } };
  readonly credHelpers?: { readonly [host: string]: unknown };
  readonly credsStore?: unknown;
}

/** What `docker login` has left for a host: in its configuration (`DOCKER_CONFIG`, `~/.docker`), or with a helper that this names. */
export async function dockerCredentials(host: string): Promise<Credentials> {
  const file = join(process.env["DOCKER_CONFIG"] ?? join(homedir(), ".docker"), "config.json");
  let config: DockerConfig;
  try {
    config = JSON.parse(await readFile(file, "utf8")) as DockerConfig;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw new SourceError("unreachable", `cannot read \`${file}\``);
  }
  const helper = config?.credHelpers?.[host] ?? config?.credsStore;
  if (typeof helper === "string") return askHelper(helper, host);
  const auth = config?.auths?.[host]?.auth ?? config?.auths?.[`https://${host}`]?.auth;
  if (typeof auth !== "string") return undefined;
  const pair = Buffer.from(auth, "base64").toString("utf8");
  const at = pair.indexOf(":");
  return at < 0 ? undefined : { username: pair.slice(0, at), password: pair.slice(at + 1) };
}

const HELPER_MS = 30_000;

async function askHelper(helper: string, host: string): Promise<Credentials> {
  if (!/^[\w.-]+$/.test(helper))
    throw new SourceError("unreachable", "Docker's configuration names a helper of another form");
  const text = await new Promise<string>((resolve, reject) => {
    const child = execFile(`docker-credential-${helper}`, ["get"], { timeout: HELPER_MS }, (error, out) => {
      // What it prints may be a secret.
      if (error === null) resolve(out);
      else reject(new SourceError("unreachable", `\`docker-credential-${helper}\` gives nothing for ${host}`));
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(host);
  });
  const { Username: username, Secret: password } = JSON.parse(text) as { Username?: unknown; Secret?: unknown };
  return typeof username === "string" && typeof password === "string" ? { username, password } : undefined;
}
