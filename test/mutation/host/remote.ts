/** A gateway over HTTP to ask: a client that is us, a server that is a function, and a policy that is one. */
import { request as ask, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { type HttpGatewayOptions, serveGateway } from "../../../compiler/enforcement/gateway/http-gateway.ts";
import { LIMITS } from "../../../compiler/enforcement/gateway/limits.ts";
import { serving } from "./serving.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

export interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Behind = (sent: Sent, response: ServerResponse) => void;

const POLICY = deciding({ yes: ALLOW, no: denied("FLAGS") });
export const say = (response: ServerResponse, value: object, more: OutgoingHttpHeaders = {}, status = 200): void =>
  void response
    .writeHead(status, { "content-type": "application/json", ...more })
    .end(JSON.stringify({ jsonrpc: "2.0", ...value }));

export const idOf = ({ body }: Sent): unknown =>
  body === "" ? undefined : (JSON.parse(body) as { readonly id?: unknown }).id;

export const done: Behind = (sent, response) => say(response, { id: idOf(sent), result: { ok: true } });
interface Remote {
  readonly url: URL;
  readonly sent: readonly Sent[];
  readonly lines: readonly string[];
  readonly records: readonly string[];
  send(method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Told>;
  post(value: object, headers?: OutgoingHttpHeaders): Promise<Told>;
  close(): Promise<void>;
}

/** Asks a gateway in front of such a server. */
export async function remote(behind: Behind, given: Partial<HttpGatewayOptions>, work: (of: Remote) => Promise<void>) {
  await serving(behind, async (upstream, sent) => {
    const [lines, records]: [string[], string[]] = [[], []];
    const gateway = await serveGateway({
      ...{ policy: POLICY, caller: CALLER, tools: TOOLS, limits: { ...LIMITS, graceMs: 40 }, maxConnections: 100 },
      ...{ sessions: { most: 9, idleMs: 60_000 }, upstream, host: "127.0.0.1", port: 0, metrics: () => "m 1\n" },
      record: ({ gate }, name) => void records.push(`${gate} ${name}`),
      log: (line) => lines.push(line),
      ...given,
    });
    const url = new URL(gateway.url);
    const send = (method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Told> =>
      new Promise((resolve, reject) => {
        const host = url.hostname.replace(/^\[|\]$/g, "");
        const options = { method, path, headers, host, port: url.port, agent: false };
        const asking = ask(options as never, (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => {
            text += chunk.toString();
          });
          const end = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          response.on("end", end).on("error", reject);
        });
        asking.on("error", reject).end(body);
      });
    const post = (value: object, headers: OutgoingHttpHeaders = {}): Promise<Told> =>
      send(
        "POST",
        "/mcp",
        { "content-type": "application/json", ...headers },
        JSON.stringify({ jsonrpc: "2.0", ...value }),
      );
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= gateway.close();
      return closed;
    };
    try {
      await work({ url, sent, lines, records, send, post, close });
    } finally {
      await close();
    }
  });
}

export const call = (name: string, id: unknown = 1): object => ({
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});
export const ping = { id: 1, method: "ping" };
export const OK = { jsonrpc: "2.0", id: 1, result: { ok: true } };
export const parsed = ({ status, text }: Told): unknown => [status, text === "" ? "" : (JSON.parse(text) as unknown)];
export const refused = (status: number, code: number, message: string, id?: unknown): unknown => [
  status,
  { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message } },
];

export const INITIALIZE = { id: 1, method: "initialize", params: {} };
