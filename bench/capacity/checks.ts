/** Envoy's checks, asked without an Envoy: over gRPC and over HTTP, of the example's policy. */

import { request } from "node:http";
import * as grpc from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import { MESSAGES, SERVICE } from "../../compiler/enforcement/serving/ext-authz-grpc.ts";
import { freePort } from "../../test/free-port.ts";
import { cpuMicros, served } from "./served.ts";

const CONNECTIONS = 16;
const HEADERS = {
  "content-type": "application/json",
  "x-saltmarsh-role": "WRITER",
  "x-saltmarsh-run": "r-7",
  "x-saltmarsh-lineage": JSON.stringify([{ agent_type: "news_desk", spawn_depth: 0 }]),
};
const PATH = "/stories/s-1/drafts";

type Ask = () => Promise<unknown>;

/** How, and the microseconds of processor time of a check. */
export async function checksOf(bundle: string, requests: number): Promise<readonly (readonly [string, number])[]> {
  const port = await freePort();
  const server = await served(bundle, ["--ext-authz", `127.0.0.1:${port}`]);
  const client = clientOf(port);
  try {
    const measured: (readonly [string, number])[] = [];
    for (const [over, ask] of [
      ["gRPC", () => grpcCheck(client)],
      ["HTTP", () => httpCheck(server.url)],
    ] as const) {
      await askAll(ask, requests / 2);
      const before = cpuMicros(server.pid);
      await askAll(ask, requests);
      measured.push([over, (cpuMicros(server.pid) - before) / requests]);
    }
    return measured;
  } finally {
    client.close();
    await server.stop();
  }
}

async function askAll(ask: Ask, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next++ < count) await ask();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

function clientOf(port: number): grpc.Client {
  const definition = fromJSON(MESSAGES as never, { longs: String, defaults: false, bytes: Buffer, oneofs: false });
  const Client = grpc.makeGenericClientConstructor(definition[SERVICE] as grpc.ServiceDefinition, SERVICE);
  return new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
}

type Check = (
  message: object,
  done: (error: Error | null, answer?: { readonly status?: { code?: number } }) => void,
) => void;

function grpcCheck(client: grpc.Client): Promise<void> {
  const message = { attributes: { request: { http: { method: "POST", path: PATH, headers: HEADERS, body: "{}" } } } };
  return new Promise((resolve, reject) => {
    (client as unknown as { Check: Check }).Check(message, (error, answer) => {
      if (error === null && (answer?.status?.code ?? 0) === 0) resolve();
      else reject(error ?? new Error(JSON.stringify(answer)));
    });
  });
}

function httpCheck(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/ext-authz${PATH}`,
      { method: "POST", headers: { ...HEADERS, "content-length": 2 } },
      (answer) => {
        answer.resume();
        answer.on("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(String(answer.statusCode)))));
      },
    );
    asked.on("error", reject);
    asked.end("{}");
  });
}
