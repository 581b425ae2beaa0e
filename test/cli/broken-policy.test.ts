/**
 * A policy folder with findings: every command that takes one prints them as `check` does, in its own format, and exits 1; `diff`
 * with 2, since 1 means there that something changed.
 */

import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const broken = `${folder}/broken`;
const asked = "portcullis/lane/decision";

/** The command line of each, without `--format`. */
const COMMANDS: readonly (readonly string[])[] = [
  ["test", broken],
  ["prove", broken],
  ["list", broken],
  ["diff", broken, `${folder}/whole`],
  ["diff", `${folder}/whole`, broken],
  ["explore", broken, "-o", `${folder}/page.html`],
  ["explore", `${folder}/whole`, "--against", broken, "-o", `${folder}/page.html`],
  ["explain", broken, asked],
  ["eval", broken, asked],
  ["bench", broken, "-e", asked],
  ["exec", "check", "--inline", "--mode", "m", "--policy", broken],
  ["exec", "close", "--unsigned", "--contract", `${folder}/contract.json`, "--policy", broken],
  ["handoff", "validate", `${folder}/record.json`, "--root", folder, "--policy", broken],
  ["handoff", "validate", "--self-test", "--policy", broken],
  ["harness", "verify", "record.json", "ledger.json", "--policy", broken],
  ["audit", "verify", "ledger.jsonl", "--policy", broken],
];

let checked: Ran;
beforeAll(async () => {
  write(`${broken}/roles.yaml`, "roles: [{ role_id: R, role_id: S }]\n");
  write(`${broken}/app.rego`, "package app\n\nx if y\n");
  write(`${folder}/whole/roles.yaml`, "roles: [{ role_id: R }]\n");
  write(`${folder}/contract.json`, { declared_targets: ["."] });
  write(`${folder}/record.json`, {});
  checked = await portcullis("check", broken, "--format", "json");
  expect(JSON.parse(checked.out).diagnostics.length).toBeGreaterThan(1);
});
afterAll(() => removeFolder(folder));

describe.each(COMMANDS)("%s %s %s", (...words) => {
  const code = words[0] === "diff" ? 2 : 1;

  it("prints with --format json what `check --format json` prints, and nothing else", async () => {
    expect(await portcullis(...words, "--format", "json")).toEqual({ ...checked, code, err: "" });
  });

  it("tells people on standard error", async () => {
    const told = await portcullis(...words);
    expect(told).toMatchObject({ code, out: "", err: expect.stringContaining("roles.yaml:1:") });
  });
});

it("is told once, in one report, of both policies of a comparison", async () => {
  const other = `${folder}/other`;
  write(`${other}/roles.yaml`, "roles: [{ role_id: R, role_id: S }]\n");
  const { code, out } = await portcullis("diff", broken, other, "--format", "json");
  const files = new Set((JSON.parse(out) as { diagnostics: { file: string }[] }).diagnostics.map((d) => d.file));
  expect([code, [...files].sort()]).toEqual([2, expect.arrayContaining([`${other}/roles.yaml`])]);
  expect(files).toContain(`${broken}/roles.yaml`);
  const github = await portcullis("diff", broken, other, "--format", "github");
  expect(github.out).toContain(`::error file=${other}/roles.yaml,line=1,`);
});

it("leaves standard output to the script that would run", async () => {
  const script = write(`${folder}/run.py`, "print(1)\n");
  const words = ["exec", "run", script, "--mode", "m", "--policy", broken];
  const told = await portcullis(...words);
  expect(told).toMatchObject({ code: 1, out: "", err: expect.stringContaining("roles.yaml:1:") });
  expect(told.bytes.length).toBe(0);
});

it("keeps findings out of reports of tests, which have no place for them", async () => {
  for (const words of [
    ["test", broken],
    ["handoff", "validate", "--self-test", "--policy", broken],
  ])
    expect(await portcullis(...words, "--format", "junit")).toMatchObject({ code: 1, out: "" });
  expect(await portcullis("test", broken, "--format", "tap")).toMatchObject({ code: 1, out: "" });
});

it("writes no page, and says of one that it wrote where it is and how large", async () => {
  const page = `${folder}/page.html`;
  expect(existsSync(page)).toBe(false);
  const { out } = await portcullis("explore", `${folder}/whole`, "-o", page, "--format", "json");
  expect(JSON.parse(out)).toEqual({ file: page, bytes: expect.any(Number) });
});
