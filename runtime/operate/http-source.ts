/**
 * A bundle over HTTP: from a server that speaks OPA's bundle API (https://www.openpolicyagent.org/docs/management-bundles#bundle-service-api),
 * an object store, or a CDN. A server that says it can is asked to answer when there is something new (long polling).
 */

import { holdOptions, type OptionTable } from "../options.ts";
import type { PlatformAbortSignal, PlatformFetch } from "../platform.ts";
import { type BundleSource, type FetchedBundle, SourceError } from "./bundle-source.ts";
import { bodyOf, causeOf, type ServerUrl, serverUrl } from "./fetching.ts";
import { fetchRedirected } from "./redirects.ts";
import { sizeLimit, sleep, staleLimit, timerLimit } from "./times.ts";

/** How often a URL is asked, with which headers, and how much of an answer is taken. */
export interface HttpSourceOptions {
  /** Sent to the URL's own origin, such as `authorization`; a function is asked each time. */
  readonly headers?: HttpHeaders | ((request: HttpRequest) => HttpHeaders | Promise<HttpHeaders>);
  /** Milliseconds between checks: some time from `minDelay` (60,000) to `maxDelay` (120,000). Failures wait up to `maxDelay`. */
  readonly minDelay?: number;
  readonly maxDelay?: number;
  /** Milliseconds without a successful check after which the policy is stale; default: never. */
  readonly staleAfter?: number;
  /** Milliseconds that one answer may take, its body included; default 60,000. */
  readonly timeout?: number;
  /** Bytes that one answer may have; default 64 MiB. */
  readonly maxBytes?: number;
  /** Seconds that a server which offers long polling is asked to wait; 0: never asked. Default 30. */
  readonly wait?: number;
  /** Default: the platform's. */
  readonly fetch?: PlatformFetch;
}

const HTTP_SOURCE_OPTIONS: OptionTable = {
  headers: "object|function",
  minDelay: "number",
  maxDelay: "number",
  staleAfter: "number",
  timeout: "number",
  maxBytes: "number",
  wait: "number",
  fetch: "function",
};

/** What is asked for, by GET. */
export interface HttpRequest {
  readonly url: string;
  /** When; absent: now. */
  readonly date?: Date;
}

/** By name. */
export type HttpHeaders = { readonly [name: string]: string };

/** What OPA's bundle servers call their answers when they can wait. */
const LONG_POLLING = "application/vnd.openpolicyagent.bundles";
const FIRST_RETRY = 500;
/** A server cannot ask for a longer pause. */
const LONGEST_RETRY_AFTER = 3_600_000;
/** After a wait the next one begins soon, but a server that never waits is not asked without end. */
const BETWEEN_WAITS = 100;
/** An answer that "waited" for less did not wait. */
const WAITED = 1000;

/** Checks begin when somebody follows the source. TypeError: an unknown option, or a URL that cannot be fetched; RangeError: a number out of range. */
export function httpSource(url: string | { readonly href: string }, options: HttpSourceOptions = {}): BundleSource {
  holdOptions(options, HTTP_SOURCE_OPTIONS);
  return new HttpSource(serverUrl(url), options);
}

class HttpSource implements BundleSource {
  readonly name: string;
  readonly staleAfter: number | undefined;
  private readonly url: string;
  private readonly options: Required<Omit<HttpSourceOptions, "staleAfter">>;
  private canWait = false;
  private waited = false;

  constructor({ href, origin, pathname }: ServerUrl, options: HttpSourceOptions) {
    this.url = href;
    // A token in a query is no part of a message.
    this.name = origin + pathname;
    this.staleAfter = staleLimit(options.staleAfter);
    const {
      minDelay = 60_000,
      maxDelay = Math.max(120_000, minDelay),
      timeout = 60_000,
      maxBytes = 64 << 20,
    } = options;
    const { headers = {}, wait = 30, fetch = globalThis.fetch } = options;
    timerLimit("minDelay", minDelay);
    timerLimit("maxDelay", maxDelay);
    if (maxDelay < minDelay) throw new RangeError("`minDelay` is at most `maxDelay`");
    timerLimit("timeout", timeout, 1);
    // A server that is asked to wait has both.
    timerLimit("wait", timerLimit("wait", wait) * 1000 + timeout);
    sizeLimit("maxBytes", maxBytes);
    this.options = { headers, minDelay, maxDelay, timeout, maxBytes, wait, fetch };
  }

  async fetch(tag: string | undefined, signal: PlatformAbortSignal): Promise<FetchedBundle> {
    const { headers, timeout, fetch, wait } = this.options;
    const seconds = this.canWait && tag !== undefined ? wait : 0;
    const limit = new AbortController();
    const stop = (): void => limit.abort();
    signal.addEventListener("abort", stop);
    const timer = setTimeout(stop, timeout + seconds * 1000);
    (timer as { unref?: () => void }).unref?.();
    const started = performance.now();
    try {
      const own = typeof headers === "function" ? await headers({ url: this.url }) : headers;
      const prefer = seconds > 0 ? `modes=snapshot;wait=${seconds}` : "modes=snapshot";
      const response = await fetchRedirected({
        fetch,
        name: this.name,
        url: this.url,
        own,
        headers: { prefer, ...(tag === undefined ? {} : { "if-none-match": tag }) },
        signal: limit.signal,
      });
      const fetched = await this.read(response, tag);
      this.canWait = wait > 0 && (response.headers.get("content-type") ?? "").startsWith(LONG_POLLING);
      this.waited = seconds > 0 && (fetched.bytes !== undefined || performance.now() - started >= WAITED);
      return fetched;
    } catch (error) {
      this.waited = false;
      if (error instanceof SourceError) throw error;
      if (limit.signal.aborted) throw new SourceError("timeout", `no answer from ${this.name} within ${timeout} ms`);
      throw new SourceError("unreachable", `no answer from ${this.name}: ${causeOf(error)}`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  private async read(response: Response, tag: string | undefined): Promise<FetchedBundle> {
    if (response.status === 304 && tag !== undefined) return { bytes: undefined, tag };
    if (response.status !== 200) {
      await response.body?.cancel().catch(() => undefined);
      const message = `${this.name} answers with status ${response.status}`;
      throw new SourceError("status", message, retryAfterOf(response.headers.get("retry-after")));
    }
    return {
      bytes: await bodyOf(response, this.options.maxBytes, this.name),
      tag: response.headers.get("etag") ?? undefined,
    };
  }

  pause(failures: number, error: Error | undefined, signal: PlatformAbortSignal): Promise<void> {
    const { minDelay, maxDelay } = this.options;
    if (failures === 0)
      return sleep(this.waited ? BETWEEN_WAITS : minDelay + Math.random() * (maxDelay - minDelay), signal);
    // Exponential, and never at the same time as everybody else.
    const backoff = Math.min(maxDelay, FIRST_RETRY * 2 ** Math.min(failures - 1, 20)) * (0.5 + Math.random() / 2);
    const asked = error instanceof SourceError ? (error.retryAfter ?? 0) : 0;
    return sleep(Math.max(backoff, Math.min(asked, LONGEST_RETRY_AFTER)), signal);
  }
}

/** Seconds or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
