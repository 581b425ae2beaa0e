/** Findings on who may approve calls. */

import type { Files } from "../../sources/virtual-host.ts";
import { type Fixtures, HARNESS } from "./fixture.ts";

const KEY = {
  a: "{ kty: EC, crv: P-256, x: zDY4jIOka6Qp6xaRlggzU0qWiHwIRKV2KDUYh5rpKy8, y: 9gofcmkMLkNyFeuS9EpaeGE_7Ij9D9VKKB-Ncpc9vCA }",
  b: "{ kty: OKP, crv: Ed25519, x: Q-2-ipioCqc_9YANUvj4aC498lGGyT2vb85cw9fhKjk }",
};
/** `KEY.a`, in PEM. */
const PEM_A =
  '"-----BEGIN PUBLIC KEY-----\\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzDY4jIOka6Qp6xaRlggzU0qWiHwIRKV2KDUYh5rpKy/2Ch9yaQwuQ3IV65L0Slp4YT/siP0P1UooH41ylz28IA==\\n-----END PUBLIC KEY-----\\n"';

const BOUND = {
  ...HARNESS,
  "tool_registry.yaml":
    "tools:\n  - { tool_name: t, enabled: true, implementation_status: implemented, approval: bound }\n",
};

/** Approvers, each from line 2 on. */
function approvers(...rows: readonly string[]): Files {
  return { ...BOUND, "approvers.yaml": `approvers:\n${rows.map((row) => `  - { ${row} }\n`).join("")}` };
}

const key = (text: string): Files => approvers(`name: m.ortiz, key: ${text}`);
const AT = "approvers.yaml:2:22";

