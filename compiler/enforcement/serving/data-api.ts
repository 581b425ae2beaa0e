/** OPA's data API for the entrypoints of a policy: https://www.openpolicyagent.org/docs/rest-api#data-api */

import { isJson, parseJson, SourceFile } from "@portcullis/documents";
import type { Policy } from "@portcullis/runtime";
import { type Answer, problem, unsupported } from "./answer.ts";
import type { Calls, Evaluated } from "./call-history.ts";
import { GoMap, goJson } from "./go-json.ts";
import { forgedFacts } from "./host-facts.ts";
import { memberText } from "./member-text.ts";

export interface ServedFacts {
  readonly policy: Policy;
  readonly version: string;
  /** Whether requests may have `facts`: every client is a host that finds them out. */
  readonly trustFacts?: boolean | undefined;
  /** The calls of this answer. */
  readonly calls: Calls;
}

export interface DataRequest {
  readonly method: "GET" | "POST";
  /** The segments below `/v1/data`. */
  readonly path: readonly string[];
  readonly parameters: URLSearchParams;
  readonly body: string;
  /** `performance.now()` when the request came. */
  readonly arrived: number;
}

/** What OPA knows besides `off`; anything else is off. */
const EXPLANATIONS: ReadonlySet<string> = new Set(["notes", "fails", "full", "debug"]);
const WARNING = { code: "api_usage_warning", message: "'input' key missing from the request" };

export async function answerData(served: ServedFacts, request: DataRequest): Promise<Answer> {
  const { policy, version, trustFacts, calls } = served;
  const { parameters } = request;
  const refused = refusedParameter(parameters);
  if (refused !== undefined) return unsupported(refused);
  const parsing = performance.now();
  const given = request.method === "GET" ? inputParameter(parameters) : inputOfBody(request.body);
  if ("status" in given) return given;
  const forged = trustFacts === true || given.input === undefined ? undefined : forgedFacts(policy, given.input);
  if (forged !== undefined) return forged;
  const target = targetOf(policy, request.path);
  if ("status" in target) return target;
  const evaluating = performance.now();
  const found = await documentOf(policy, calls, target, given.input);
  if ("status" in found) return found;
  const { result, decisionId } = found;
  const done = performance.now();
  const nanoseconds = (from: number, to: number): number => Math.max(0, Math.round((to - from) * 1e6));
  const bundles = policy.revision === undefined ? {} : { bundles: { portcullis: { revision: policy.revision } } };
  const body = {
    decision_id: decisionId,
    provenance: asked(parameters, "provenance")
      ? { version, build_commit: "", build_timestamp: "", build_hostname: "", ...bundles }
      : undefined,
    metrics: ["metrics", "instrument"].some((name) => asked(parameters, name))
      ? {
          timer_rego_input_parse_ns: nanoseconds(parsing, evaluating),
          timer_rego_query_eval_ns: nanoseconds(evaluating, done),
          timer_server_handler_ns: nanoseconds(request.arrived, done),
        }
      : undefined,
    result: result === undefined ? undefined : new GoMap(result),
    warning: request.method === "POST" && given.input === undefined ? WARNING : undefined,
  };
  return { status: 200, body: goJson(body, asked(parameters, "pretty")) };
}

/** OPA's webhook API, `POST /v0/data/…` and `POST /`: the body is the input, the answer is the document itself. */
export async function answerDocument(
  { policy, trustFacts, calls }: ServedFacts,
  request: Omit<DataRequest, "method">,
): Promise<Answer> {
  const { path, parameters, body } = request;
  const isEmpty = body.trim() === "";
  if (!isEmpty && !isJson(body)) {
    const message = `the body is not JSON: ${jsonProblem(body)}`;
    return problem(400, "invalid_parameter", message);
  }
  const forged = trustFacts === true || isEmpty ? undefined : forgedFacts(policy, body);
  if (forged !== undefined) return forged;
  const target = targetOf(policy, path);
  if ("status" in target) return target;
  const found = await documentOf(policy, calls, target, isEmpty ? undefined : body);
  if ("status" in found) return found;
  const { result } = found;
  if (result === undefined) {
    const what = target.entrypoint === undefined ? "missing" : "undefined";
    return problem(404, "undefined_document", `document ${what}: ${refText(path)}`);
  }
  return { status: 200, body: goJson(new GoMap(result), asked(parameters, "pretty")) };
}

