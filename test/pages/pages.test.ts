/**
 * Everything in the pages runs. In order, in a folder with copies of `policies/` and `generated/`: blocks with a file name become that
 * file, `console` blocks are sessions, `ts` blocks are programs (with `types-only`, for another host, only type-checked).
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Block, blocksOf, filesNamed, isFile, linksOf, PAGES, pageText, RECORDS, root } from "./page.ts";
import { typeErrors, withClaims, writeProgram } from "./program.ts";
import { brokenLinks, pasted, runSession, type Shell, unknownTargets } from "./session.ts";

/** Languages of blocks that show something and do nothing. */
const SHOWN = ["text", "sh", "mermaid", "diff"];

let folder = "";
let before = "";
beforeAll(() => {
  before = process.cwd();
  folder = mkdtempSync(join(tmpdir(), "portcullis-pages-"));
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

const isProgram = (block: Block): boolean => block.language === "ts" && !block.label.includes(".");

async function runBlock(page: string, block: Block, number: number, shell: Shell): Promise<void> {
  if (SHOWN.includes(block.language)) return;
  if (block.language === "console") return runSession(block.text, shell);
  if (isProgram(block)) {
    const { text } = withClaims(block.text);
    if (block.label === "types-only") return;
    await import(/* @vite-ignore */ pathToFileURL(writeProgram(page, number, text)).href);
    return;
  }
  expect(block.label, `line ${block.line}: a block of ${block.language} needs a file name`).toMatch(/\./);
  mkdirSync(dirname(join(folder, page, block.label)), { recursive: true });
  writeFileSync(join(folder, page, block.label), pasted(block.text, shell));
}

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl) process.stderr.write("SKIPPED: pages that make keys, since there is no openssl\n");

describe.each(PAGES)("%s", (page) => {
  const text = pageText(page);

  it.skipIf(!hasOpenssl && text.includes("$ openssl "))("shows what runs, in its order", async () => {
    const home = join(folder, page);
    for (const name of ["policies", "generated"]) cpSync(join(root, name), join(home, name), { recursive: true });
    process.chdir(home);
    const shell: Shell = { named: new Map(), printed: "" };
    for (const [number, block] of blocksOf(text).entries()) {
      await runBlock(page, block, number, shell).catch((error: unknown) => {
        if (error instanceof Error) error.message = `${page}:${block.line}: ${error.message}`;
        throw error;
      });
    }
  });

  it("links to files that there are", () => {
    expect(brokenLinks(page, linksOf(text))).toEqual([]);
  });

  it("names only targets of the Makefile", () => {
    expect(unknownTargets(text)).toEqual([]);
  });
});

describe.each(RECORDS)("%s", (record) => {
  const text = pageText(record);

  it("says its status below its title", () => {
    expect(text).toMatch(/^# \d+\. .+ \(\d{4}-\d{2}-\d{2}\)\n\nStatus: /);
  });

  it("names only files that there are", () => {
    expect(filesNamed(text).filter((path) => !isFile(path))).toEqual([]);
  });
});

describe("pages", () => {
  it("show programs whose types hold", () => {
    const files = PAGES.flatMap((page) =>
      blocksOf(pageText(page)).flatMap((block, number) =>
        isProgram(block) ? [writeProgram(`types ${page}`, number, withClaims(block.text).text)] : [],
      ),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(typeErrors(files)).toEqual([]);
  });

  it("leave `make help` to lines that fit a terminal", () => {
    const { stdout } = spawnSync("make", ["help"], { cwd: root, encoding: "utf8" });
    expect(stdout.split("\n").length).toBeGreaterThan(20);
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("keep the front page short", () => {
    expect(pageText("README.md").split("\n").length).toBeLessThanOrEqual(200);
  });
});
