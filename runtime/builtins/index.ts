/**
 * Builtins that the host supplies to a module, in plain synchronous TypeScript: no dependency, no platform interface
 * beyond the language, TextEncoder and Intl. One constant a family, so that a bundler drops what is not used.
 */

import { aws } from "./aws/sign-request.ts";
import { digests } from "./digests.ts";
import type { Family } from "./family.ts";
import { graphql } from "./graphql/index.ts";
import { jwt } from "./jwt/index.ts";
import { schema } from "./schema/index.ts";
import { type HostSession, type HostSources, openSession } from "./session.ts";
import { template } from "./template/index.ts";
import { time } from "./time/index.ts";
import type { HostBuiltin } from "./value.ts";
import { x509 } from "./x509/index.ts";
import { yaml } from "./yaml/index.ts";

export { hostBuiltinNames, sourcedBuiltinNames } from "./names.ts";
export type { HostSession, HostSources } from "./session.ts";
export { fromJson, fromText, plain, toJson, toText } from "./text.ts";
export type { HostBuiltin, JsonArray, JsonLike, JsonObject, JsonSet } from "./value.ts";
export { HostNumber } from "./value.ts";
export { aws, digests, graphql, jwt, schema, template, time, x509, yaml };

const families: readonly Family[] = [digests, x509, jwt, time, schema, yaml, template, graphql, aws];

/** Every deterministic builtin of the host, by OPA's name. */
export const hostBuiltins: ReadonlyMap<string, HostBuiltin> = new Map(
  families.flatMap((family) => Object.entries(family)),
);

/** The deterministic builtins, and those that need a clock, chance or a description, where the host has them. */
export function openHostSession(sources: HostSources = {}): HostSession {
  return openSession(hostBuiltins, sources);
}
