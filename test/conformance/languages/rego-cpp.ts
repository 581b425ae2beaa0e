/** The cases of rego-cpp, in the form of OPA's: https://github.com/microsoft/rego-cpp/tree/main/tests */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseYaml } from "yaml";
import type { Case } from "../cases.ts";
import type { Asked, Want } from "./asked.ts";

interface RegoCppCase extends Case {
  /** JSON files beside the cases. */
  readonly data_path?: string;
  readonly input_path?: string;
}

/** Those that rego-cpp holds itself to, but `cheriot`, whose policies call builtins of its own. */
const FILES = ["regocpp", "core", "bugs", "builtins", "cts/cts", "aci/aci"];

export function regoCppCases(checkout: string): Asked[] {
  return FILES.flatMap((file) => {
    const path = join(checkout, "tests", `${file}.yaml`);
    const beside = (name: string): string => readFileSync(join(dirname(path), name), "utf8");
    const { cases } = parseYaml(readFileSync(path, "utf8"), { maxAliasCount: -1 }) as {
      readonly cases: readonly RegoCppCase[];
    };
    return cases.map((c) => ({
      note: `rego-cpp/${file}/${c.note}`,
      modules: Object.fromEntries(
        (c.modules ?? []).map((text, i) => [`module-${i}.rego`, text.endsWith(".rego") ? beside(text) : text]),
      ),
      data: c.data_path === undefined ? c.data : JSON.parse(beside(c.data_path)),
      inputs: c.input_path !== undefined ? [JSON.parse(beside(c.input_path))] : c.input === undefined ? [] : [c.input],
      query: c.query,
      want: wanted(c),
    }));
  });
}

function wanted({ want_result, want_error, want_error_code, strict_error }: RegoCppCase): Want {
  if (want_error !== undefined || want_error_code !== undefined)
    return { kind: "error", undefinedToo: strict_error === true };
  return { kind: "solutions", solutions: want_result ?? [] };
}
