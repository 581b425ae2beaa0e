/** Findings on who may approve calls. */

import { defineCodes } from "@portcullis/rego/diagnostics";

export const approverCodes = defineCodes({
  "model/approver-key": {
    severity: "error",
    message: "the key of approver `{name}` {problem}",
    explain:
      "`key` is a public key, in PEM (`-----BEGIN PUBLIC KEY-----`) or as a JWK, with which approvals of this person are verified: EC on P-256 (ES256), Ed25519 (EdDSA), or RSA of 2048 bits and more (RS256). The private key stays with the person: `portcullis approve --key` reads it there.",
  },
  "model/approvers-share-key": {
    severity: "error",
    message: "approver `{name}` has the key of `{other}`",
    explain:
      "A signature says whose key made it. With one key for two names it would not say who approved. Give each person a key of their own.",
  },
  "model/approver-until": {
    severity: "error",
    message: "`until` of approver `{name}` is `{until}`, and not a day",
    explain:
      "`until` is the last day in UTC on which the person's approvals count, as `YYYY-MM-DD`. With any other text it would not be clear when it ends.",
  },
  "model/undefined-tool-of-approver": {
    severity: "error",
    message: "approver `{name}` may approve tool `{tool}`, which is not defined",
    causedBy: [
      { code: "model/confusable-id", by: "names" },
      { code: "model/invalid-id", by: "names" },
      { code: "model/empty-part", by: "entry", entry: "tool" },
      { code: "model/absent-part", by: "absent", file: "tool_registry.yaml" },
    ],
    explain:
      "`tools` of an approver names tools of tool_registry.yaml. This one is not there: either it is misspelt, or the tool has yet to be added. Leave `tools` out where the person may approve every tool.",
  },
  "model/tool-without-approver": {
    severity: "warning",
    message: "tool `{tool}` needs a bound approval, and no approver may give it: every call that needs one is denied",
    causedBy: [{ code: "model/approver-key", by: "any" }],
    explain:
      "`approval: bound` asks for an approval that an approver of approvers.yaml has signed. No approver there may approve calls of this tool. Add one, or the tool to the `tools` of one.",
  },
  "model/idle-approver": {
    severity: "warning",
    message: "no call needs an approval that `{name}` could sign",
    explain:
      "Approvers sign approvals of tools, or of arguments, that say `approval: bound`. No tool that this person may approve says so. `approval: required` asks for a name alone, and no signature: often `bound` was meant.",
  },
});
