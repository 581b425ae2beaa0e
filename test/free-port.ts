/**
 * A port of this machine on which nothing listens now.
 *
 * Below the ports that a system gives to connections and to servers of port 0 (from 32768 on Linux, 49152 elsewhere): one of
 * those could be given away before its server listens, and CI once met that.
 */

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const [FIRST, END] = [10_240, 32_768];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