async function documentOf(
  policy: Policy,
  calls: Calls,
  { entrypoint, below }: Target,
  input: string | undefined,
): Promise<{ readonly result: unknown; readonly decisionId: Evaluated["decisionId"] } | Answer> {
  if (entrypoint === undefined) return { result: undefined, decisionId: undefined };
  const { value, fault, decisionId } = await calls.decide(policy, entrypoint, input);
  // A fault whose entrypoint has no denial must not look like an undefined document.
  if (value === undefined && fault?.code === "stale") return problem(503, "stale", fault.message);
  if (value === undefined && fault !== undefined)
    return problem(500, "internal_error", `the evaluation failed: ${fault.code}`);
  return { result: below.reduce<unknown>(member, value), decisionId };
}

/** As OPA writes a reference. */
function refText(path: readonly string[]): string {
  return `data${path.map((segment) => (/^[A-Za-z_]\w*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`)).join("")}`;
}

function asked(parameters: URLSearchParams, name: string): boolean {
  return parameters.getAll(name).some((value) => value === "" || value.toLowerCase() === "true");
}

function refusedParameter(parameters: URLSearchParams): string | undefined {
  if (parameters.getAll("explain").some((value) => EXPLANATIONS.has(value))) return "`explain`";
  return asked(parameters, "strict-builtin-errors") ? "`strict-builtin-errors`" : undefined;
}

interface Given {
  /** JSON text; `undefined` without an input. */
  readonly input: string | undefined;
}

function inputParameter(parameters: URLSearchParams): Given | Answer {
  // If it is given several times, the last one counts, as in OPA.
  const text = parameters.getAll("input").at(-1);
  if (text === undefined) return { input: undefined };
  return isJson(text) ? { input: text } : malformed("parameter", text);
}

export function inputOfBody(body: string): Given | Answer {
  if (body.trim() === "") return { input: undefined };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return malformed("body", body);
  }
  if (value === null) return { input: undefined };
  if (typeof value !== "object" || Array.isArray(value)) {
    return problem(
      400,
      "invalid_parameter",
      `the body is ${Array.isArray(value) ? "a list" : `a ${typeof value}`}, not an object`,
    );
  }
  const input = memberText(body, "input");
  // As in OPA, an input of null means no input.
  return { input: input === "null" ? undefined : input };
}

/** The first fault of a text, with its place. */
function jsonProblem(text: string): string {
  const [found] = parseJson(new SourceFile("input", text)).diagnostics;
  if (found?.span == null) return "it ends too early, or something stands behind it";
  const { line, column } = found.span.file.positionAt(found.span.start);
  return `${found.message}, line ${line}, column ${column}`;
}

function malformed(where: "body" | "parameter", text: string): Answer {
  return problem(400, "invalid_parameter", `the ${where} is not JSON: ${jsonProblem(text)}`);
}

interface Target {
  /** `undefined` for a document that the policy has nothing to do with. */
  readonly entrypoint: string | undefined;
  /** Members of the entrypoint's value. */
  readonly below: readonly string[];
}

function targetOf(policy: Policy, path: readonly string[]): Target | Answer {
  const longest = Math.max(0, ...policy.entrypoints.map((name) => name.split("/").length));
  for (let length = Math.min(path.length, longest); length > 0; length--) {
    const name = path.slice(0, length).join("/");
    // A segment may hold a slash of its own, and is then no part of any entrypoint's name.
    if (!path.slice(0, length).some((segment) => segment.includes("/")) && policy.entrypoints.includes(name))
      return { entrypoint: name, below: path.slice(length) };
  }
  // Above a root and below it is the policy's, whatever it is: only entrypoints can be asked.
  const touches = policy.roots.some((root) => {
    const segments = root === "" ? [] : root.split("/");
    return segments.every((segment, i) => path[i] === undefined || path[i] === segment);
  });
  if (!touches) return { entrypoint: undefined, below: [] };
  const name = path.join("/");
  return problem(
    404,
    "resource_not_found",
    `\`${name}\` is no entrypoint of the policy: \`portcullis serve\` answers entrypoints and what is below them`,
  );
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(key)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
