/**
 * Messages of the Model Context Protocol as every revision has them: JSON-RPC 2.0, one object each. What is in `params` and
 * `result` is the revision's matter, and goes through as it is.
 */

import { failure, isJsonObject, type Result, success } from "@portcullis/documents";

export type RequestId = string | number;

export interface Request {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Members;
}

export interface Notification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Members;
}

export interface Success {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: Members;
}

export interface Failure {
  readonly jsonrpc: "2.0";
  /** Absent where the request could not be read. */
  readonly id?: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Answer = Success | Failure;
export type Message = Request | Notification | Answer;
export type Members = Readonly<Record<string, unknown>>;

/** Error codes of JSON-RPC; the three below are those of the protocol and of its own SDK. */
export const [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR] = [
  -32_700, -32_600, -32_601, -32_602, -32_603,
] as const;
export const [CONNECTION_CLOSED, REQUEST_TIMEOUT, HEADER_MISMATCH] = [-32_000, -32_001, -32_020] as const;

/** A message that cannot be written, for it is nested too deep: no caller waits for its answer. */
export const NOT_PASSED = "the message could not be passed on";

type NoMessage = "not-a-message";

/**
 * The message of a text. A batch is refused: the revisions before 2025-06-18 alone had it. Of two members of one name the last
 * counts, here and for whom the message is written again.
 */
export function readMessage(text: string): Result<Message, NoMessage> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failure("not-a-message", (error as Error).message);
  }
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return failure("not-a-message", "no message of JSON-RPC 2.0");
  const message = "method" in value ? asked(value) : answered(value);
  return message === undefined ? failure("not-a-message", "its members are not those of a message") : success(message);
}

function asked(value: Members): Message | undefined {
  const { method, params, id } = value;
  if (typeof method !== "string" || !has(value, ["jsonrpc", "id", "method", "params"])) return undefined;
  if (params !== undefined && !isJsonObject(params)) return undefined;
  if ("id" in value && !isId(id)) return undefined;
  return value as unknown as Request | Notification;
}

function answered(value: Members): Message | undefined {
  const { id, result, error } = value;
  if (!has(value, ["jsonrpc", "id", "result", "error"])) return undefined;
  if ("result" in value) return isId(id) && isJsonObject(result) && !("error" in value) ? (value as never) : undefined;
  if ("id" in value && !isId(id)) return undefined;
  const isError = isJsonObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
  return isError ? (value as never) : undefined;
}

export function isRequest(message: Message): message is Request {
  return "method" in message && "id" in message;
}

export function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** A further member could be read by one side and not by the other. */
function has(value: Members, known: readonly string[]): boolean {
  return Object.keys(value).every((key) => known.includes(key));
}

export function failed(id: RequestId | undefined, code: number, message: string): Failure {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
