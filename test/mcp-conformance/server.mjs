/**
 * A server of the official SDK's current major with what the conformance suite asks for, in every revision that it speaks:
 * `node server.mjs PORT`, or over its pipes `node server.mjs stdio`. SDK is the folder of its packages.
 */

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.SDK, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { createMcpHandler, inputRequired, acceptedContent, McpServer, ResourceTemplate, completable } =
  await load("@modelcontextprotocol/server");
const { toNodeHandler, localhostHostValidation, localhostOriginValidation } = await load("@modelcontextprotocol/node");
const { z } = await load("zod");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const text = (words) => ({ content: [{ type: "text", text: words }] });
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function server() {
  const made = new McpServer(
    { name: "reference", version: "1.0.0" },
    { capabilities: { logging: {}, tools: { listChanged: true }, prompts: { listChanged: true }, resources: {} } },
  );
  const tool = (name, run, inputSchema = z.object({})) =>
    made.registerTool(name, { description: `Does ${name}.`, inputSchema }, run);
  tool("test_simple_text", () => text("This is a simple text response for testing."));
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  const resource = { uri: "test://embedded", mimeType: "text/plain", text: "This is an embedded resource content." };
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }));
  tool("test_embedded_resource", () => ({ content: [{ type: "resource", resource }] }));
  tool("test_multiple_content_types", () => ({
    content: [{ type: "text", text: "Multiple content types test:" }, image, { type: "resource", resource }],
  }));
  tool("test_error_handling", () => ({
    ...text("This tool intentionally returns an error for testing"),
    isError: true,
  }));
  tool("test_tool_with_logging", async (_, { mcpReq }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log?.("info", data);
      await wait(20);
    }
    return text("logged");
  });
  tool("test_tool_with_progress", async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await wait(20);
    }
    return text(String(progressToken));
  });
  const asking = (name, key, request) =>
    tool(name, (_, { mcpReq }) => {
      const answers = mcpReq.inputResponses;
      if (answers?.[key] === undefined) return inputRequired({ inputRequests: { [key]: request } });
      return text(`Answer: ${JSON.stringify(acceptedContent?.(answers, key) ?? answers[key])}`);
    });
  const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  asking(
    "test_input_required_result_elicitation",
    "user_name",
    inputRequired.elicit({ message: "What is your name?", requestedSchema: form }),
  );
  made.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  made.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG }],
  }));
  made.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  const prompt = (name, words, argsSchema) =>
    made.registerPrompt(name, { description: `Is ${name}.`, ...(argsSchema ? { argsSchema } : {}) }, (args) => ({
      messages: words(args).map((content) => ({ role: "user", content })),
    }));
  prompt("test_simple_prompt", () => [{ type: "text", text: "This is a simple prompt for testing." }]);
  prompt(
    "test_prompt_with_arguments",
    ({ arg1, arg2 }) => [{ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }],
    z.object({
      arg1: completable(z.string(), (value) => ["test1", "test2"].filter((one) => one.startsWith(value))),
      arg2: z.string(),
    }),
  );
  prompt(
    "test_prompt_with_embedded_resource",
    ({ resourceUri }) => [
      {
        type: "resource",
        resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      },
      { type: "text", text: "Please process the embedded resource above." },
    ],
    z.object({ resourceUri: z.string() }),
  );
  prompt("test_prompt_with_image", () => [image, { type: "text", text: "Please analyze the image above." }]);
  return made;
}

if (process.argv[2] === "stdio") {
  const { serveStdio } = await load("@modelcontextprotocol/server/stdio");
  serveStdio(server);
} else {
  const handle = toNodeHandler(createMcpHandler(server));
  const [host, origin] = [localhostHostValidation(), localhostOriginValidation()];
  createServer((request, response) => {
    if (host(request, response) && origin(request, response)) void handle(request, response);
  }).listen(Number(process.argv[2]), "127.0.0.1", () => process.stdout.write("ready\n"));
}
