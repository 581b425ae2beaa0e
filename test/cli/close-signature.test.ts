/** `portcullis exec close` reconciles what was signed: not what the contract's file says by now. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { baseline, bundle, contractFile, repository, useRepositories } from "../enforcement/execution/closing.ts";
import { closeFile, inSession, signedContractFile } from "./signed-contract.ts";
import { portcullis, write } from "./terminal.ts";

useRepositories();

const reconciled = { allowed: true, reason: "reconciled", commit_blocked: false, exit: 0 };
const invalid = {
  ...{ allowed: false, gate: "CONTRACT", reason: "contract_signature_invalid" },
  ...{ reply: "I", code: "CT-GATE-I-004", commit_blocked: true, exit: 1 },
};
const closed = (file: string, ...flags: string[]) => inSession(() => closeFile(file, ...flags));

describe("a signed contract", () => {
  it("is reconciled under the secret that signed it, and under no other", async () => {
    repository.write("docs/new.txt", "x");
    const file = await signedContractFile();
    expect(await closed(file)).toMatchObject(reconciled);
    expect(await inSession(() => closeFile(file), "b6".repeat(16))).toMatchObject(invalid);
    expect(await closed(contractFile())).toMatchObject(invalid);
  });

  it("covers every field that decides", async () => {
    repository.write("src/new.txt", "x");
    const file = await signedContractFile({ declared_targets: ["src"], declared_operations: ["CREATE"] });
    expect(await closed(file)).toMatchObject(reconciled);
    const signed = JSON.parse(readFileSync(file, "utf8")) as object;
    for (const fields of [
      { declared_targets: ["src", "docs"] },
      { declared_targets: ["src", "src"] },
      { declared_operations: ["CREATE", "WRITE"] },
      { declared_operations: "CREATE" },
      { contract_root: `${repository.top}/src` },
      { baseline_sha: "0".repeat(40) },
      { mode: "other" },
      { contract_id: "c-2" },
      { created_at: "2026-03-02T09:00:01Z" },
      { expires_at: "2999-01-02T00:00:00Z" },
      { expires_at: undefined },
      { signature: "0".repeat(64) },
      { signature: undefined },
    ]) {
      write(file, { ...signed, ...fields });
      expect([fields, await closed(file)]).toMatchObject([fields, invalid]);
    }
    write(file, { ...signed, status: "closed", note: "kept by hand" });
    expect(await closed(file)).toMatchObject(reconciled);
  });

  it("blocks without a secret, and says how to go on; `--unsigned` says aloud what is not asked", async () => {
    const file = await signedContractFile();
    const bare = await inSession(() => closeFile(file), "");
    expect(bare).toMatchObject({ ...invalid, err: expect.stringContaining("--unsigned") });
    const unsigned = await closeFile(file, "--unsigned");
    expect(unsigned).toMatchObject({
      ...reconciled,
      err: expect.stringContaining("the contract's signature and expiry are not checked"),
    });
  });

  it("must not have expired at the last commit", async () => {
    const at = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    // Signed two days ago, when it had a day to go.
    const clock = Date.now;
    Date.now = () => clock() - 2 * 86_400_000;
    const late = await signedContractFile({ expires_at: new Date(clock() - 86_400_000).toISOString() });
    Date.now = clock;
    expect(await closed(late)).toMatchObject({ ...invalid, reason: "contract_expired" });
    expect(await closed(await signedContractFile({ expires_at: at(1) }))).toMatchObject(reconciled);
    expect(await closeFile(late, "--unsigned")).toMatchObject(reconciled);
  });
});

describe("the founding document's payload", () => {
  it("is signed and read where it is asked for, with a warning that names what it leaves open", async () => {
    const file = contractFile({ expires_at: "2999-01-01T00:00:00Z" });
    const argv = ["exec", "sign", "--contract", file, "--policy", bundle, "--payload", "v1"];
    const { code, err } = await inSession(() => portcullis(...argv));
    expect(code).toBe(0);
    for (const field of [
      "declared_targets",
      "declared_operations",
      "expires_at",
      "baseline_sha",
      "contract_root",
      "mode",
    ])
      expect(err).toContain(field);
    expect(await closed(file)).toMatchObject(invalid);
    const read = await closed(file, "--payload", "v1");
    expect(read).toMatchObject({ ...reconciled, err: expect.stringContaining("payload v1 does not cover") });
    expect(await closed(await signedContractFile(), "--payload", "v1")).toMatchObject(invalid);
  });

  it("is refused beside `--unsigned`, which asks for no signature", async () => {
    const argv = ["exec", "close", "--contract", contractFile(), "--unsigned", "--payload", "v1"];
    expect((await portcullis(...argv)).code).toBe(2);
  });
});

describe("signing", () => {
  const refusal = async (fields: object, ...flags: string[]): Promise<string> => {
    const file = contractFile(fields);
    const before = readFileSync(file, "utf8");
    const { code, err } = await inSession(() =>
      portcullis("exec", "sign", "--contract", file, ...flags, "--policy", bundle),
    );
    expect([fields, code]).toEqual([fields, 1]);
    expect(readFileSync(file, "utf8")).toBe(before);
    return err;
  };

  it.each(["/", ".", "", " ", "..", "./docs", "docs/", "docs//x", "docs/../x", "/etc", "a\\b", `${"x"}/./y`])(
    "refuses the target %j",
    async (target) => {
      expect(await refusal({ declared_targets: [target] })).toContain("is no target");
      expect(await refusal({ declared_targets: ["docs", target] }, "--payload", "v1")).toContain("is no target");
    },
  );

  it("refuses what no decision would count", async () => {
    expect(await refusal({ declared_targets: ["docs", "src", "docs"] })).toContain("twice");
    expect(await refusal({ declared_targets: "docs" })).toContain("declared_targets");
    expect(await refusal({ declared_targets: [1] })).toContain("is no target");
    expect(await refusal({ declared_operations: ["WRITE", "CREAT"] })).toContain("did you mean `CREATE`");
    expect(await refusal({ declared_operations: undefined })).toContain("declared_operations");
    expect(await refusal({ baseline_sha: baseline.slice(0, 12) })).toContain("baseline_sha");
    expect(await refusal({ expires_at: "tomorrow" })).toContain("expires_at");
    expect(await refusal({ created_at: undefined })).toContain("created_at");
    for (const contract_root of ["site", `${repository.top}/`, `${repository.top}/../x`, null])
      expect(await refusal({ contract_root })).toContain("contract_root");
  });

  it("takes files and folders, from the root or by their whole path", async () => {
    const targets = ["docs", "index.json", "..docs", "a b", `${repository.top}/src`];
    await signedContractFile({ declared_targets: targets, declared_operations: ["MODE"] });
  });
});
