/**
 * Builtins that the host supplies to a module, in plain synchronous TypeScript: no dependency, no platform interface
 * beyond the language, TextEncoder and Intl. One constant a family, so that a bundler drops what is not used.
 */

import { aws } from "./aws/sign-request.ts";
import { digests } from "./digests.ts";
import type { Family } from "./family.ts";
import { jwt } from "./jwt/index.ts";
import { schema } from "./schema/index.ts";
import { time } from "./time/index.ts";
import type { HostBuiltin } from "./value.ts";

export { fromJson, fromText, plain, toJson, toText } from "./text.ts";
export type { HostBuiltin, JsonArray, JsonLike, JsonObject, JsonSet } from "./value.ts";
export { HostNumber } from "./value.ts";
export { aws, digests, jwt, schema, time };

const families: readonly Family[] = [digests, jwt, time, schema, aws];

/** Every deterministic builtin of the host, by OPA's name. */
export const hostBuiltins: ReadonlyMap<string, HostBuiltin> = new Map(
  families.flatMap((family) => Object.entries(family)),
);
