/** Every diagnostic code of the compiler, for `--explain` and for the test that each has a failing fixture. */

import { codes as analyzeCodes } from "../analyze/codes.ts";
import type { CodeEntry } from "../base/codes.ts";
import { lowerCodes } from "../lower/codes.ts";
import { modelCodes } from "../model/codes.ts";
import { codes as planCodes } from "../plan/codes.ts";
import { pipelineCodes } from "../policy/codes.ts";
import { codes as regoCodes } from "../rego/codes.ts";
import { sourcesCodes } from "../sources/codes.ts";
import { wasmCodes } from "../wasm/codes.ts";

const tables = [sourcesCodes, modelCodes, lowerCodes, regoCodes, analyzeCodes, planCodes, wasmCodes, pipelineCodes];

/** Every diagnostic code of every stage, by its name: `stage/kebab-case`. */
export const allCodes: ReadonlyMap<string, CodeEntry> = new Map(
  tables.flatMap((table) => Object.entries<CodeEntry>(table)),
);
