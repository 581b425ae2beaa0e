/** Which contracts are signed, with which text, and what is said of those that are not. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Policy } from "@portcullis/runtime";
import { type SessionSecret, sessionSecret, signContract } from "../../../compiler/enforcement/execution/index.ts";
import type { Meeting } from "../../../compiler/enforcement/execution/sign-contract.ts";
import { type Asked, type Check, same } from "./check.ts";

export function contractChecks(asked: Asked): readonly Check[] {
  const signer = new Signer(asked);
  return [
    { what: "contracts that are signed", run: () => signed(signer) },
    { what: "contracts that are not signed", run: () => refused(signer, asked) },
    { what: "targets and operations that are not signed", run: () => undeclared(signer) },
    { what: "what is said of a contract", run: () => explained(signer, asked) },
    { what: "contracts and their times", run: () => timed(signer) },
    { what: "contracts and their policy", run: () => judged(signer) },
  ];
}

export const SECRET = "0123456789abcdef0123456789ABCDEF";

/** A mode of the example. */
export const MODE = "newsroom";

/** Within the contract's times. */
export const NOW = Date.UTC(2026, 2, 2, 9, 30, 0);

export const hmac = (text: string): string =>
  createHmac("sha256", Buffer.from(SECRET, "hex")).update(text).digest("hex");

export const secretOf = (text: string | undefined): SessionSecret | undefined =>
  sessionSecret({ PORTCULLIS_SESSION_SECRET: text });

export class Signer {
  readonly secret = secretOf(SECRET) as SessionSecret;
  /** Its members in the order of canonical JSON. Open, though no signature covers that. */
  readonly contract;
  private readonly policy: Policy;

  constructor({ fixtures, policy }: Asked) {
    this.policy = policy;
    const { root, baseline } = fixtures.signed;
    this.contract = {
      ...{ baseline_sha: baseline, contract_id: "c-1", contract_root: root, created_at: "2026-03-02T09:00:00Z" },
      ...{ declared_operations: ["WRITE", "CREATE"], declared_targets: ["b", "a/c", `${root}/x`] },
      ...{ expires_at: "2026-03-02T10:00:00Z", mode: MODE },
    };
  }

  /** The contract's signature; nothing where it is refused. */
  readonly sign = (fields: object, payload?: "v1", meeting: Partial<Meeting> = {}): string | undefined => {
    const result = this.result(fields, payload, meeting);
    return result.ok ? (result.value["signature"] as string) : undefined;
  };

  /** The signature that the second version has, made by hand: also of what is refused. */
  byHand(fields: object): string {
    return hmac(`contract2:${JSON.stringify({ ...this.contract, ...fields })}`);
  }

  /** The problem's message and help. */
  words(fields: object, payload?: "v1", meeting: Partial<Meeting> = {}): unknown {
    const result = this.result(fields, payload, meeting);
    return result.ok ? "signed" : [result.problem.message, result.problem.help];
  }

  private result(fields: object, payload: "v1" | undefined, meeting: Partial<Meeting>) {
    const options = { policy: this.policy, now: NOW, ...meeting, ...(payload === undefined ? {} : { payload }) };
    return signContract("c", { ...this.contract, status: "open", ...fields }, this.secret, options);
  }
}

const FOUNDING = "contract:c-1|2026-03-02T09:00:00Z";

function signed(signer: Signer): void {
  const { contract, sign } = signer;
  const { contract_root: root } = contract;
  same("contract2", sign({}), hmac(`contract2:${JSON.stringify(contract)}`));
  same("contract", sign({}, "v1"), hmac(FOUNDING));
  same("an old signature is replaced", sign({ signature: "old" }), sign({}));
  for (const [contract_root, declared_targets, good] of [
    [root, ["a", `${root}/b`], true],
    [root, ["/b"], false],
    [root, ["a/"], false],
    [`${root}/docs`, ["a", `${root}/docs/b`], true],
    [`${root}/docs`, [`${root}/b`], false],
    [7, ["a"], false],
    ["x", ["a"], false],
  ] as const) {
    const fields = { contract_root, declared_targets };
    same(`v1 below ${contract_root}`, sign(fields, "v1"), good ? hmac(FOUNDING) : undefined);
    same(`v2 below ${contract_root}`, sign(fields), good ? signer.byHand(fields) : undefined);
  }
  const declared_operations = ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"];
  same("all operations", sign({ declared_operations }) === undefined, false);
}

