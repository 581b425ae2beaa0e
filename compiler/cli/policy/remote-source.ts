/** Bundles that are elsewhere: at an http(s) URL, or in a registry of the OCI. */

import { type BundleSource, type HttpSourceOptions, httpSource } from "@portcullis/runtime";
import { ociSource } from "@portcullis/runtime/node";
import { CliError } from "../exit.ts";

export function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

export function isOci(text: string): boolean {
  return text.startsWith("oci://");
}

/** Whether a bundle is fetched, and not a file. */
export function isRemote(text: string): boolean {
  return isUrl(text) || isOci(text);
}

type Times = Pick<HttpSourceOptions, "minDelay" | "maxDelay" | "staleAfter" | "timeout">;

/** Throws CliError for a reference that no registry takes. */
export function remoteSource(place: string, times: Times): BundleSource {
  if (isUrl(place)) return httpSource(place, times);
  try {
    return ociSource(place, times);
  } catch (error) {
    throw error instanceof TypeError ? new CliError(error.message) : error;
  }
}
