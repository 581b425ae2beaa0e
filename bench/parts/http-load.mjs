/**
 * Asks a server as fast as it answers: `connections` connections that stay open, one request after the other on each. By hand over
 * sockets, so that the client takes as little of the machine as it can. One process for each run, which reads what to do from its standard input:
 *
 *   {"url": …, "connections": 16, "warmMs": 500, "ms": 2000, "bodies": ["{\"input\": …}", …]}
 *
 * Prints `{seconds, micros}`: how long each request took. Ends with an error for an answer that is not 200, or has no result.
 */

import { readFileSync } from "node:fs";
import { connect } from "node:net";

const { url, connections, warmMs, ms, bodies } = JSON.parse(readFileSync(0, "utf8"));
const { hostname, port, pathname } = new URL(url);
const requests = bodies.map((body) =>
  Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  ),
);
const HEAD_END = Buffer.from("\r\n\r\n");
/** Microseconds of each request that began after the warm-up. */
const micros = [];
let next = 0;

/** The answer's text when `bytes` hold all of it. */
function answerIn(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.latin1Slice(0, end);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (!(length >= 0)) throw new Error(`no length: ${head}`);
  if (bytes.length < end + 4 + length) return undefined;
  if (bytes.length > end + 4 + length) throw new Error("more than one answer");
  const body = bytes.utf8Slice(end + 4);
  if (!head.startsWith("HTTP/1.1 200 ") || !body.startsWith('{"result":')) throw new Error(`${head}\n${body}`);
  return body;
}

function askUntil(end, from) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    let began = 0;
    let rest;
    const ask = () => {
      began = performance.now();
      if (began >= end) return socket.end(resolve);
      socket.write(requests[next++ % requests.length]);
    };
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk) => {
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      try {
        rest = answerIn(bytes) === undefined ? bytes : undefined;
      } catch (error) {
        socket.destroy(error);
        return;
      }
      if (rest !== undefined) return;
      const now = performance.now();
      if (began >= from && now <= end) micros.push(Math.round((now - began) * 1000));
      ask();
    });
  });
}

const from = performance.now() + warmMs;
await Promise.all(Array.from({ length: connections }, () => askUntil(from + ms, from)));
// A list of a hundred thousand numbers goes through a pipe: the process ends when it is written.
process.stdout.write(JSON.stringify({ seconds: ms / 1000, micros }));
