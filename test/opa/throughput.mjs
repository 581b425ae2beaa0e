// Requests a second that a server holds: 16 connections, one request after the other on each, for two seconds.
import { Agent, request } from "node:http";

const CONNECTIONS = 16;
const MS = 2000;
const url = new URL(process.argv[1]);
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const body = '{"input":{"role":"WRITER","lane":"DRAFTING"}}';
const headers = { "Content-Type": "application/json", "Content-Length": body.length };

const ask = () =>
  new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on("end", resolve);
    });
    call.on("error", reject).end(body);
  });

async function during(ms) {
  const end = performance.now() + ms;
  let count = 0;
  const askOn = async () => {
    for (; performance.now() < end; count++) await ask();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
  return count;
}

await during(MS / 4);
console.log(Math.round(((await during(MS)) * 1000) / MS));
agent.destroy();
