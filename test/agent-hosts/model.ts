/**
 * A model on loopback that follows a script: it answers each question that offers tools with the next call of the script, and
 * all others with a word. It speaks what agent programs ask models in: Anthropic's messages, OpenAI's responses and chat
 * completions, Gemini's content.
 */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/** A call of a tool that the model makes. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: object;
  /** Further arguments, found in what was said before. */
  found?(text: string): object;
  /** The group of tools that it belongs to, where a protocol has groups. */
  readonly namespace?: string;
  /** Made by the agent whose questions hold this text; absent: by one whose questions hold no such text of the script. */
  readonly by?: string;
}

export interface Model {
  readonly port: number;
  /** How many calls of the script were made. */
  called(): number;
  /** How many conversations there were: one for each agent that started. */
  conversations(): number;
  /** Whether a question held this text. */
  heard(text: string): boolean;
  close(): void;
}

interface Question {
  readonly tools?: readonly unknown[];
  readonly stream?: boolean;
  readonly model?: string;
  /** What was said before, by protocol. */
  readonly messages?: readonly Said[];
  readonly input?: readonly Said[];
  readonly contents?: readonly Said[];
}
interface Said {
  readonly role?: string;
  readonly type?: string;
}
/** Events of a stream, each with its name where the protocol has names. */
type Events = readonly (readonly [name: string | undefined, data: object | "[DONE]"])[];

/** How long a sub-agent may take to start, and to end. */
const MOST_START_MS = 3000;
const MOST_WAIT_MS = 20_000;

export async function scriptedModel(script: readonly ScriptedCall[]): Promise<Model> {
  const open = new Set(script);
  const marks = script.flatMap(({ by }) => by ?? []);
  let conversations = 0;
  /** The sub-agent has made all its calls. */
  let finished = false;
  const questions: string[] = [];
  const server = createServer((request, response) => {
    void answered(request, response, async (question, text) => {
      questions.push(text);

      if ((question.tools?.length ?? 0) === 0) return undefined;
      if (isFirst(question)) conversations++;
      const mark = marks.find((m) => text.includes(m));
      const next = [...open].find(({ by }) => by === mark);
      if (next !== undefined) open.delete(next);
      else if (mark !== undefined) finished = true;
      // A host ends with its own agent, whatever others still do.
      else if (marks.length > 0) await until(() => finished, conversations > 1 ? MOST_WAIT_MS : MOST_START_MS);
      return next?.found === undefined ? next : { ...next, input: { ...next.input, ...next.found(text) } };
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return {
    port: (server.address() as AddressInfo).port,
    called: () => script.length - open.size,
    conversations: () => conversations,
    heard: (text) => questions.some((question) => question.includes(text)),
    close,
  };
}

async function until(isSo: () => boolean, mostMs: number): Promise<void> {
  for (let waited = 0; waited < mostMs && !isSo(); waited += 100) await setTimeout(100);
}

/** The model has said nothing yet. */
function isFirst({ messages = [], input = [], contents = [] }: Question): boolean {
  const said = [...messages, ...input, ...contents];
  return !said.some(({ role, type }) => role === "assistant" || role === "model" || type === "function_call");
}

async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  next: (question: Question, text: string) => Promise<ScriptedCall | undefined>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const question = (text.startsWith("{") ? JSON.parse(text) : {}) as Question;
  const path = request.url ?? "";
  if (path.includes("count_tokens") || path.includes("countTokens"))
    return json(response, { input_tokens: 1, totalTokens: 1 });
  if (path.includes("/messages")) return anthropic(response, question, await next(question, text));
  if (path.includes("/responses")) return stream(response, responses(await next(question, text)));
  if (path.includes("/chat/completions")) return stream(response, completions(await next(question, text)));
  if (path.includes("enerateContent")) {
    const content = gemini(await next(question, text));
    return path.includes("stream") ? stream(response, [[undefined, content]]) : json(response, content);
  }
  json(response, {});
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response: ServerResponse, events: Events): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events)
    response.write(
      `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    );
  response.end();
}

function anthropic(
  response: ServerResponse,
  { stream: streams, model }: Question,
  call: ScriptedCall | undefined,
): void {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop_reason = call === undefined ? "end_turn" : "tool_use";
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [] as object[], usage };
  if (streams !== true)
    return json(response, { ...message, content: [{ type: "text", text: "done" }], stop_reason: "end_turn" });
  const [block, delta] =
    call === undefined
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: "done" },
        ]
      : [
          { type: "tool_use", id: `toolu_${randomUUID()}`, name: call.name, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
        ];
  const events = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  stream(
    response,
    events.map((event) => [event.type, event] as const),
  );
}

function responses(call: ScriptedCall | undefined): Events {
  const item =
    call === undefined
      ? {
          ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
          content: [{ type: "output_text", text: "done", annotations: [] }],
        }
      : {
          ...{
            type: "function_call",
            id: "fc_1",
            call_id: `call_${randomUUID()}`,
            name: call.name,
            status: "completed",
            ...(call.namespace !== undefined && { namespace: call.namespace }),
          },
          arguments: JSON.stringify(call.input),
        };
  const response = { id: "resp_1", object: "response" };
  const tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const usage = {
    ...tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ];
  return events.map((event) => [event.type, event] as const);
}

function completions(call: ScriptedCall | undefined): Events {
  const chunk = { id: "c_1", object: "chat.completion.chunk", created: 1, model: "scripted" };
  const delta =
    call === undefined
      ? { role: "assistant", content: "done" }
      : {
          ...{ role: "assistant", content: null },
          tool_calls: [
            {
              ...{ index: 0, id: `call_${randomUUID()}`, type: "function" },
              function: { name: call.name, arguments: JSON.stringify(call.input) },
            },
          ],
        };
  const finish_reason = call === undefined ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [
    [undefined, { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] }],
    [undefined, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage }],
    [undefined, "[DONE]"],
  ];
}

function gemini(call: ScriptedCall | undefined): object {
  const part = call === undefined ? { text: "done" } : { functionCall: { name: call.name, args: call.input } };
  const candidates = [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }];
  return { candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
}
