/** A real browser for pages of `portcullis explore`, which are opened as files. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { portcullis } from "../../cli/terminal.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const policies = join(root, "policies");
export const bundle = join(root, "generated/bundle.tar.gz");
const isBuilt = existsSync(join(root, "compiler/dist/explore/page.js"));
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) =>
  existsSync(p),
);
if (browserPath === undefined)
  console.warn("SKIPPED: no Chromium on this machine, so the page is not tested (apt-get install chromium)");
export const hasBrowser = isBuilt && browserPath !== undefined;

/** A page that is open, what it asks the network for, and what goes wrong in it. */
interface Opened {
  readonly page: Page;
  readonly asked: string[];
  readonly faults: string[];
}

export async function succeeds(...argv: string[]): Promise<void> {
  const { code, err } = await portcullis(...argv);
  expect({ code, err }).toMatchObject({ code: 0 });
}

/** What all tests of a `describe` share: a folder, a browser, and the pages that they make. */
export class Explorer {
  folder = "";
  /** There from the first test to the last. */
  browser!: Browser;
  private ofExample: Promise<string> | undefined;
  private ofBundle: Promise<string> | undefined;

  /** INVARIANT: made once in a `describe`, since it says what comes before and after its tests. */
  constructor() {
    beforeAll(async () => {
      this.folder = mkdtempSync(join(tmpdir(), "portcullis-explore-"));
      this.browser = await chromium.launch({ executablePath: browserPath as string, args: ["--no-sandbox"] });
    });
    afterAll(async () => {
      await this.browser.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** The file of a policy's page. */
  async explore(policy: string, name: string, ...more: string[]): Promise<string> {
    const page = join(this.folder, name);
    await succeeds("explore", policy, "-o", page, ...more);
    return page;
  }

  /** The page of the example's sources, with what its bundle decides otherwise. */
  example(): Promise<string> {
    this.ofExample ??= this.explore(policies, "policies.html", "--against", bundle);
    return this.ofExample;
  }

  /** The page of the example's bundle alone. */
  bundled(): Promise<string> {
    this.ofBundle ??= this.explore(bundle, "bundle.html");
    return this.ofBundle;
  }

  /** Writes a policy set; its folder. */
  writeSet(name: string, files: Iterable<readonly [string, string]>): string {
    const at = join(this.folder, name);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
    }
    return at;
  }

  async open(file: string, colorScheme: "light" | "dark" = "light"): Promise<Opened> {
    const page = await this.browser.newPage({ colorScheme, viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(300_000);
    const asked: string[] = [];
    const faults: string[] = [];
    page.on("request", (request) => void (request.url().startsWith("file:") || asked.push(request.url())));
    page.on("pageerror", (error) => void faults.push(error.message));
    page.on("console", (message) => void (message.type() === "error" && faults.push(message.text())));
    await page.goto(pathToFileURL(file).href);
    await page.locator("html[data-ready]").waitFor({ state: "attached" });
    return { page, asked, faults };
  }
}
