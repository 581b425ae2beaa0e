/** Secrets, contracts, packets: what a build of them has to say. Signatures are made here by hand. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFacts, signScript } from "../../../compiler/enforcement/execution/index.ts";
import { contractPayload, hatPayload, UNCOVERED_BY_V1 } from "../../../compiler/enforcement/execution/payloads.ts";
import { verify } from "../../../compiler/enforcement/execution/session.ts";
import { type Asked, type Check, same } from "./check.ts";
import { contractChecks, hmac, MODE, NOW, SECRET, Signer, secretOf } from "./contracts.ts";
import { openedChecks } from "./opened-contracts.ts";

export function signingChecks(asked: Asked): readonly Check[] {
  const signer = new Signer(asked);
  return [
    { what: "secrets", run: secrets },
    ...contractChecks(asked),
    ...openedChecks(asked),
    { what: "texts that are signed", run: payloads },
    { what: "scripts", run: () => inFolder((folder) => scripts(signer, folder)) },
    { what: "packets", run: () => inFolder((folder) => packets(signer, folder)) },
    { what: "approvals", run: () => inFolder((folder) => approvals(signer, folder)) },
  ];
}

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-mutant-"));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function secrets(): void {
  for (const odd of ["", "0".repeat(30), "0".repeat(33), "g".repeat(32), `${"0".repeat(32)}\n`, undefined])
    same(`secret ${odd}`, secretOf(odd), undefined);
  same("a secret", secretOf(SECRET), new Uint8Array(Buffer.from(SECRET, "hex")));
  same("a long secret", secretOf("0".repeat(64))?.length, 32);
  const [secret, good] = [secretOf(SECRET), hmac("text")];
  same("verified", verify(secret, "text", good), true);
  for (const wrong of [
    undefined,
    null,
    1,
    "",
    good.toUpperCase(),
    good.slice(2),
    `${good}0`,
    `${good}00`,
    hmac("texts"),
    [good],
  ])
    same(`verified ${wrong}`, verify(secret, "text", wrong), false);
  same("verified without a secret", verify(undefined, "text", good), false);
}

function scripts({ secret, contract, sign }: Signer, folder: string): void {
  const script = join(folder, "run.py");
  writeFileSync(script, "print()\n");
  const sha256 = createHash("sha256").update("print()\n").digest("hex");
  const signed = { ...contract, status: "open", signature: sign({}) };
  const timestamp = "2026-03-02T09:30:00Z";
  const facts = (situation: object) =>
    execFacts({ mode: MODE, scriptPath: script, contract: signed, secret, now: NOW + 1500, ...situation }).request;
  same("no packet", facts({}).hat, null);
  const result = signScript(script, signed, secret, { now: NOW });
  same("a packet is made", result.ok, true);
  if (!result.ok) return;
  const bound = { contract_id: "c-1", declared_operations: ["CREATE", "WRITE"] };
  const declared = {
    declared_targets: [`${contract.contract_root}/x`, "a/c", "b"],
    mode: MODE,
    script_sha256: sha256,
    timestamp,
  };
  same("hat-exec2", result.value.packet.signature, hmac(`hat-exec2:${JSON.stringify({ ...bound, ...declared })}`));
  same("the packet's place", result.value.path, `${script}.hat.json`);
  writeFileSync(result.value.path, JSON.stringify(result.value.packet));
  const hat = { ...result.value.packet, signature_valid: true, age_seconds: 1.5 } as Record<string, unknown>;
  delete hat["signature"];
  same(
    "facts",
    { ...facts({}) },
    {
      ...{ mode: MODE, kind: "script", session: { valid: true }, script: { path: script, sha256 } },
      contract: {
        ...{ contract_id: "c-1", status: "open", signature_valid: true, expired: false, mode: MODE },
        ...{ declared_targets: contract.declared_targets, declared_operations: contract.declared_operations },
      },
      hat,
    },
  );
  const inline = facts({ scriptPath: undefined, contract: undefined, secret: undefined });
  same("inline", inline, {
    ...{
      mode: MODE,
      kind: "inline",
      session: { valid: false },
      script: { path: null, sha256: null },
      contract: null,
      hat: null,
    },
  });
  const valid = (fields: object, payload?: "v1"): unknown => {
    const asked = facts({ contract: { ...signed, ...fields }, ...(payload === undefined ? {} : { payload }) });
    return [asked.contract?.signature_valid, asked.contract?.expired];
  };
  same("another target", valid({ declared_targets: ["b"] }), [false, false]);
  same("no signature", valid({ signature: undefined }), [false, false]);
  same("a signature too long", valid({ signature: `${signed.signature}00` }), [false, false]);
  same("v1 for v2", valid({}, "v1"), [false, false]);
  same("v1", valid({ signature: sign({}, "v1"), expires_at: "2026-03-02T09:30:01Z" }, "v1"), [true, true]);
  same("without expiry", valid({ signature: sign({}, "v1"), expires_at: undefined }, "v1"), [true, true]);
}

/** As the pages write them. */
function payloads(): void {
  same("what v1 leaves open", [...UNCOVERED_BY_V1].sort(), [
    ...["baseline_sha", "contract_root", "declared_operations", "declared_targets", "expires_at", "mode"],
  ]);
  const targets = ["\u{10000}", "\uffff", "b", "a"];
  const first = { contract_id: "c", script_sha256: "s", mode: "m", timestamp: "t", declared_targets: targets };
  const second = { ...first, version: 2, declared_operations: ["WRITE", "CREATE"] };
  const sorted = ["a", "b", "\uffff", "\u{10000}"];
  const digest = createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
  for (const version of [undefined, 1])
    same(`hat-exec ${version}`, hatPayload({ ...first, version }), `hat-exec:c|s|m|t|${digest}`);
  const canonical = { contract_id: "c", declared_operations: ["CREATE", "WRITE"], declared_targets: sorted, mode: "m" };
  const bound = JSON.stringify({ ...canonical, script_sha256: "s", timestamp: "t" });
  same("hat-exec2", hatPayload(second), `hat-exec2:${bound}`);
  for (const version of [0, 3, "2", null, true])
    same(`version ${version}`, hatPayload({ ...second, version }), undefined);
  for (const packet of [first, second]) {
    for (const name of ["contract_id", "script_sha256", "mode", "timestamp"])
      for (const odd of ["a|b", 1, undefined, "\ud800"])
        same(`${name} ${odd}`, hatPayload({ ...packet, [name]: odd }), undefined);
    for (const odd of ["a", { length: 1 }, ["a", 1], ["\udc00"], undefined])
      same(`targets ${JSON.stringify(odd)}`, hatPayload({ ...packet, declared_targets: odd }), undefined);
  }
  for (const odd of ["WRITE", ["WRITE", 1], undefined])
    same(`operations ${JSON.stringify(odd)}`, hatPayload({ ...second, declared_operations: odd }), undefined);
  const texts = ["baseline_sha", "contract_id", "contract_root", "created_at", "expires_at", "mode"];
  const lists = ["declared_operations", "declared_targets"];
  const contract = Object.fromEntries([...texts.map((name) => [name, "x|"]), ...lists.map((name) => [name, ["y"]])]);
  same("contract2", typeof contractPayload(contract, "v2"), "string");
  for (const name of texts)
    for (const odd of [1, undefined, "\udc00", ["x"]])
      same(`${name} ${odd}`, contractPayload({ ...contract, [name]: odd }, "v2"), undefined);
  for (const name of lists)
    for (const odd of ["y", ["y", 1], undefined, { every: 1 }])
      same(`${name} ${odd}`, contractPayload({ ...contract, [name]: odd }, "v2"), undefined);
  same("contract", contractPayload({ contract_id: "c", created_at: "t" }, "v1"), "contract:c|t");
  for (const [contract_id, created_at] of [
    ["a|b", "t"],
    ["c", "a|b"],
    [1, "t"],
    ["c", undefined],
  ] as const)
    same(`contract ${contract_id} ${created_at}`, contractPayload({ contract_id, created_at }, "v1"), undefined);
}

