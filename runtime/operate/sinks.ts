/** Where events go. A sink may throw and may be slow; it is asked again. */

import { holdOptions, type OptionTable } from "../options.ts";
import type { PlatformAbortSignal } from "../platform.ts";
import { causeOf, serverUrl } from "./fetching.ts";
import { BatchRefused } from "./outbox.ts";

/** Where batches of events are written. A sink that throws or rejects is asked again, later. */
export interface EventSink {
  /** `lines`: JSON, one event a line; `array`: one JSON array a batch. Default `lines`. */
  readonly format?: "lines" | "array";
  /** Whether batches are compressed by default. */
  readonly gzip?: boolean;
  /** Takes a batch whole, or throws and took none of it. */
  write(batch: Uint8Array, about: BatchFacts): unknown;
  /** Called once, after the last batch. */
  close?(): unknown;
}

/** What a sink is told of a batch. */
export interface BatchFacts {
  readonly events: number;
  readonly gzip: boolean;
  /** Aborted when the batch takes too long. */
  readonly signal: PlatformAbortSignal;
}

/** A stream of Node, or an object with its members. */
export interface NodeWritable {
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
}

/** The part of the platform's WritableStream that is used. */
export interface WebWritable {
  getWriter(): { write(chunk: Uint8Array): Promise<void>; releaseLock(): void };
}

/** Lines into a stream, which stays open: a Node `Writable`, or a `WritableStream`. */
export function streamSink(stream: NodeWritable | WebWritable): EventSink {
  if ("getWriter" in stream) {
    return {
      async write(batch) {
        const writer = stream.getWriter();
        try {
          await writer.write(batch);
        } finally {
          writer.releaseLock();
        }
      },
    };
  }
  return {
    write: (batch) =>
      new Promise<void>((resolve, reject) => stream.write(batch, (error) => (error ? reject(error) : resolve()))),
  };
}

/** Options of `httpSink`. */
export interface HttpSinkOptions {
  /** Below the service's URL; default `/logs`, as in OPA's configuration. */
  readonly resource?: string;
  readonly headers?: { readonly [name: string]: string };
}

const HTTP_SINK_OPTIONS: OptionTable = { resource: "string", headers: { "*": "string" } };

/** Statuses that say that this batch will never be taken. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * OPA's decision log service: `POST <service>/logs` with a gzipped JSON array.
 * https://www.openpolicyagent.org/docs/management-decision-logs#decision-log-service-api
 *
 * Throws TypeError for an option that there is not or of another type, and for a URL with a password, a query or a fragment.
 */
export function httpSink(service: string | { readonly href: string }, options: HttpSinkOptions = {}): EventSink {
  holdOptions(options, HTTP_SINK_OPTIONS);
  const { origin, pathname, search, hash } = serverUrl(service);
  if (search !== "" || hash !== "") throw new TypeError("the URL of a log service has a query or a fragment");
  const url = `${origin}${pathname.replace(/\/+$/, "")}${options.resource ?? "/logs"}`;
  return {
    format: "array",
    gzip: true,
    async write(batch, { gzip, signal }) {
      const response = await fetch(url, {
        method: "POST",
        body: batch as Uint8Array<ArrayBuffer>,
        // A log must not follow somebody elsewhere.
        redirect: "error",
        signal,
        headers: {
          ...options.headers,
          "Content-Type": "application/json",
          ...(gzip ? { "Content-Encoding": "gzip" } : {}),
        },
      }).catch((error: unknown) => {
        throw new Error(`no answer from the log service: ${causeOf(error)}`);
      });
      await response.body?.cancel();
      if (response.ok) return;
      const message = `the log service answered ${response.status}`;
      throw REFUSED.has(response.status) ? new BatchRefused(message) : new Error(message);
    },
  };
}

/** Bytes of a batch of JSON texts, as its sink wants them. */
export async function encodeBatch(texts: readonly string[], sink: EventSink, gzip: boolean): Promise<Uint8Array> {
  const text = sink.format === "array" ? `[${texts.join(",")}]` : texts.map((line) => `${line}\n`).join("");
  const bytes = new TextEncoder().encode(text);
  if (!gzip) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
