/** A claim that is shown tells where it is written, and why. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtins } from "@portcullis/builtins";
import { expect, it } from "vitest";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { openBundle } from "../../compiler/review/index.ts";
import { checkClaim, readClaims } from "../../compiler/review/prove/claims.ts";

const bundle = fileURLToPath(new URL("../../generated/bundle.tar.gz", import.meta.url));
const opened = await openBundle("generated", readFileSync(bundle), { builtins });
if (!opened.ok) throw new Error(opened.problem.message);
const { policy } = opened.value;
const ask = (role: string, because: string) =>
  readClaims(
    new SourceFile(
      "claims.yaml",
      `claims:
  - never: { entrypoint: portcullis/lane/decision, input: { role: ${role}, lane: DRAFTING } }
    because: ${because}
`,
    ),
    [],
    policy,
  );

it("with its place and reason, whether it holds or not", () => {
  for (const [role, failures] of [
    ["WRITER", 1],
    ["ARCHIVIST", 0],
  ] as const) {
    const claims = ask(role, "the archive files, and writes nothing");
    if (!claims.ok) throw new Error(claims.problem.message);
    const property = checkClaim(policy, claims.value[0] as (typeof claims.value)[0], () => undefined);
    expect(property).toMatchObject({ place: "claims.yaml:2:5", because: "the archive files, and writes nothing" });
    expect(property.counterexamples.length).toBe(failures);
  }
});

it("a reason that is no text is refused at its place", () => {
  expect(ask("WRITER", "[a]")).toMatchObject({
    ok: false,
    problem: { message: "claims.yaml:3:14: `because` is a text" },
  });
});
