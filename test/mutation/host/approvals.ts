/** A person's word on one call, as `portcullis approve` signs it. */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { approvalBytes, callDigest, type PolicyApprovals } from "@portcullis/runtime";
import { approverKey, digestOfCall, signApproval } from "../../../compiler/enforcement/gateway/index.ts";
import { type Check, same } from "./check.ts";

export function approvalChecks(): readonly Check[] {
  return [
    { what: "keys of approvers", run: keys },
    { what: "signed approvals", run: signatures },
  ];
}

const pairs = {
  ann: generateKeyPairSync("ed25519"),
  ben: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  cid: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
const entries = Object.entries(pairs) as [keyof typeof pairs, { publicKey: KeyObject; privateKey: KeyObject }][];
const jwk = (key: KeyObject): object => key.export({ format: "jwk" });
const pem = (key: KeyObject): string => String(key.export({ format: "pem", type: "pkcs8" }));
const POLICY = {
  revision: "r-1",
  approvers: Object.fromEntries(entries.map(([name, { publicKey }]) => [name, { key: jwk(publicKey) }])),
} as unknown as PolicyApprovals;

function keys(): void {
  for (const [name, { privateKey }] of entries)
    for (const text of [pem(privateKey), JSON.stringify(jwk(privateKey)), ` \n${JSON.stringify(jwk(privateKey))}`]) {
      const found = approverKey("k.pem", text, POLICY);
      same(`${name}'s`, found.ok && found.value.name, name);
    }
  const problem = (text: string, policy = POLICY): unknown => {
    const found = approverKey("k.pem", text, policy);
    return !found.ok && [found.problem.code, found.problem.message, found.problem.help];
  };
  const stranger = pem(generateKeyPairSync("ed25519").privateKey);
  const unknown = "no approver of the policy has the public key of `k.pem`";
  same("another's", problem(stranger), ["unknown-key", unknown, "approvers: ann, ben, cid"]);
  const none = { ...POLICY, approvers: {} } as PolicyApprovals;
  same("of none", problem(stranger, none), ["unknown-key", unknown, "approvers: none"]);
  const help = "a key in PEM (`openssl genpkey -algorithm ed25519`), or a JWK";
  const unreadable = "`k.pem` holds no private key that can be read without a passphrase";
  const locked = pairs.ben.privateKey.export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "p" });
  for (const text of ["", "{", "x", "{}", JSON.stringify(jwk(pairs.ben.publicKey)), String(locked)])
    same(text.slice(0, 20), problem(text), ["unreadable-key", unreadable, help]);
}

function signatures(): void {
  const call = { tool: "pay", args: { a: 1 } };
  for (const [name, { privateKey, publicKey }] of entries) {
    const key = approverKey("k.pem", pem(privateKey), POLICY);
    if (!key.ok) throw new Error(key.problem.message);
    const { signature, ...said } = signApproval(key.value, POLICY, { call, decision: "refuse", expiresAt: 7 });
    const { nonce, ref, ...rest } = said;
    same("what is said", rest, {
      ...{ type: "portcullis-approval/1", decision: "refuse", by: name, policy_revision: "r-1", expires_at: 7 },
      call_sha256: callDigest(call, undefined),
    });
    same("a nonce", [Buffer.from(nonce, "base64url").length, ref], [16, `${name}/${nonce.slice(0, 8)}`]);
    const ieee = { key: createPublicKey(publicKey.export({ format: "pem", type: "spki" })), dsaEncoding: "ieee-p1363" };
    const holds = verify(
      name === "ann" ? null : "sha256",
      approvalBytes(said),
      ieee as never,
      Buffer.from(signature, "base64url"),
    );
    same(`${name}'s signature`, holds, true);
    const again = signApproval(key.value, POLICY, { call, decision: "approve", ref: "T-1", expiresAt: 8 });
    same("others", [again.ref, again.decision, again.nonce === nonce], ["T-1", "approve", false]);
  }
  const paths = { a: "/x" };
  for (const facts of [{ paths: null }, {}, null, undefined])
    same("no paths", digestOfCall({ ...call, facts }), callDigest({ ...call, facts }, undefined));
  const found = digestOfCall({ ...call, facts: { paths } });
  same("paths", found, callDigest({ ...call, facts: { paths } }, paths));
}
