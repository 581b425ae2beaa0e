/** approvers.yaml: who may approve calls of tools that say `approval: bound`. */

import { FILE_FIELDS, id, list, named, names, rows, text, textOrSection } from "./field.ts";

export const APPROVER = {
  name: id("Decides: who approves, as an approval's `by` says it; not the name of an agent.", { model: "id" }),
  key: textOrSection(
    "Builds: the public key that approvals are verified with, in PEM or as a JWK: ES256, EdDSA, or RS256 of 2048 bits and more.",
    {
      kty: text("Builds: the type of the key: `EC`, `OKP` or `RSA`."),
      crv: text("Builds: the curve: `P-256` or `Ed25519`."),
      x: text("Builds: a coordinate."),
      y: text("Builds: a coordinate."),
      n: text("Builds: the modulus."),
      e: text("Builds: the exponent."),
      alg: text("Checked: the algorithm, which the type of the key says already."),
      use: text("Checked: what the key is for: `sig`."),
      kid: text("Informs: for readers."),
      key_ops: list("Informs: for readers."),
      d: text("Checked: a private key, which is refused here."),
    },
  ),
  tools: names("Decides: the tools whose calls the approver may approve; default all.", { data: "tools" }),
  until: named("Decides: the last day of the approver in UTC, as `YYYY-MM-DD`; default none.", { data: "until" }),
};

export const APPROVERS = {
  ...FILE_FIELDS,
  approvers: rows("Who may approve calls that need a bound approval.", APPROVER, { required: true, nullable: true }),
};
