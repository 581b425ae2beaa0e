/** An approval that a person signs for one call of a real SDK: denied with the digest to sign, allowed once, and denied again. */

import { type KeyObject, sign } from "node:crypto";
import { load, memoryHistory, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../compiler/governance/pipeline.ts";
import { canonical, files, KEYS } from "../enforcement/approvers.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { versionOf } from "./folder.ts";
import { EDITOR, PAYOUT } from "./newsroom.ts";
import { SDKS } from "./sdks.ts";

let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compile({ host: virtualHost({ set: files() }), dirs: ["set"] });
  policy = await load(compiled?.bundle as Uint8Array);
});

/** A person's word on the call of this digest. */
function approvalOf(call_sha256: string): object {
  const said = {
    ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-31", by: "m.ortiz", call_sha256, nonce: "n-1" },
    ...{ policy_revision: policy.approvals?.revision, expires_at: Date.now() + 600_000 },
  };
  const key = KEYS["m.ortiz"]?.privateKey as KeyObject;
  return { ...said, signature: sign(null, Buffer.from(canonical(said)), key).toString("base64url") };
}

for (const sdk of SDKS)
  describe.runIf(versionOf(sdk) !== undefined)(sdk.name, () => {
    it("makes a call that a person has signed for, once", async () => {
      const ran: string[] = [];
      const asked: string[] = [];
      const signed: object[] = [];
      const approvals = { find: () => signed, ask: (digest: string) => void asked.push(digest) };
      const options = { approvals, history: memoryHistory() };
      const run = async (...calls: (typeof PAYOUT)[]): Promise<string[]> => {
        const given = { policy, calls, context: EDITOR, options, host: {} } as const;
        const told = await sdk.run({ ...given, execute: (tool) => `${tool} done ${ran.push(tool)}` });
        return told.map(
          ({ text }) => /: ([A-Z_]+, \w+)/.exec(text)?.[1] ?? text.replace(/^.*?(\w+ done \d+).*$/s, "$1"),
        );
      };
      expect(await run(PAYOUT)).toEqual(["APPROVAL, approval_required"]);
      expect([ran, asked.length]).toEqual([[], 1]);
      signed.push(approvalOf(asked[0] as string));
      const other = { ...PAYOUT, args: { cents: 120_001 } };
      expect(await run(other, PAYOUT, PAYOUT)).toEqual([
        expect.stringMatching(/^APPROVAL, approval_/),
        "payout_release done 1",
        expect.stringMatching(/^APPROVAL, approval_/),
      ]);
      expect(ran).toEqual(["payout_release"]);
    });
  });