/** What holds of the whole contract, in both versions. */
function refused({ contract, sign }: Signer, { fixtures: { files, signed: repository } }: Asked): void {
  const { contract_root: root, baseline_sha: baseline } = contract;
  const never: object[] = [
    ...["contract_id", "mode"].flatMap((name) => ["", 1, null, "\udc00"].map((one) => ({ [name]: one }))),
    ...["a|b", "a b", "é"].map((one) => ({ contract_id: one })),
    ...["nowhere", "m", "Newsroom", "a|b"].map((one) => ({ mode: one })),
    ...["created_at", "expires_at"].flatMap((name) => ["2026-03-02", "x", "a|b", 1].map((one) => ({ [name]: one }))),
    ...["closed", "Open", "", null, undefined].map((one) => ({ status: one })),
    ...["a".repeat(39), "a".repeat(41), "A".repeat(40), "a".repeat(63), "main", "HEAD", null].map((one) => ({
      baseline_sha: one,
    })),
    ...["a".repeat(40), "a".repeat(64), repository.tree, baseline.slice(0, 12)].map((one) => ({ baseline_sha: one })),
    ...["x", "/a/", "/a/../b", "/a//b", `${root}/`, `${root}/none`, `${root}/docs/a.txt`, null].map((one) => ({
      contract_root: one,
    })),
    // A link, and folders that no repository is around.
    ...[join(files, "inner"), join(files, "folder"), "/"].map((one) => ({ contract_root: one })),
  ];
  for (const fields of never)
    for (const payload of [undefined, "v1"] as const)
      same(
        `signed ${payload} ${JSON.stringify(fields)}`,
        sign({ declared_targets: ["a"], ...fields }, payload),
        undefined,
      );
}

function undeclared({ sign }: Signer): void {
  const never: object[] = [
    ...["/", ".", "", "..", "a/", "a//b", "./a", "/etc", "a\\b", 1, "\ud800"].map((one) => ({
      declared_targets: ["a", one],
    })),
    ...["write", "EXECUTE", 1, null].map((one) => ({ declared_operations: ["WRITE", one] })),
    ...["a", [], { length: 1 }, null, ["a", "a"]].map((one) => ({ declared_targets: one })),
    ...["WRITE", [], 7, null].map((one) => ({ declared_operations: one })),
  ];
  for (const fields of never) same(`signed ${JSON.stringify(fields)}`, sign(fields), undefined);
  for (const fields of [{ declared_targets: ["."] }, { declared_operations: 7 }])
    same(`v1 of ${JSON.stringify(fields)}`, sign(fields, "v1"), undefined);
}

function explained(signer: Signer, { fixtures: { files } }: Asked): void {
  const { contract_root: root } = signer.contract;
  const time = "write ISO 8601 to the second, as 2026-03-02T09:00:00Z";
  const place = "`contract_root` is no canonical absolute path of a folder that exists";
  const target =
    "name files and folders by canonical paths: no `.`, no `..`, no slash at the end, not the root itself, nothing outside of it";
  for (const [fields, problem, help] of [
    ...["", 1, null, "\udc00"].flatMap((odd) => [
      [{ contract_id: odd }, "`contract_id` is no string that can be signed"],
      [{ mode: odd }, "`mode` is no string that can be signed"],
    ]),
    [{ created_at: "x" }, "`created_at` is no time", time],
    [{ expires_at: "x" }, "`expires_at` is no time", time],
    [{ created_at: "2026-03-02T10:00:00Z" }, "it expires before it is created"],
    [{ created_at: "2026-03-02T10:00:01Z" }, "it expires before it is created"],
    [{ mode: "nowhere" }, "`nowhere` is no mode of the policy"],
    [{ contract_id: "a b" }, "`contract_id` may hold letters, digits and `.`, `_`, `-` alone"],
    [{ status: "closed" }, "`status` is not `open`"],
    [{ expires_at: "2026-03-02T09:29:59Z" }, "it has expired"],
    [{ baseline_sha: "main" }, "`baseline_sha` is no full commit hash", "it is what `git rev-parse HEAD` prints"],
    [{ contract_root: `${root}/none` }, place],
    [{ contract_root: join(files, "inner") }, place],
    [{ declared_targets: "a" }, "`declared_targets` is no list of strings"],
    [{ declared_targets: [] }, "`declared_targets` names nothing: no change would be declared"],
    [{ declared_targets: ["a", "b/"] }, '"b/" is no target', target],
    [{ declared_targets: ["a", 7] }, "7 is no target", target],
    [{ declared_targets: ["a", "b", "a"] }, '"a" is declared twice'],
    [{ declared_operations: 7 }, "`declared_operations` is no list of strings"],
    [{ declared_operations: [] }, "`declared_operations` names nothing: no change would be declared"],
    [{ declared_operations: ["WRITE", "WRIT"] }, '"WRIT" is no operation', "did you mean `WRITE`?"],
    [
      { declared_operations: ["EXTERMINATE"] },
      '"EXTERMINATE" is no operation',
      "the operations are CREATE, WRITE, DELETE, RENAME, MODE",
    ],
  ] as readonly (readonly [object, string, string?])[])
    same(JSON.stringify(fields), signer.words(fields), [`\`c\` cannot be met: ${problem}`, help]);
  for (const fields of [{ baseline_sha: "a".repeat(40) }, { contract_root: join(files, "folder") }]) {
    const said = String((signer.words({ declared_targets: ["a"], ...fields }) as readonly unknown[])[0]);
    const begins = "`c` cannot be met: `baseline_sha` is no commit of the repository: ";
    same(JSON.stringify(fields), [said.startsWith(begins), said.length > begins.length], [true, true]);
  }
}

