/**
 * `@portcullis/builtins`: the builtins of Rego that a host supplies, in families. `builtins` are all of them; a bundle that
 * should stay small imports a family each: `import { jwt } from "@portcullis/builtins/jwt"`.
 */

import type { BuiltinFamily } from "@portcullis/runtime/host";
import { aws } from "./aws/index.ts";
import { crypto } from "./crypto/index.ts";
import { graphql } from "./graphql/index.ts";
import { jsonschema } from "./jsonschema/index.ts";
import { jwt } from "./jwt/index.ts";
import { opa } from "./opa/index.ts";
import { random } from "./random/index.ts";
import { template } from "./template/index.ts";
import { time } from "./time/index.ts";
import { uri } from "./uri/index.ts";
import { x509 } from "./x509/index.ts";
import { yaml } from "./yaml/index.ts";

export { aws, crypto, graphql, jsonschema, jwt, opa, random, template, time, uri, x509, yaml };

/** Every family: `load(source, { builtins })`. */
export const builtins: readonly BuiltinFamily[] = [
  aws,
  crypto,
  graphql,
  jsonschema,
  jwt,
  opa,
  random,
  template,
  time,
  uri,
  x509,
  yaml,
];
