/**
 * A client of an official SDK that lists tools, and calls some: `node probe.mjs 1|2 JSON`. SDK is the folder of its packages; the JSON
 * is `{ "command": [...] }` or `{ "url": "..." }`, with `calls: [{ name, arguments }]`. Prints what it heard as JSON.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.SDK, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const [major, text] = process.argv.slice(2);
const { command, url, calls } = JSON.parse(text);
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] =
  major === "2"
    ? [
        await load("@modelcontextprotocol/client"),
        await load("@modelcontextprotocol/client/stdio"),
        await load("@modelcontextprotocol/client"),
      ]
    : [
        await load("@modelcontextprotocol/sdk/client/index.js"),
        await load("@modelcontextprotocol/sdk/client/stdio.js"),
        await load("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      ];

const transport =
  command === undefined
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env, stderr: "ignore" });
const client = new Client({ name: "probe", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const call of calls) {
  const { isError = false, content = [] } = await client.callTool(call).catch((error) => ({
    isError: true,
    content: [{ text: `thrown: ${error.message}` }],
  }));
  results.push({ isError, text: String(content[0]?.text ?? "").slice(0, 300) });
}
process.stdout.write(`${JSON.stringify({ tools: tools.map(({ name }) => name), results })}\n`);
await client.close();
process.exit(0);
