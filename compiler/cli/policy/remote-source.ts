/** Bundles that are elsewhere: at an http(s) URL, or in a registry of the OCI. */

import { type BundleSource, type HttpSourceOptions, httpSource } from "@portcullis/runtime";
import { awsSignature, bearerFile, ociSource } from "@portcullis/runtime/node";
import { CliError } from "../exit.ts";
import { readToken } from "../state.ts";

export function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

export function isOci(text: string): boolean {
  return text.startsWith("oci://");
}

/** How the server of an http(s) URL knows who asks. */
interface Showing {
  /** File with a token. */
  readonly sourceToken?: string;
  /** Requests are signed for this region, by the credentials of the environment. */
  readonly sourceRegion?: string;
}

/**
 * The headers for the server of an http(s) URL. Throws CliError for other places: a registry is asked by what `docker login` left, and
 * on the way to another machine anybody could read a token that is sent without TLS.
 */
export function showing(place: string, { sourceToken, sourceRegion }: Showing): Pick<HttpSourceOptions, "headers"> {
  if (sourceToken !== undefined && sourceRegion !== undefined)
    throw new CliError("`--source-token` and `--source-region` are two ways to show who asks: choose one");
  const flag = sourceToken === undefined ? "--source-region" : "--source-token";
  if (sourceToken === undefined && sourceRegion === undefined) return {};
  if (!isUrl(place) || !URL.canParse(place)) throw new CliError(`\`${flag}\` needs an http(s) URL`);
  const { protocol, hostname } = new URL(place);
  if (protocol !== "https:" && !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname))
    throw new CliError(`\`${flag}\` would be sent without TLS`);
  if (sourceRegion === "") throw new CliError("`--source-region` is empty");
  if (sourceRegion !== undefined) return { headers: awsSignature({ region: sourceRegion }) };
  readToken(sourceToken as string);
  return { headers: bearerFile(sourceToken as string) };
}

/** Whether a bundle is fetched, and not a file. */
export function isRemote(text: string): boolean {
  return isUrl(text) || isOci(text);
}

type Asking = Pick<HttpSourceOptions, "minDelay" | "maxDelay" | "staleAfter" | "timeout" | "headers">;

/** Throws CliError for a URL that cannot be fetched, for a reference that no registry takes, and for headers to one. */
export function remoteSource(place: string, { headers, ...times }: Asking): BundleSource {
  const own = headers === undefined ? {} : { headers };
  try {
    return isUrl(place) ? httpSource(place, { ...times, ...own }) : ociSource(place, times);
  } catch (error) {
    throw error instanceof TypeError ? new CliError(error.message) : error;
  }
}
