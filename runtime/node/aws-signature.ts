/**
 * Requests to private object stores, signed as AWS asks for it (SigV4): S3 and what speaks as it does. `aws4fetch`, an optional
 * peer, signs; it is loaded with the first request.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */

import type { HttpHeaders, HttpRequest } from "../operate/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";

/** Who asks. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Temporary credentials have one. */
  readonly sessionToken?: string | undefined;
}

/** Where the store is, and who asks. */
export interface AwsSignatureOptions {
  /** Such as `eu-central-1`; stores of others say which name they take. */
  readonly region: string;
  /** Default: `s3`. */
  readonly service?: string;
  /** Asked for each request, so that they rotate. Default: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`. */
  readonly credentials?: () => AwsCredentials | Promise<AwsCredentials>;
}

const OPTIONS: OptionTable = { region: "string", service: "string", credentials: "function" };
/** SHA-256 of no bytes: what is asked for has no body. */
const NO_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * For `headers` of `httpSource`: signs each request to the URL's own origin. Another origin that it redirects to gets neither the
 * signature nor the session's token. Rejects where there are no credentials or no `aws4fetch`, and the check fails.
 */
export function awsSignature(options: AwsSignatureOptions): (request: HttpRequest) => Promise<HttpHeaders> {
  holdOptions(options, OPTIONS);
  const { region, service = "s3", credentials = fromEnvironment } = options;
  if (typeof region !== "string" || region === "") throw new TypeError("`region` is needed");
  return async ({ url, date = new Date() }) => {
    const { AwsV4Signer } = await signing();
    const datetime = date.toISOString().replace(/[:-]|\.\d{3}/g, "");
    const headers = { "x-amz-content-sha256": NO_BODY };
    const given = { ...(await credentials()), service, region, datetime, url, method: "GET", headers };
    const signed: Record<string, string> = {};
    (await new AwsV4Signer(given).sign()).headers.forEach((value, name) => {
      if (name !== "host") signed[name] = value;
    });
    return signed;
  };
}

/** Throws where they are not there: an unsigned request is another one's. */
function fromEnvironment(): AwsCredentials {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: token,
  } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error("there are no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) };
}

/** What of `aws4fetch` is used. */
interface Signing {
  readonly AwsV4Signer: new (
    request: AwsCredentials & {
      readonly url: string;
      readonly method: string;
      readonly headers: HttpHeaders;
      readonly service: string;
      readonly region: string;
      readonly datetime: string;
    },
  ) => { sign(): Promise<{ readonly headers: { forEach(visit: (value: string, name: string) => void): void } }> };
}

async function signing(): Promise<Signing> {
  // The name is computed, so that bundlers leave the optional package alone.
  const name = ["aws4", "fetch"].join("");
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Signing;
  } catch (error) {
    throw new Error(`a signed request needs \`npm install aws4fetch\`: ${(error as Error).message}`);
  }
}
