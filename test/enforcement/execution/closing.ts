/** Contracts closed on real git repositories, one for each test. */

import { join } from "node:path";
import { load, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { type CloseFacts, closeFacts, parseContract } from "../../../compiler/enforcement/execution/index.ts";
import { compile } from "../../../compiler/index.ts";
import { removeFolder, temporaryFolder, write } from "../../cli/terminal.ts";
import { useGit } from "../../git.ts";
import { makeRepository, type TestRepository } from "./repository.ts";

export const folder = temporaryFolder();
export const bundle = join(folder, "bundle.tar.gz");
let number = 0;
/** Anew for each test, with what is in it committed as `baseline`. */
export let repository: TestRepository;
export let baseline = "";
let policy: Policy;
export const linux = process.platform === "linux";

export interface Closed {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
  readonly reply: string;
  readonly code: string;
  readonly commit_blocked: boolean;
  readonly undeclared: readonly string[];
  readonly operations?: readonly { readonly path: string; readonly operation: string | null }[];
}

/** A contract on the repository as it is. */
export function contractTerms(fields: object = {}): object {
  return {
    contract_id: "c-1",
    status: "open",
    created_at: "2026-03-02T09:00:00Z",
    expires_at: "2999-01-01T00:00:00Z",
    mode: "work",
    contract_root: repository.top,
    declared_targets: ["docs", "index.json"],
    declared_operations: ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"],
    baseline_sha: baseline,
    ...fields,
  };
}

/** The same in a file. */
export function contractFile(fields: object = {}): string {
  return write(join(folder, "contracts", `${number++}.json`), contractTerms(fields));
}

/** The facts of a close, by any signer, of the repository as it is; fields of the contract can be given. */
export function facts(fields: object = {}): CloseFacts {
  const contract = parseContract("c-1.json", new TextEncoder().encode(JSON.stringify(contractTerms(fields))));
  if (!contract.ok) throw new Error(contract.problem.message);
  return closeFacts(contract.value, "unsigned");
}

/** Closes a contract on the repository as it is. */
export async function close(fields: object = {}): Promise<Closed> {
  return policy.close(facts(fields).request) as Closed;
}

export async function undeclared(contract: object = {}): Promise<readonly string[]> {
  const closed = await close(contract);
  expect(closed).toMatchObject({ reason: "undeclared_changes", gate: "CONTAINMENT", commit_blocked: true });
  expect(closed).toMatchObject({ reply: "I", code: "CT-GATE-I-004" });
  return closed.undeclared;
}

export async function expectReconciled(contract: object = {}): Promise<void> {
  const closed = await close(contract);
  expect(closed).toMatchObject({ allowed: true, reason: "reconciled", code: "CT-GATE-S-004", undeclared: [] });
}

export async function expectUnavailable(contract: object = {}): Promise<void> {
  const closed = await close(contract);
  expect(closed).toMatchObject({ allowed: false, reason: "diff_unavailable", commit_blocked: true });
}

/** Nothing is known of the repository, for this reason. */
export async function expectRefused(says: string, contract: object = {}): Promise<void> {
  const { request, warnings } = facts(contract);
  expect([request.changed_files, warnings.join()]).toEqual([null, expect.stringContaining(says)]);
  expect(policy.close(request)).toMatchObject({ allowed: false, reason: "diff_unavailable", commit_blocked: true });
}

/** Commits everything: what is changed from here on must be declared. */
export function commitBaseline(): void {
  baseline = repository.commit();
}

/** A name that no other test uses. */
export function uniqueName(name: string): string {
  return `${name}-${number++}`;
}

/** To be called once by a file of tests. */
export function useRepositories(): void {
  useGit();
  beforeAll(async () => {
    // What a hook that runs these tests has set.
    for (const name of Object.keys(process.env)) if (name.startsWith("GIT_")) delete process.env[name];
    write(join(folder, "sources/exec.yaml"), "modes: [work]\nstaging_root: /srv/queue\n");
    const { compiled } = await compile({ host: nodeHost, dirs: [join(folder, "sources")] });
    write(bundle, compiled?.bundle as Uint8Array);
    policy = await load(compiled?.bundle as Uint8Array);
  });

  afterAll(() => removeFolder(folder));

  beforeEach(useNewRepository);
}

/** Another repository for the rest of a test. */
export function useNewRepository(): void {
  repository = makeRepository(join(folder, `repo-${number++}`));
  repository.write("docs/allowed.txt", "one\n");
  repository.write("docs/old.txt", "a text that is long enough to be taken for the same after a rename\n");
  repository.write("src/code.ts", "export {};\n");
  repository.write("index.json", "{}\n");
  repository.write(".gitignore", "*.log\n/build/\n");
  baseline = repository.commit();
}
