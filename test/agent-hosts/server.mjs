/** A server of tools on standard input and output: `good` succeeds, `bad` says that it failed. */

import { createInterface } from "node:readline";

const tools = ["good", "bad"].map((name) => ({ name, description: "a tool", inputSchema: { type: "object" } }));

function resultOf({ method, params }) {
  if (method === "initialize") {
    const serverInfo = { name: "s", version: "1" };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools };
  if (method === "tools/call") return { content: [{ type: "text", text: "done" }], isError: params.name !== "good" };
  return {};
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) })}\n`);
});
