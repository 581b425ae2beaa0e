/**
 * A server of the official SDK over Streamable HTTP, one transport a session, with one tool that answers at once. Prints its address
 * once it listens.
 */

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const transports = new Map();

async function opened() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = new Server({ name: "drafts", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "draft.create", inputSchema: { type: "object" } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: "text", text: `draft of ${params.arguments?.title}` }],
  }));
  await server.connect(transport);
  return transport;
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  void (async () => {
    const transport = transports.get(request.headers["mcp-session-id"]) ?? (await opened());
    await transport.handleRequest(request, response);
  })();
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/mcp\n`),
);
