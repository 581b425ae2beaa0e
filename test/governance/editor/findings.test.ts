/** What an editor shows in the end is what `check` says: no finding twice at two places, and none that only follows from another. */

import { expect, it } from "vitest";
import { beyondOf, together } from "../../../compiler/governance/editor/language-server/findings.ts";
import { PolicySet } from "../../../compiler/governance/editor/language-server/policy-set.ts";
import { check } from "../../../compiler/governance/pipeline.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { sampled } from "../../campaign.ts";
import { type Mistake, RIGHT } from "../checks/hospital.ts";
import { MISTAKES } from "../checks/mistakes.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const placed = ({ code, span, message }: Diagnostic): string => `${code} ${span?.file.name}:${span?.start} ${message}`;

async function shown(files: Mistake["files"]) {
  const all = Object.entries({ ...RIGHT, ...files }).flatMap(([path, text]) => (text === null ? [] : [[path, text]]));
  const set = new PolicySet("/p", virtualHost({ "/p": Object.fromEntries(all) }));
  const quick = set.findings().diagnostics;
  const whole = (await compileTests({ host: set, dirs: ["/p"], checkOnly: true })).diagnostics;
  return { shown: together(quick, beyondOf(whole, quick)).map(placed).sort(), checked: whole.map(placed).sort() };
}

it.each(sampled(MISTAKES, 1 / 8).map((m) => [m.name, m] as const))("%s", async (_name, { files }) => {
  const found = await shown(files);
  expect(found.shown).toEqual(found.checked);
});

it("an unsafe variable is shown once, at the variable, and not at its statement, too", async () => {
  const dose = `package portcullis.ext.tool

deny contains {"gate": "DOSE", "reason": "dose_too_high"} if {
	input.scope.note == concat("", ["dose", someone])
}
`;
  const found = await shown({ "dose.rego": dose });
  expect(found.shown).toEqual([`analyze/unsafe-var /p/dose.rego:${dose.indexOf("someone")} var someone is unsafe`]);
});

it("a syntax error is shown once, with what is wrong beside it, and nothing that follows from it", async () => {
  const dose = `package portcullis.ext.tool

is_high if {
	input.scope.dose >
}

limit(ward) := ward

deny contains {"gate": "DOSE", "reason": someone} if is_high
`;
  const ward = `package portcullis.ext.tool

is_late if is_high

deny contains {"gate": "WARD", "reason": "ward_too_late"} if limit(input.scope.ward, is_high, is_late)
`;
  const found = await shown({ "dose.rego": dose, "ward.rego": ward });
  expect(found.shown.map((f) => f.split(" ", 2).join(" "))).toEqual([
    `analyze/function-arity /p/ward.rego:${ward.indexOf("limit")}`,
    `analyze/unsafe-var /p/dose.rego:${dose.indexOf("someone")}`,
    `rego/unexpected-token /p/dose.rego:${dose.indexOf("}")}`,
  ]);
  expect(found.shown).toEqual(found.checked);
});

it("what cannot be meant is shown as `check` says it, in tests too, and silenced by the same comment", async () => {
  const files = {
    "own/a.rego": `package own

allow if not deny

stop if not deny # regal ignore:impossible-not

deny contains 1 if input.x
`,
    "own/a_test.rego": "package own_test\n\nimport data.own\n\ntest_a if own.deny with input as {}\n",
  };
  const found = await shown(files);
  const host = virtualHost({ "/p": { ...RIGHT, ...files } });
  const checked = (await check({ host, dirs: ["/p"] })).diagnostics.map(placed).sort();
  expect(found.shown).toEqual(checked);
  expect(checked.map((f) => f.split(" ", 2).join(" "))).toEqual([
    "bugs/constant-condition /p/own/a_test.rego:45",
    "bugs/impossible-not /p/own/a.rego:22",
  ]);
});