function timed({ sign }: Signer): void {
  const expiry = Date.UTC(2026, 2, 2, 10, 0, 0);
  for (const [now, good] of [
    [NOW, true],
    [expiry - 1, true],
    [expiry, false],
    [expiry + 1, false],
  ] as const)
    for (const payload of [undefined, "v1"] as const)
      same(`signed at ${now}`, sign({}, payload, { now }) !== undefined, good);
  // The clock's time where none is given.
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  const clock = { now: undefined } as unknown as Partial<Meeting>;
  same(
    "by the clock",
    [sign({ expires_at: soon }, undefined, clock) !== undefined, sign({}, "v1", clock)],
    [...[true, undefined]],
  );
}

function noting<Said>(list: unknown[], request: unknown, said: Said): Said {
  list.push(request);
  return said;
}

type Answer = Readonly<Record<string, unknown>>;

/** What a policy is asked, and what becomes of what it says. */
function judged(signer: Signer): void {
  const { contract, sign } = signer;
  const asked: unknown[] = [];
  const saying = (exec: Answer, close: Answer = { allowed: true, gate: "ALLOW", reason: "ok" }): Partial<Meeting> => ({
    policy: {
      exec: (request: unknown) => noting(asked, request, exec),
      close: (request: unknown) => noting(asked, request, close),
    } as unknown as Policy,
  });
  const denied = (gate: string, reason: string, more: Answer = {}): Answer => ({
    allowed: false,
    gate,
    reason,
    ...more,
  });
  const staging = denied("STAGING", "script_outside_staging");
  const { contract_id, contract_root: root, declared_operations } = contract;
  const fields = { declared_targets: ["b", `${root}/x`] };
  same("denied for its script", sign(fields, undefined, saying(staging)), signer.byHand(fields));
  const facts = { contract_id, status: "open", signature_valid: true, expired: false, ...{ mode: MODE, ...fields } };
  const change = (target: string, operation: string, top = root): Answer => ({
    ...{ baseline_sha: "any", contract: "unsigned", contract_root: top },
    ...{ declared_targets: [target], declared_operations: [operation] },
    changed_files: [{ path: target, resolved: target.startsWith("/") ? target : `${top}/${target}`, operation }],
  });
  same("asked", asked.splice(0), [
    {
      ...{ mode: MODE, kind: "script", session: { valid: true }, script: { path: null, sha256: null }, hat: null },
      contract: { ...facts, declared_operations },
    },
    ...[change("b", "WRITE"), change(`${root}/x`, "WRITE")],
    ...declared_operations.map((operation) => change("t", operation, "/r")),
  ]);
  const outside = "`c` cannot be signed";
  const help = "`contract_id` and `created_at` must be strings without `|`, and every text well-formed Unicode";
  same("no text", signer.words({ contract_id: "a|b" }, "v1", saying(staging)), [outside, help]);
  for (const [answer, problem] of [
    [denied("INTERNAL_ERROR", "invalid input"), "it would not count (invalid input)"],
    [denied("MODE", "another"), "it would not count (another)"],
    [denied("CONTRACT", "no_active_contract", { detail: "x" }), "no contract is in force: x"],
    [denied("CONTRACT", "another", { detail: "x" }), "it would not count (x)"],
    [denied("CONTRACT", "another", { detail: null }), "it would not count (another)"],
  ] as const)
    same(`${answer["reason"]}`, signer.words({}, undefined, saying(answer)), [
      `\`c\` cannot be met: ${problem}`,
      undefined,
    ]);
  for (const gate of ["CONTAINMENT", "OPERATIONS", "INTERNAL_ERROR"])
    same(`no target for ${gate}`, sign(fields, "v1", saying(staging, denied(gate, "no"))), undefined);
  for (const gate of ["BASELINE", "SIGNATURE", "OTHER"])
    same(`signed for all of ${gate}`, sign(fields, "v1", saying(staging, denied(gate, "no"))), hmac(FOUNDING));
}
