/** A policy of tools that ask for bound approvals, a call of one, and its approvals: signed with Node's own crypto, from the page alone. */

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { guardTool, type LoadOptions, load, memoryHistory, type Policy } from "@portcullis/runtime";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";

export const KEYS = {
  "m.ortiz": generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "k.lee": generateKeyPairSync("ed25519"),
  "r.novak": generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
export type Approver = keyof typeof KEYS;

function files(more: object = {}): Record<string, string> {
  const tools = ["payout.release", "article.publish"].map((tool_name) => ({
    ...{
      tool_name,
      enabled: true,
      implementation_status: "implemented",
      approval: "bound",
      required_scope_keys: ["run_id"],
    },
  }));
  const authzen = { subject_type: "role", resource_type: "tool", actions: [{ name: "use", lane: "PAYOUTS" }] };
  return {
    "portcullis.yaml": JSON.stringify({ adapters: { authzen } }),
    "roles.yaml": JSON.stringify({ roles: [{ role_id: "EDITOR" }, { role_id: "CHIEF", ...more }] }),
    "lanes.yaml": JSON.stringify({
      lanes: ["PAYOUTS", "NIGHT"].map((lane_id) => ({
        lane_id,
        allowed_callers: { roles: ["EDITOR", "CHIEF"] },
        allowed_actions: {
          tools: tools.map(({ tool_name }) => tool_name),
          writes: [{ table: "payouts", mode: "append" }],
        },
      })),
    }),
    "tool_registry.yaml": JSON.stringify({ tools }),
    "approvers.yaml": JSON.stringify({
      approvers: Object.entries(KEYS).map(([name, { publicKey }]) => ({
        name,
        key: publicKey.export({ format: "jwk" }),
      })),
    }),
  };
}

export async function policyOf(more?: object, options?: LoadOptions): Promise<Policy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: files(more) }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle, options);
}

export const policy = await policyOf();

export interface Call {
  readonly role: string;
  readonly lane: string;
  readonly tool: string;
  readonly scope: Readonly<Record<string, unknown>>;
  readonly args: unknown;
  readonly [member: string]: unknown;
}

export const call: Call = {
  ...{ role: "EDITOR", lane: "PAYOUTS", tool: "payout.release" },
  scope: { contributor_id: "c-9", run_id: "r-7" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
  args: { amount_cents: 120_000, note: null, to: { name: "Zoë", parts: [1, 0.5, null] } },
};
/** `printf %s '…' | sha256sum` of the text that the page describes, written by hand. */
const CANONICAL =
  '{"request":{"args":{"amount_cents":120000,"to":{"name":"Zoë","parts":[1,0.5,null]}},"lane":"PAYOUTS","lineage":[{"agent_type":"publisher","spawn_depth":0}],"role":"EDITOR","scope":{"contributor_id":"c-9","run_id":"r-7"},"tool":"payout.release"}}';
export const DIGEST = createHash("sha256").update(CANONICAL).digest("hex");

export const signature = (text: string, key: KeyObject): string =>
  sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", Buffer.from(text), {
    key,
    dsaEncoding: "ieee-p1363",
  }).toString("base64url");

/** Canonical JSON of an approval: its members are texts and one whole number. */
export const canonical = (members: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))));

let nonces = 0;
export function approvalOf(changed: object = {}, by: Approver = "m.ortiz"): Record<string, unknown> {
  const said = {
    ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-31", by, call_sha256: DIGEST },
    ...{ policy_revision: policy.approvals?.revision, expires_at: Date.now() + 600_000, nonce: `nonce-${nonces++}` },
    ...changed,
  };
  return { ...said, signature: signature(canonical(said), KEYS[by].privateKey) };
}

/** What became of one call with an approval: the reason of its denial, or what the tool got. */
export async function guarded(
  given: Call,
  approval: unknown,
  history: object | undefined = memoryHistory(),
  by: Policy = policy,
): Promise<unknown> {
  const { tool, args, ...context } = given;
  const options = history === undefined ? {} : { history };
  const outcome = await guardTool(
    by,
    { ...context, approval } as never,
    tool,
    (got: unknown) => ({ got }),
    options as never,
  )(args);
  return outcome.allowed ? "allowed" : outcome.decision.reason;
}
