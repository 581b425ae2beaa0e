/** `facts` of a request is what the host found out. A client that writes it would decide its own call. */

import type { Policy } from "@portcullis/runtime";
import { type Answer, problem } from "./answer.ts";
import { partsOf } from "./member-text.ts";

/**
 * The refusal of a request that carries facts; `undefined` for any other. `input` is valid JSON. Rules of authors alone give the
 * word no meaning, so that a policy without the library's decisions takes it. Cost: linear in the text.
 */
export function forgedFacts({ entrypoints }: Pick<Policy, "entrypoints">, input: string): Answer | undefined {
  if (!entrypoints.some((name) => name.startsWith("portcullis/"))) return undefined;
  // Either of two members of a name may be the one that is read.
  const isForged = partsOf(input).some(({ name, text }) => name === "facts" && text !== "null");
  if (!isForged) return undefined;
  return problem(
    400,
    "invalid_parameter",
    "`facts` is what the host finds out, and a request must not have it: start the server with `--trust-facts` where every client is such a host",
  );
}
