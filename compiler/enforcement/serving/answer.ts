/** What a request is answered with. */

import { goJson } from "./go-json.ts";

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** An error in OPA's form: https://www.openpolicyagent.org/docs/rest-api#errors */
export function problem(status: number, code: string, message: string): Answer {
  return { status, body: goJson({ code, message }, true) };
}

/** A request that OPA knows and that is not served here is refused, never answered by half. */
export function unsupported(what: string, status = 400): Answer {
  return problem(status, "invalid_parameter", `${what} is not supported by \`portcullis serve\``);
}
