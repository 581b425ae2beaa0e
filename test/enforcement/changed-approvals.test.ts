/** The file of an approval, changed: in a member, in its signature, or signed anew. Each is denied, for its reason. */

import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Approver, approvalOf, call, canonical, DIGEST, guarded, KEYS, signature } from "./approved-call.ts";

describe("a file that was changed", () => {
  const unsigned: readonly (readonly [string, unknown, string])[] = [
    ["type", "portcullis-approval/2", "approval_malformed"],
    ["decision", "refuse", "approval_signature_invalid"],
    ["decision", "yes", "approval_malformed"],
    ["ref", "AP-32", "approval_signature_invalid"],
    ["ref", "", "approval_malformed"],
    ["by", "k.lee", "approval_signature_invalid"],
    ["by", "EDITOR", "approval_not_human"],
    ["by", "__proto__", "approver_unknown"],
    ["call_sha256", "0".repeat(64), "approval_signature_invalid"],
    ["policy_revision", "another", "approval_signature_invalid"],
    ["expires_at", 4_102_444_800_000, "approval_signature_invalid"],
    ["expires_at", "tomorrow", "approval_malformed"],
    ["nonce", "another", "approval_signature_invalid"],
    ["signature", "AAAA", "approval_signature_invalid"],
    ["signature", "", "approval_malformed"],
    ["more", null, "approval_signature_invalid"],
    ["more", 1e300, "approval_signature_invalid"],
    ["__proto__x", "1", "approval_signature_invalid"],
  ];
  it.each(unsigned)("in `%s` to %j is denied: %s", async (name, value, reason) => {
    expect(await guarded(call, { ...approvalOf(), [name]: value })).toBe(reason);
  });

  it("by the loss of any member is malformed", async () => {
    for (const name of Object.keys(approvalOf())) {
      const { [name]: _, ...rest } = approvalOf();
      expect(await guarded(call, rest), name).toBe("approval_malformed");
    }
  });

  it.each(Object.keys(KEYS) as Approver[])("in any character of the signature of %s is not signed", async (by) => {
    const approval = approvalOf({}, by);
    const text = approval["signature"] as string;
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "A" ? "B" : "A";
      const changed = { ...approval, signature: text.slice(0, at) + other + text.slice(at + 1) };
      expect(await guarded(call, changed), `character ${at}`).toBe("approval_signature_invalid");
    }
    for (const changed of [`${text}=`, `${text}A`, text.slice(0, -1), ` ${text}`, text.replaceAll("-", "+")].filter(
      (t) => t !== text,
    ))
      expect(await guarded(call, { ...approval, signature: changed }), changed).toBe("approval_signature_invalid");
  });

  it("and signed with the approver's own key is denied for what it says", async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ decision: "refuse" }, "approval_refused"],
      [{ call_sha256: "0".repeat(64) }, "approval_not_for_this_call"],
      [{ call_sha256: DIGEST.toUpperCase() }, "approval_not_for_this_call"],
      [{ policy_revision: "another" }, "approval_for_other_policy"],
      [{ expires_at: Date.now() }, "approval_expired"],
      [{ expires_at: Date.now() + 86_400_000 + 60_000 }, "approval_expired"],
      [{ type: "portcullis-approval/0" }, "approval_malformed"],
    ];
    for (const [changed, reason] of cases) expect(await guarded(call, approvalOf(changed))).toBe(reason);
    const stranger = generateKeyPairSync("ed25519").privateKey;
    const { signature: _, ...said } = approvalOf();
    expect(await guarded(call, { ...said, signature: signature(canonical(said), stranger) })).toBe(
      "approval_signature_invalid",
    );
  });
});
