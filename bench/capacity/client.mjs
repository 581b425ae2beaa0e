/**
 * Asks a server for `count` answers: `connections` connections stay open, one request after the other on each. By hand over sockets:
 * Node's own client takes so much of the machine that a second server looks dearer than it is. What to do is JSON on its standard
 * input. Ends with an error for an answer that is not 200, or denies.
 */

import { readFileSync } from "node:fs";
import { connect } from "node:net";

const { url, connections, count, bodies } = JSON.parse(readFileSync(0, "utf8"));
const { hostname, port, pathname } = new URL(url);
const requests = bodies.map(
  (body) =>
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
let next = 0;

/** Whether a text is a whole answer. */
function isWhole(text) {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1]);
  if (Buffer.byteLength(text) - (head + 4) < length) return false;
  if (!text.startsWith("HTTP/1.1 200 ") || !text.includes('"allowed":true')) throw new Error(text);
  return true;
}

function connection() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding("utf8");
    const ask = () => (next < count ? socket.write(requests[next++ % requests.length]) : socket.end());
    let text = "";
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("close", () => (next < count ? reject(new Error("the server closed the connection")) : resolve()));
    socket.on("data", (chunk) => {
      text += chunk;
      try {
        if (!isWhole(text)) return;
        text = "";
        ask();
      } catch (error) {
        socket.destroy(error);
      }
    });
  });
}

await Promise.all(Array.from({ length: connections }, connection));
