/**
 * The execution directive's test battery, T0 to T6, and its acceptance criteria, A to F, by these names: the command line, a
 * real staging folder, and a real git repository.
 */

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/index.ts";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "../cli/terminal.ts";
import { makeRepository, type TestRepository } from "../enforcement/execution/repository.ts";
import { useGit } from "../git.ts";

/** The word that no surface of a tool may show; put together here, so that this file does not hold it either. */
const BANNED = ["REQUIRE", "CONTRACT"].join("_");

const folder = temporaryFolder();
const queue = join(folder, "exec_queue");
const bundle = join(folder, "bundle.tar.gz");
const contract = join(folder, "contract.json");
const script = join(queue, "v1-2026-03-01-aaaaaa", "run.py");
const said: string[] = [];
let number = 0;
let repository: TestRepository;

async function run(...argv: string[]): Promise<Ran> {
  const ran = await portcullis("exec", ...argv);
  said.push(ran.out, ran.err);
  return ran;
}

/** A decision as JSON, and the exit code with it. */
async function decide(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, out } = await run(...argv, "--policy", bundle, "--format", "json");
  return { ...(JSON.parse(out) as Record<string, unknown>), exit: code };
}

const check = (path: string): Promise<Record<string, unknown>> =>
  decide("check", path, "--mode", "dev", "--contract", contract);
const close = (...flags: string[]): Promise<Record<string, unknown>> =>
  decide("close", "--contract", contract, ...flags);
const denied = { allowed: false, reply: "D", code: "EN-EXEC-D-001", exit: 1 };
const permitted = { allowed: true, reply: "S", code: "EN-EXEC-S-001", reason: "hat_verified_script", exit: 0 };
const reconciled = { allowed: true, reply: "S", code: "CT-GATE-S-004", commit_blocked: false, exit: 0 };

/** Opens a contract on the repository as it is now. */
async function openContract(): Promise<void> {
  write(contract, {
    contract_id: "v1-2026-03-01-aaaaaa",
    created_at: "2026-03-01T10:00:00Z",
    status: "open",
    expires_at: "2999-01-01T00:00:00Z",
    mode: "dev",
    declared_targets: ["docs/allowed.txt"],
    declared_operations: ["CREATE", "WRITE"],
    baseline_sha: repository.commit(),
    contract_root: repository.top,
  });
  expect((await run("sign", "--contract", contract, "--policy", bundle)).code).toBe(0);
}

/** Stages a program that writes to a file of the repository, by the shell, which is everywhere. */
function stage(target: string, more = ""): void {
  write(script, `echo written >> '${join(repository.top, target)}'\n${more}`);
}

const approve = async (): Promise<void> => {
  expect((await run("sign", script, "--contract", contract, "--policy", bundle)).code).toBe(0);
};

/** Runs exactly what was checked. */
async function runChecked(): Promise<number> {
  const { code } = await run("run", script, "--mode", "dev", "--contract", contract, "--policy", bundle);
  return code;
}

useGit();

beforeAll(async () => {
  const sources = join(folder, "sources");
  write(
    join(sources, "exec.yaml"),
    `modes: [dev, mode-init, break-glass]\nstaging_root: ${JSON.stringify(queue)}\ninterpreters: { .py: [/bin/sh] }\n`,
  );
  const { compiled } = await compile({ host: nodeHost, dirs: [sources] });
  write(bundle, compiled?.bundle as Uint8Array);
  process.env["PORTCULLIS_SESSION_SECRET"] = "5e".repeat(32);
});

afterAll(() => {
  delete process.env["PORTCULLIS_SESSION_SECRET"];
  removeFolder(folder);
});

beforeEach(async () => {
  rmSync(queue, { recursive: true, force: true });
  repository = makeRepository(join(folder, `repo-${number++}`));
  repository.write("docs/allowed.txt", "text\n");
  repository.write("docs/outside_staging.py", "echo outside\n");
  await openContract();
});

describe("test battery", () => {
  it("T0 — Baseline: no contract → exec denied", async () => {
    stage("docs/allowed.txt");
    const decision = await decide("check", script, "--mode", "dev");
    expect(decision).toMatchObject({ ...denied, gate: "CONTRACT", reason: "no_active_contract" });
    expect(JSON.stringify(decision)).not.toContain(BANNED);
  });

  it("T1 — Inline execution is blocked", async () => {
    const decision = await decide("check", "--inline", "--mode", "dev", "--contract", contract);
    expect(decision).toMatchObject({ ...denied, gate: "INLINE", reason: "inline_execution_forbidden" });
  });

  it("T2 — Staging directory required", async () => {
    const outside = join(repository.top, "docs/outside_staging.py");
    expect((await run("sign", outside, "--contract", contract, "--policy", bundle)).code).toBe(0);
    expect(await check(outside)).toMatchObject({ ...denied, gate: "STAGING", reason: "script_outside_staging" });
  });

  it("T3 — HAT-signed script required", async () => {
    stage("docs/allowed.txt");
    expect(await check(script)).toMatchObject({ ...denied, gate: "HAT_PRESENT", reason: "missing_hat_signature" });
  });

  it("T4 — HAT hash binding", async () => {
    stage("docs/allowed.txt");
    await approve();
    expect(await check(script)).toMatchObject(permitted);
    expect(await runChecked()).toBe(0);
    stage("docs/allowed.txt", "echo more\n");
    expect(await check(script)).toMatchObject({ ...denied, gate: "HASH", reason: "script_hash_mismatch" });
    expect(await runChecked()).toBe(1);
  });

  it("T5 — Post-exec git diff audit", async () => {
    repository.write("src/kept.txt", "text\n");
    await openContract();
    stage("src/forbidden.txt");
    await approve();
    expect(await runChecked()).toBe(0);
    expect(await close()).toMatchObject({
      ...{ allowed: false, reply: "I", code: "CT-GATE-I-004", commit_blocked: true, exit: 1 },
      ...{ gate: "CONTAINMENT", reason: "undeclared_changes", undeclared: ["src/forbidden.txt"] },
    });
  });

  it("T6 — Close-time reconciliation unchanged", async () => {
    stage("docs/allowed.txt");
    await approve();
    expect(await runChecked()).toBe(0);
    expect(readFileSync(join(repository.top, "docs/allowed.txt"), "utf8")).toBe("text\nwritten\n");
    expect(await close()).toMatchObject({ ...reconciled, undeclared: [] });
    repository.commit();
    expect(await close()).toMatchObject({ ...reconciled, undeclared: [] });
  });
});

