/** Every diagnostic code of the compiler, for `--explain` and for the test that each has a failing fixture. */

import { documentsCodes } from "@portcullis/documents";
import { codes as analyzeCodes } from "@portcullis/rego/analyze";
import { codes as bugCodes } from "@portcullis/rego/bugs";
import type { CodeEntry } from "@portcullis/rego/diagnostics";
import { codes as planCodes } from "@portcullis/rego/plan";
import { codes as regoCodes } from "@portcullis/rego/syntax";
import { wasmCodes } from "@portcullis/rego/wasm";
import { lowerCodes } from "../lower/index.ts";
import { modelCodes } from "../model/index.ts";
import { sourcesCodes } from "../sources/index.ts";
import { pipelineCodes } from "./codes.ts";

const tables = [
  documentsCodes,
  sourcesCodes,
  modelCodes,
  lowerCodes,
  regoCodes,
  analyzeCodes,
  bugCodes,
  planCodes,
  wasmCodes,
  pipelineCodes,
];

/** Every diagnostic code of every stage, by its name: `stage/kebab-case`. */
export const allCodes: ReadonlyMap<string, CodeEntry> = new Map(
  tables.flatMap((table) => Object.entries<CodeEntry>(table)),
);