/** The packet beside a script, as it is told to the policy. */
function packets({ secret, contract, sign }: Signer, folder: string): void {
  const script = join(folder, "run.py");
  writeFileSync(script, "print()\n");
  const signed = { ...contract, signature: sign({}) };
  const told = (content: string | undefined, now = NOW): [unknown, number] => {
    const beside = `${script}.hat.json`;
    rmSync(beside, { force: true });
    if (content !== undefined) writeFileSync(beside, content);
    const { request, warnings } = execFacts({ mode: MODE, scriptPath: script, contract: signed, secret, now });
    return [request.hat, warnings.length];
  };
  const fields = {
    ...{ script_sha256: "s", contract_id: "c-1", declared_targets: ["b", "a"], mode: MODE },
    timestamp: "2026-03-02T09:00:00Z",
  };
  const bound = [fields.contract_id, fields.script_sha256, fields.mode, fields.timestamp];
  const digest = createHash("sha256").update('["a","b"]').digest("hex");
  const signature = hmac(`hat-exec:${bound.join("|")}|${digest}`);
  const facts = { ...fields, signature_valid: true, age_seconds: 1_800 };
  same("a packet of the first version", told(JSON.stringify({ ...fields, signature })), [facts, 0]);
  same("half a second", told(JSON.stringify({ ...fields, signature }), NOW + 3_600_999), [
    { ...facts, age_seconds: 5_400.999 },
    0,
  ]);
  const numbered = { ...fields, version: 1, declared_operations: ["WRITE"] };
  const more = { version: 1, declared_operations: ["WRITE"] };
  same("with its number", told(JSON.stringify({ ...numbered, signature })), [{ ...facts, ...more }, 0]);
  for (const [name, odd] of Object.entries({
    script_sha256: "t",
    contract_id: "d",
    declared_targets: ["a"],
    mode: "n",
    version: 2,
  }))
    same(
      `another ${name}`,
      (told(JSON.stringify({ ...fields, [name]: odd, signature }))[0] as typeof facts).signature_valid,
      false,
    );
  const odd = told(JSON.stringify({ ...fields, timestamp: "soon", signature }))[0];
  same("a time that is not one", odd, { ...fields, timestamp: "soon", signature_valid: false });
  const nothing = {
    ...{ script_sha256: undefined, contract_id: undefined, declared_targets: undefined, mode: undefined },
    ...{ timestamp: undefined, signature_valid: false },
  };
  for (const text of ["5", "null", "[]", '"x"', "{}"]) same(`a packet of ${text}`, told(text), [nothing, 0]);
  for (const text of ["", "{", '{"mode":"m","mode":"m"}']) same(`a packet of ${text}`, told(text), [nothing, 1]);
  same("no packet", told(undefined), [null, 0]);
  symlinkSync(script, `${script}.hat.json`);
  const { request, warnings } = execFacts({ mode: MODE, scriptPath: script, secret, now: NOW });
  same("a link for a packet", [request.hat, warnings.length], [{}, 1]);
}

