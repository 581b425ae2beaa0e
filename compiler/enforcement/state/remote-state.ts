/**
 * The side that asks: a store of history and a source of approvals that are kept by a `portcullis serve` of another user. What it does
 * not answer in time, or answers in another form, rejects, and the call is denied.
 */

import { request as httpRequest } from "node:http";
import {
  type ApprovalSource,
  type FactPolicy,
  type HistoryStore,
  type Replaceable,
  type ReservedFacts,
  strictJson,
} from "@portcullis/runtime";
import { policyDigest } from "./policy-digest.ts";

/** Where it listens: a port of this machine, or a socket in a folder. */
export type StatePlace = { readonly host: string; readonly port: number } | { readonly socketPath: string };

export interface RemoteState {
  readonly history: HistoryStore;
  readonly approvals: ApprovalSource;
}

/** For an answer as a whole; hosts of a hook wait longer. */
const ANSWER_MS = 1500;
const MOST_BYTES = 1 << 20;

type Members = Readonly<Record<string, unknown>>;

/** The state of one policy, as it is at each call. Each question is a connection of its own. */
export function remoteState(place: StatePlace, token: string, policy: Replaceable<FactPolicy>): RemoteState {
  const ask = (action: string, body: object): Promise<Members> => posted(place, token, action, body);
  return {
    history: {
      async reserve(request) {
        const { id, isReserved, facts } = await ask("reserve", {
          policy: policyDigest("current" in policy ? policy.current : policy),
          ...request,
        });
        const isOpen = typeof id === "string";
        if (isReserved !== isOpen) throw new Error("the state is answered in another form");
        const end = async (action: "commit" | "release"): Promise<void> => {
          if (isOpen) await ask(action, { id });
        };
        return {
          // Held against the request by the side that decides.
          facts: facts as ReservedFacts,
          isReserved: isOpen,
          commit: () => end("commit"),
          release: () => end("release"),
        };
      },
    },
    approvals: {
      async find(call_sha256) {
        const { approvals } = await ask("approvals", { call_sha256 });
        if (!Array.isArray(approvals)) throw new Error("the state is answered in another form");
        return approvals;
      },
      async ask(call_sha256, call) {
        await ask("ask", { call_sha256, call });
      },
    },
  };
}

/** Rejects without an answer in time, and with any other than a 200 and an object. */
function posted(place: StatePlace, token: string, action: string, body: object): Promise<Members> {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = {
    ...{ host: "localhost", authorization: `Bearer ${token}`, connection: "close" },
    ...{ "content-type": "application/json", "content-length": bytes.length },
  };
  const signal = AbortSignal.timeout(ANSWER_MS);
  return new Promise((resolve, reject) => {
    const fail = (problem: string): void => reject(new Error(`the state cannot be asked: ${problem}`));
    const options = { ...place, path: `/v1/state/${action}`, method: "POST", agent: false, headers, signal };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= MOST_BYTES) chunks.push(chunk);
        else request.destroy(new Error("the answer is too long"));
      });
      response.on("error", (error) => fail(error.message));
      response.on("aborted", () => fail("the answer broke off"));
      response.on("end", () => {
        const answer = objectOf(Buffer.concat(chunks));
        if (response.statusCode === 200 && answer !== undefined) resolve(answer);
        else fail(`status ${response.statusCode}, ${String(answer?.["message"] ?? "no answer of a state")}`);
      });
    });
    // Node emits no error for an answer that goes over to another protocol.
    request.once("close", () => fail("the connection was closed without an answer"));
    request.on("error", (error) => fail(signal.aborted ? `no answer in ${ANSWER_MS} ms` : error.message));
    request.end(bytes);
  });
}

/** `undefined` for anything but an object that all readers read alike. */
function objectOf(bytes: Uint8Array): Members | undefined {
  try {
    const value = strictJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}
