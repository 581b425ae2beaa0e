/** How many connections a server keeps, and how many requests of one of them it answers at a time. */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

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

const ahead = new WeakMap<Socket, number>();

/**
 * Resolves when the answers before this one are given: a request that is sent ahead of them is neither read nor decided earlier, and
 * not at all where one of them ends the connection. `false`: the connection is closed, for too many are sent ahead.
 */
export async function isNext({ socket }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const waiting = (ahead.get(socket) ?? 0) + 1;
  if (waiting > MOST_AHEAD) socket.destroy();
  // What Node has read by then comes all the same.
  if (socket.destroyed) return false;
  ahead.set(socket, waiting);
  response.once("close", () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1));
  if (response.socket === null) await once(response, "socket");
  return true;
}
