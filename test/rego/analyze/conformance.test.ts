/** Every module of OPA's own cases is accepted, and what comes out keeps the promises of checked.ts. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { builtins } from "../../../compiler/rego/syntax/builtins.ts";
import { parse, query, where } from "./helpers.ts";
import { brokenPromises } from "./invariants.ts";

const root = fileURLToPath(new URL("../../../../shared/conformance/rego-v1/", import.meta.url));

interface Case {
  readonly note: string;
  readonly query: string;
  readonly modules?: readonly string[];
}

/** Cases that need what only OPA's own test runner has. */
const exceptions: Readonly<Record<string, string>> = {
  "time/time caching": "calls `test.sleep`, a function that OPA's test runner adds",
};

describe.skipIf(!existsSync(root))("OPA's cases", () => {
  const folders = existsSync(root) ? readdirSync(root) : [];
  const allowNondeterministic = [...builtins().keys()];

  it.each(folders)("%s", (folder) => {
    for (const file of readdirSync(root + folder)) {
      const { cases } = JSON.parse(readFileSync(`${root}${folder}/${file}`, "utf8")) as { cases: Case[] };
      for (const c of cases) {
        const modules = (c.modules ?? []).map((text, i) => parse(text, `${i}.rego`));
        const { policy, diagnostics } = analyze(modules, { queries: [query(c.query)], allowNondeterministic });
        if (c.note in exceptions) expect(policy, `${c.note} passes now`).toBeUndefined();
        else expect(diagnostics.map(where), c.note).toEqual([]);
        if (policy) expect(brokenPromises(policy), `${c.note}\n${c.modules?.join("\n")}`).toEqual([]);
      }
    }
  });
});