/** What a person can approve, and by which packet. */
function approvals(signer: Signer, folder: string): void {
  const { secret, contract, sign } = signer;
  const script = join(folder, "run.py");
  writeFileSync(script, "print()\n");
  const link = join(folder, "link.py");
  symlinkSync("run.py", link);
  const slashed = join(folder, "a\\b.py");
  writeFileSync(slashed, "print()\n");
  const approved = (path: string, fields: object, payload?: "v1"): unknown => {
    const terms = { ...contract, ...fields };
    const signature = payload === undefined ? signer.byHand(fields) : sign(fields, payload);
    const result = signScript(path, { signature, ...terms }, secret, {
      now: NOW + 999,
      ...(payload === undefined ? {} : { payload }),
    });
    return result.ok ? result.value : result.problem.code;
  };
  const script_sha256 = createHash("sha256").update("print()\n").digest("hex");
  const { contract_id, declared_targets, declared_operations, mode } = contract;
  const timestamp = "2026-03-02T09:30:00Z";
  const digest = createHash("sha256")
    .update(JSON.stringify([...declared_targets].sort()))
    .digest("hex");
  const founding = hmac(`hat-exec:${contract_id}|${script_sha256}|${mode}|${timestamp}|${digest}`);
  const packet = { contract_id, script_sha256, declared_targets, mode, timestamp };
  same("v1", approved(script, {}, "v1"), { path: `${script}.hat.json`, packet: { ...packet, signature: founding } });
  const sorted = {
    declared_operations: [...declared_operations].sort(),
    declared_targets: [...declared_targets].sort(),
  };
  const second = hmac(`hat-exec2:${JSON.stringify({ contract_id, ...sorted, mode, script_sha256, timestamp })}`);
  const whole = { ...packet, version: 2, declared_operations, signature: second };
  same("v2, by a link", approved(link, {}), { path: `${script}.hat.json`, packet: whole });
  for (const path of [folder, `${script}x`]) same(path, approved(path, {}), "unreadable-script");
  same("a name that parts folders", approved(slashed, {}), "unsignable");
  for (const fields of [{ mode: "a|b" }, { contract_id: "a|b" }, { declared_targets: "a" }])
    same(JSON.stringify(fields), approved(script, fields), "unsignable");
  same(
    "another contract's signature",
    approved(script, { signature: sign({ declared_targets: ["b"] }) }),
    "unsigned-contract",
  );
  same("v1 for v2", approved(script, { signature: sign({}, "v1") }), "unsigned-contract");
  same("v2 for v1", approved(script, { signature: sign({}) }, "v1"), "unsigned-contract");
}
