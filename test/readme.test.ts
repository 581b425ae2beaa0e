/** Everything in the README runs: its commands with the output it shows, its program, and its Rego. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../compiler/cli/main.ts";
import type { Terminal } from "../compiler/cli/terminal.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** Fenced blocks of a language. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map((m) => m[1] as string);
}

const plain = { bold: String, dim: String, red: String, green: String, yellow: String, cyan: String };

async function portcullis(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => void (out += text),
    outBytes: (bytes) => void (out += new TextDecoder().decode(bytes)),
    err: (text) => void (err += text),
    readInput: async () => new Uint8Array(),
    paint: plain,
    interactive: false,
  };
  return { code: await main(args, terminal), out, err };
}

let folder = "";
let before = "";
beforeAll(() => {
  before = process.cwd();
  folder = mkdtempSync(join(tmpdir(), "portcullis-readme-"));
  cpSync(join(root, "policies"), join(folder, "policies"), { recursive: true });
  writeFileSync(join(folder, "lane.json"), blocks("json")[0] as string);
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

/** `…` in the README stands for anything. */
function pattern(expected: string): RegExp {
  const escaped = expected
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[\\s\\S]*")}`);
}

describe("README", () => {
  it("shows commands with the output they have", async () => {
    const [session = ""] = blocks("console");
    const steps = session.split(/^\$ /m).filter((s) => s !== "");
    expect(steps.length).toBeGreaterThan(4);
    for (const step of steps) {
      const [command = "", ...output] = step.split("\n");
      const [program, ...args] = command.split(" ");
      expect(program).toBe("portcullis");
      const result = await portcullis(args);
      expect(result.err, command).toBe("");
      expect(result.code, command).toBe(0);
      expect(result.out.trim(), command).toMatch(pattern(output.join("\n")));
    }
  }, 120_000);

  it("shows a program that runs", async () => {
    const [program = ""] = blocks("ts");
    const { out } = await portcullis(["build", "policies", "-o", "out"]);
    expect(out).toContain("bundle.tar.gz");
    const { load } = await import("@portcullis/runtime");
    expect(program).toContain('from "@portcullis/runtime"');
    const body = program.replace(/^import .*$/gm, "");
    const run = new Function("load", "readFile", `return (async () => { ${body} })()`) as (
      ...args: unknown[]
    ) => Promise<void>;
    await run(load, async (path: string) => readFileSync(path));
  }, 120_000);

  it("shows an extension that compiles and denies", async () => {
    const [rego = ""] = blocks("rego");
    writeFileSync(join(folder, "policies", "freeze.rego"), rego);
    const input = { role: "MANAGING_EDITOR", lane: "PUBLISHING", tool: "article.publish", scope: { frozen: true } };
    writeFileSync(join(folder, "frozen.json"), JSON.stringify(input));
    const { out } = await portcullis(["eval", "policies", "portcullis/tool/decision", "--input", "frozen.json"]);
    expect(JSON.parse(out)).toMatchObject({ allowed: false, gate: "CHANGE_FREEZE", reason: "frozen_until_monday" });
  }, 120_000);

  it("shows a whole policy set that compiles without a finding, and whose tests pass", async () => {
    const files = [...readme.matchAll(/```[a-z]+ (\S+)\n([\s\S]*?)```/g)];
    expect(files.length).toBeGreaterThan(10);
    for (const [, path = "", text = ""] of files) {
      mkdirSync(dirname(join(folder, "desk", path)), { recursive: true });
      writeFileSync(join(folder, "desk", path), text);
    }
    expect(await portcullis(["check", "desk", "--strict"])).toMatchObject({ code: 0, out: "no findings\n" });
    const tested = await portcullis(["test", "desk", "--threshold", "10"]);
    expect(tested).toMatchObject({ code: 0, err: "" });
    expect(tested.out).toContain("12 passed, 0 failed");
    const flags = ["--policy", "desk", "--out", "recorded", "--now_utc", "2026-03-02T09:00:00Z"];
    const recorded = await portcullis(["harness", "--request", "desk/request.json", ...flags]);
    expect(recorded).toMatchObject({ code: 0, err: "" });
    const verified = ["recorded/run_record.json", "recorded/audit_ledger.json", "--policy", "desk"];
    expect(await portcullis(["harness", "verify", ...verified])).toMatchObject({ code: 0 });
  }, 120_000);

  it("names only targets of the Makefile", () => {
    const makefile = readFileSync(join(root, "Makefile"), "utf8");
    for (const target of [...readme.matchAll(/(?:`|^)make ([a-z-]+)/gm)].map((m) => m[1] as string)) {
      expect(makefile, `make ${target}`).toMatch(new RegExp(`^${target}:`, "m"));
    }
  });
});
