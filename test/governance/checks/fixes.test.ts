/** What findings propose as changes of the text: once each, and nothing where two proposals meet. */

import { describe, expect, it } from "vitest";
import { editedText, renamesOf } from "../../../compiler/governance/checks/index.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { renaming } from "../../../compiler/rego/diagnostics/fix.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { span } from "../../../compiler/rego/diagnostics/span.ts";

const TEXT = "lane: [NURS, PHYSICAN]\n";
const file = new SourceFile("lanes.yaml", TEXT);

function finding(written: string, meant: string, from = TEXT.indexOf(written)): Diagnostic {
  const at = span(file, from, from + written.length);
  return {
    code: "model/undefined-role",
    severity: "error",
    message: "",
    span: at,
    params: {},
    fixes: renaming(at, [meant]),
  };
}

function fixed(...found: Diagnostic[]): string {
  return editedText(file, renamesOf(found).get(file) ?? []);
}

describe("fixes", () => {
  it("are written in the order of the text, whatever the order of the findings", () => {
    const wanted = "lane: [NURSE, PHYSICIAN]\n";
    expect(fixed(finding("NURS", "NURSE"), finding("PHYSICAN", "PHYSICIAN"))).toBe(wanted);
    expect(fixed(finding("PHYSICAN", "PHYSICIAN"), finding("NURS", "NURSE"))).toBe(wanted);
  });

  it("are made once, where two findings say the same", () => {
    expect(fixed(finding("NURS", "NURSE"), finding("NURS", "NURSE"))).toBe("lane: [NURSE, PHYSICAN]\n");
  });

  it("are left to the author where two findings mean different names", () => {
    expect(fixed(finding("NURS", "NURSE"), finding("NURS", "NURSA"))).toBe(TEXT);
    expect(renamesOf([finding("NURS", "NURSE"), finding("NURS", "NURSA")]).size).toBe(0);
  });

  it("are left to the author where they overlap, the others are made", () => {
    // PHYSICAN, and CAN in it.
    const inner = finding("CAN", "CIAN", TEXT.indexOf("CAN"));
    expect(fixed(finding("PHYSICAN", "PHYSICIAN"), inner, finding("NURS", "NURSE"))).toBe("lane: [NURSE, PHYSICAN]\n");
  });

  it("that touch are both made", () => {
    const [first, second] = [finding("PHYS", "PHYSI"), finding("ICAN", "ICIAN", TEXT.indexOf("ICAN"))];
    expect(fixed(first, second)).toBe("lane: [NURS, PHYSIICIAN]\n");
  });

  it("take nothing but the name: a finding that marks more has none", () => {
    expect(fixed(finding("NURS, PHYSICAN", "NURSE"))).toBe(TEXT);
    expect(fixed(finding("lane:", "lane:"))).toBe(TEXT);
  });
});