describe("acceptance criteria", () => {
  it("A. Inline execution blocked", async () => {
    const inline = (mode: string): Promise<Record<string, unknown>> => decide("check", "--inline", "--mode", mode);
    expect(await inline("dev")).toMatchObject({ ...denied, reason: "inline_execution_forbidden" });
    for (const mode of ["mode-init", "break-glass"])
      expect(await inline(mode)).toMatchObject({ allowed: true, reply: "S", reason: "inline_permitted_mode", exit: 0 });
  });

  it("B. Execution requires staging path", async () => {
    stage("docs/allowed.txt");
    await approve();
    const text = readFileSync(script);
    for (const path of [join(folder, "run.py"), join(queue, "run.py"), `${queue}-2/v1-2026-03-01-aaaaaa/run.py`]) {
      write(path, text);
      write(`${path}.hat.json`, readFileSync(`${script}.hat.json`));
      expect(await check(path)).toMatchObject({ ...denied, gate: "STAGING" });
    }
    expect(await check(script)).toMatchObject(permitted);
  });

  it("C. Script hash binding enforced", async () => {
    stage("docs/allowed.txt");
    await approve();
    const text = readFileSync(script, "utf8");
    for (const changed of [`${text} `, text.replace("written", "Written"), text.slice(1), ""]) {
      write(script, changed);
      expect(await check(script)).toMatchObject({ ...denied, reason: "script_hash_mismatch" });
      expect(await runChecked()).toBe(1);
    }
    expect(readFileSync(join(repository.top, "docs/allowed.txt"), "utf8")).toBe("text\n");
    write(script, text);
    expect(await check(script)).toMatchObject(permitted);
  });

  it("D. Post-exec git diff audit", async () => {
    const files = ["README.md", "docs/allowed.txt.bak", "docs/ALLOWED.txt", "docs/outside_staging.py"];
    stage("docs/allowed.txt", files.map((file) => `echo x >> '${join(repository.top, file)}'\n`).join(""));
    await approve();
    expect(await runChecked()).toBe(0);
    const blocked = { allowed: false, reply: "I", code: "CT-GATE-I-004", commit_blocked: true, exit: 1 };
    expect(await close()).toMatchObject({ ...blocked, undeclared: expect.arrayContaining(["README.md"]) });
    repository.git("add", "-A");
    expect(await close()).toMatchObject(blocked);
    repository.commit();
    expect(await close()).toMatchObject(blocked);
  });

  it(`E. No ${BANNED} leaks`, async () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const files = ["compiler", "runtime", "policies", "generated"].flatMap((dir) => filesBelow(join(root, dir)));
    expect(files.length).toBeGreaterThan(100);
    const holders = files.filter((file) => readFileSync(file).includes(BANNED));
    expect(holders.map((file) => relative(root, file))).toEqual([]);
    for (const command of ["open", "sign", "check", "run", "close"]) await run(command, "--help");
    expect(said.length).toBeGreaterThan(6);
    for (const text of said) expect(text).not.toContain(BANNED);
  });

  it("F. Close-time reconciliation unchanged", async () => {
    // Closing asks who signed the contract, never what ran, and never answers with a denial.
    stage("docs/allowed.txt");
    await approve();
    await runChecked();
    const secret = process.env["PORTCULLIS_SESSION_SECRET"];
    delete process.env["PORTCULLIS_SESSION_SECRET"];
    try {
      expect(await close()).toMatchObject({ reply: "I", reason: "contract_signature_invalid", commit_blocked: true });
      expect(await close("--unsigned")).toMatchObject(reconciled);
      process.env["PORTCULLIS_SESSION_SECRET"] = secret;
      expect(await close()).toMatchObject(reconciled);
      repository.write("src/forbidden.txt", "x");
      expect(await close()).toMatchObject({ reply: "I", commit_blocked: true });
      rmSync(join(repository.top, ".git"), { recursive: true });
      expect(await close()).toMatchObject({ reply: "I", reason: "diff_unavailable", commit_blocked: true });
    } finally {
      process.env["PORTCULLIS_SESSION_SECRET"] = secret;
    }
  });
});

/** Files of the product, without what is installed or built, and without tests, which may name what must not be said. */
function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(?:^|[\\/])(?:node_modules|dist|build)[\\/]|_test\.rego$/.test(relative(dir, file)));
}
