/** How many connections a server keeps, and how many requests of one of them it answers at a time. */

import { once } from "node:events";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Requests that are sent ahead of the answers (pipelining). Node reads on for as long as no answer is written, and each takes memory. */
const MOST_AHEAD = 100;

/**
 * Closes connections beyond a number. Node's `maxConnections` does not where processes share an address: the primary hands what one
 * refuses to the next, and round again while all are full.
 */
export function holdConnections(server: Server, most: number): void {
  let open = 0;
  server.prependListener("connection", (socket: Socket) => {
    open++;
    socket.once("close", () => open--);
    if (open > most) socket.destroy();
  });
}

/** Answers that are not given yet, in their order. */
const ahead = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Resolves when the answers before this one are given: a request that is sent ahead of them is neither read nor decided earlier, and
 * not at all where one of them ends the connection. `false`: the connection is closed, for too many are sent ahead.
 */
export async function isNext({ socket }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const waiting = ahead.get(socket) ?? new Set();
  if (waiting.size >= MOST_AHEAD) socket.destroy();
  // What Node has read by then comes all the same.
  if (socket.destroyed) return false;
  ahead.set(socket, waiting.add(response));
  response.once("close", () => waiting.delete(response));
  if (response.socket !== null) return true;
  await once(response, "socket");
  // Others come in between: Node reads a connection for as long as there is something, and would answer all of it first.
  await new Promise((resolve) => setImmediate(resolve));
  return !socket.destroyed;
}

const broken = new WeakSet<Socket>();

/** Ends connections that send what Node does not take for HTTP, or does not get in time: behind the answers to what came before. */
export function endBroken(server: HttpServer): void {
  const end = (socket: Duplex): void => {
    // Destroy the socket at once: a client that keeps its end open must not hold ours until the next check.
    const gone = (): void => void socket.destroy();
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", gone);
    else gone();
  };
  server.on("clientError", (_error, socket) => {
    const last = [...(ahead.get(socket as Socket) ?? [])].findLast(({ req }) => req.complete);
    if (last === undefined) return end(socket);
    if (broken.has(socket as Socket)) return;
    broken.add(socket as Socket);
    // One that an answer ends is closed once that is written.
    last.once("close", () => socket.writable && end(socket));
  });
}