export const APPROVERS: Fixtures = {
  "model/approver-key": [
    { files: key(KEY.a), at: [] },
    { files: key(KEY.b), at: [] },
    { files: key(PEM_A), at: [] },
    { files: key(KEY.b.replace("crv", "alg: EdDSA, use: sig, kid: k, key_ops: [verify], crv")), at: [] },
    {
      files: key("{ kty: EC, crv: P-256, x: zDY4, y: 9gof }"),
      at: [AT],
      message: "the key of approver `m.ortiz` is no point of P-256",
    },
    { files: key(KEY.a.replace("9gof", "9gog")), at: [AT] },
    { files: key(KEY.a.replace("}", "=}")), at: [AT] },
    { files: key(KEY.a.replace("P-256", "P-384")), at: [AT] },
    { files: key(KEY.a.replace("crv", "alg: ES384, crv")), at: [AT] },
    { files: key(KEY.b.replace("crv", "use: enc, crv")), at: [AT] },
    { files: key(KEY.b.replace("crv", "d: Q-2-ipioCqc_9YANUvj4aC498lGGyT2vb85cw9fhKjk, crv")), at: [AT] },
    { files: key(KEY.b.replace("Ed25519", "X25519")), at: [AT] },
    { files: key("{ kty: OKP, crv: Ed25519, x: Q-2- }"), at: [AT] },
    {
      files: key("{ kty: RSA, n: vsCI4lSXPckms1t2M3j1t7Wvz-fDMRpd-b5tqUycppDV1J95Soh, e: AQAB }"),
      at: [AT],
    },
    {
      files: key("{ kty: RSA, n: w, e: AQAB }"),
      at: [AT],
      message: "the key of approver `m.ortiz` has 0 bits, and 2048 are the least",
    },
    { files: key("{}"), at: [AT] },
    { files: key('"-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----"'), at: [AT] },
    { files: key(PEM_A.replace("MFkw", "MFkx")), at: [AT] },
    { files: key("m.ortiz.pem"), at: [AT] },
    {
      files: approvers("name: m.ortiz"),
      at: ["approvers.yaml:2:13"],
      message: "the key of approver `m.ortiz` is missing",
    },
  ],
  "model/approvers-share-key": [
    {
      files: approvers(`name: m.ortiz, key: ${KEY.a}`, `name: k.lee, key: ${PEM_A}`),
      at: ["approvers.yaml:3:13"],
      message: "approver `k.lee` has the key of `m.ortiz`",
    },
    { files: approvers(`name: m.ortiz, key: ${KEY.a}`, `name: k.lee, key: ${KEY.b}`), at: [] },
  ],
  "model/approver-until": [
    { files: approvers(`name: m.ortiz, until: 2027-02-29, key: ${KEY.a}`), at: ["approvers.yaml:2:29"] },
    { files: approvers(`name: m.ortiz, until: 2027-2-3, key: ${KEY.a}`), at: ["approvers.yaml:2:29"] },
    { files: approvers(`name: m.ortiz, until: "2027-02-28T00:00:00Z", key: ${KEY.a}`), at: ["approvers.yaml:2:29"] },
    { files: approvers(`name: m.ortiz, until: 2028-02-29, key: ${KEY.a}`), at: [] },
  ],
  "model/undefined-tool-of-approver": [
    {
      files: approvers(`name: m.ortiz, tools: [t, u], key: ${KEY.a}`),
      at: ["approvers.yaml:2:33"],
      message: "approver `m.ortiz` may approve tool `u`, which is not defined",
    },
    { files: { ...approvers(`name: m.ortiz, tools: [u], key: ${KEY.a}`), "tool_registry.yaml": "tools: [" }, at: [] },
  ],
  "model/tool-without-approver": [
    { files: BOUND, at: ["tool_registry.yaml:2:18"] },
    { files: approvers(`name: m.ortiz, tools: [], key: ${KEY.a}`), at: ["tool_registry.yaml:2:18"] },
    { files: approvers(`name: m.ortiz, tools: [t], key: ${KEY.a}`), at: [] },
    { files: { ...BOUND, "approvers.yaml": "approvers: [" }, at: [] },
    {
      files: {
        ...HARNESS,
        "tool_registry.yaml":
          "tools:\n  - tool_name: t\n    enabled: true\n    implementation_status: implemented\n    arguments:\n      a: { type: list, each: { approval: { one_of: [x], bound: true } } }\n",
      },
      at: ["tool_registry.yaml:2:16"],
    },
  ],
  "model/idle-approver": [
    {
      files: { ...approvers(`name: m.ortiz, key: ${KEY.a}`), ...HARNESS },
      at: ["approvers.yaml:2:13"],
      message: "no call needs an approval that `m.ortiz` could sign",
    },
    {
      files: {
        ...approvers(`name: m.ortiz, key: ${KEY.a}`),
        ...HARNESS,
        "tool_registry.yaml":
          "tools:\n  - tool_name: t\n    enabled: true\n    implementation_status: implemented\n    arguments:\n      a: { approval: bound }\n",
      },
      at: [],
    },
  ],
  "lower/approver-is-agent": [
    {
      files: approvers(`name: r, key: ${KEY.a}`),
      at: ["approvers.yaml:2:13"],
      message: "approver `r` reads like the agent `R`: people approve, agents do not",
    },
    { files: approvers(`name: agent r.md, key: ${KEY.a}`), at: ["approvers.yaml:2:13"] },
    { files: approvers(`name: m.r, key: ${KEY.a}`), at: [] },
  ],
  "lower/approvers-alike": [
    {
      files: approvers(`name: m.ortiz, key: ${KEY.a}`, `name: M 0rtiz, key: ${KEY.b}`),
      at: ["approvers.yaml:3:13"],
      message: "approver `M 0rtiz` reads like the approver `m.ortiz`",
    },
    { files: approvers(`name: m.straße, key: ${KEY.a}`, `name: mstrasse, key: ${KEY.b}`), at: ["approvers.yaml:3:13"] },
    { files: approvers(`name: m.straße, key: ${KEY.a}`, `name: mstrabe, key: ${KEY.b}`), at: ["approvers.yaml:3:13"] },
  ],
  "lower/approver-unreadable": [
    { files: approvers(`name: '...', key: ${KEY.a}`), at: ["approvers.yaml:2:13"] },
    { files: approvers(`name: OſLO, key: ${KEY.a}`), at: ["approvers.yaml:2:13"] },
  ],
};
