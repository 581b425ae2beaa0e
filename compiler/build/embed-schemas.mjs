// Compiles the JSON Schemas of compiler/governance/sources/schemas.ts into compiler/governance/sources/schema.embedded.ts with ajv's standalone code, so that
// a command does not spend 100 ms of its start on ajv. `node compiler/build/embed-schemas.mjs` writes the file; a test keeps it current.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";

const root = fileURLToPath(new URL("../governance/", import.meta.url));
const require = createRequire(`${root}package.json`);
const Ajv = require("ajv/dist/2020.js").default;
const standalone = require("ajv/dist/standalone").default;

/** The text of the embedded file. */
export async function embedSchemas() {
  const { SCHEMAS } = await tsImport("../governance/sources/schemas.ts", import.meta.url);
  const schemas = Object.entries(SCHEMAS).sort(([a], [b]) => (a < b ? -1 : 1));
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  for (const [, schema] of schemas) ajv.addSchema(schema);
  const code = standalone(ajv, Object.fromEntries(schemas.map(([name, schema]) => [name, schema.$id])));
  if (/\brequire\(/.test(code)) throw new Error("a schema uses a keyword whose code needs ajv at run time");
  const keys = Object.fromEntries(schemas.map(([name, schema]) => [name, keyTable(schema)]));
  return [
    "// @ts-nocheck: made by compiler/build/embed-schemas.mjs from sources/schemas.ts; do not edit.",
    "/* eslint-disable */",
    code.replace(/^"use strict";/, "").trimEnd(),
    `export const knownKeys = ${JSON.stringify(keys, null, 1)};`,
    "",
  ].join("\n");
}

/** Schema path of each closed object → its keys: what "did you mean" may suggest. */
function keyTable(schema) {
  const table = {};
  const walk = (node, path) => {
    if (typeof node !== "object" || node === null) return;
    if (node.additionalProperties === false) table[`${path}/additionalProperties`] = Object.keys(node.properties ?? {});
    for (const [key, value] of Object.entries(node)) walk(value, `${path}/${key}`);
  };
  walk(schema, "#");
  return table;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${root}sources/schema.embedded.ts`, await embedSchemas());
