/**
 * Asks a server for `count` answers: `connections` connections stay open, one request after the other on each. What to do is JSON
 * on its standard input. Ends with an error for an answer that is not 200, or denies.
 */

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const { url, connections, count, bodies } = JSON.parse(readFileSync(0, "utf8"));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
let next = 0;

function one(body) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", agent }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200 && text.includes('"allowed":true')) resolve();
        else reject(new Error(`${response.statusCode} ${text}`));
      });
    });
    asked.on("error", reject);
    asked.setHeader("content-length", Buffer.byteLength(body));
    asked.end(body);
  });
}

async function work() {
  while (next < count) await one(bodies[next++ % bodies.length]);
}
await Promise.all(Array.from({ length: connections }, work));
agent.destroy();
