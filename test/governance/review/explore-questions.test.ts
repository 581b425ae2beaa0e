/** Ten questions of a reviewer, each answered by the page of the example alone: question, place, answer. */

import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { Explorer, hasBrowser, policies } from "./explorer.ts";

const tab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name, exact: true }).click();
const textOf = async (page: Page, place: string): Promise<string> => (await page.locator(place).textContent()) ?? "";

/** What stands beside the table when a cell is chosen. */
async function cell(page: Page, row: string, column: string): Promise<string> {
  await page.getByLabel(/^(Tool|Role) contains$/).fill(row);
  await page.getByRole("gridcell", { name: `${row}, ${column}: ` }).click();
  return textOf(page, ".detail");
}

const QUESTIONS: readonly (readonly [
  question: string,
  ask: (page: Page) => Promise<string>,
  answer: readonly string[],
])[] = [
  [
    "Which tools may a writer use, and where?",
    async (page) => {
      await page.getByLabel("As role").selectOption("WRITER");
      const cells = await page.locator(".row .cell:not(.deny)").all();
      return (await Promise.all(cells.map((one) => one.getAttribute("aria-label"))))
        .map((s) => s?.split(":")[0])
        .join("; ");
    },
    [
      "archive.lookup, DRAFTING; archive.lookup, RESEARCH; draft.create, DRAFTING; draft.revise, DRAFTING; web.search, RESEARCH",
    ],
  ],
  ["Who may publish?", (page) => cell(page, "article.publish", "PUBLISHING"), ["May: MANAGING_EDITOR"]],
  [
    "Whose approval does money need before it leaves?",
    (page) => cell(page, "payout.release", "RIGHTS_AND_PAYOUTS"),
    ["every call needs an approval of the very call, which e.brandt or m.ortiz may give", "until 2025-12-31"],
  ],
  [
    "Does anything else stand in the way of that money?",
    (page) => cell(page, "payout.release", "RIGHTS_AND_PAYOUTS"),
    ["MANAGING_EDITOR if PAYOUT_LIMIT payout_above_limit does not deny", "Gates of the house, asked of every call"],
  ],
  [
    "What does that gate of the house say, and where is it written?",
    async (page) => {
      await tab(page, "Rules");
      return textOf(page, "#view-rules .house");
    },
    [
      "PAYOUT_LIMIT",
      "in amounts that one person may sign for",
      "rules.payout_within_limit",
      "extensions/tool.rego:15:1",
    ],
  ],
  [
    "Which calls need a person?",
    async (page) => {
      await page.getByLabel("Depends on").selectOption("approvals");
      return (await page.locator(".side").allTextContents()).join(", ");
    },
    ["article.retract, override.freeze_site, payout.release"],
  ],
  [
    "How many letters may be answered, and after what?",
    (page) => cell(page, "mailbox.reply", "READER_SUPPORT"),
    ["at most 40 calls, at most 60 of args.recipients in 1d, for each role", "only after mailbox.read in the last 7d"],
  ],
  [
    "What may the style checker be given?",
    (page) => cell(page, "style.check", "COPY_DESK"),
    ["draft may be: below drafts, not below drafts/embargoed", "run may be: stylebook check *, or absent"],
  ],
  [
    "By which chain of agents is our archive read by one that a desk did not start itself?",
    async (page) => {
      await page.locator("#view-access select").first().selectOption("types");
      return cell(page, "archive.lookup", "archive_reader");
    },
    ["news_desk → claim_checker → archive_reader", "FACT_CHECK as FACT_CHECKER"],
  ],
  [
    "May the rights desk start somebody who releases money?",
    async (page) => {
      await page.locator("#view-access select").first().selectOption("types");
      await page.getByLabel("Tool contains").fill("payout.release");
      const cells = await page.locator(".row .cell:not(.deny)").all();
      return (await Promise.all(cells.map((one) => one.getAttribute("aria-label"))))
        .map((s) => s?.split(":")[0])
        .join("; ");
    },
    ["payout.release, publisher"],
  ],
  [
    "Why may a copy editor not publish?",
    async (page) => {
      await cell(page, "article.publish", "PUBLISHING");
      await page.getByRole("button", { name: "Ask it" }).click();
      await page.getByLabel("role", { exact: true }).fill("COPY_EDITOR");
      await page.getByRole("button", { name: "Decide" }).click();
      return textOf(page, ".answer");
    },
    ["Denied", "LANE_AUTHORIZATION", "lane_not_authorized"],
  ],
];

describe.skipIf(!hasBrowser)("the page alone answers", () => {
  const explorer = new Explorer();
  let file = "";
  beforeAll(async () => {
    file = await explorer.explore(policies, "page.html");
  });

  it.each(QUESTIONS)("%s", async (_, ask, answers) => {
    const page = await explorer.browser.newPage({ viewport: { width: 1280, height: 1600 } });
    await page.goto(pathToFileURL(file).href);
    await page.locator("html[data-ready]").waitFor({ state: "attached" });
    const given = await ask(page);
    for (const answer of answers) expect(given).toContain(answer);
    await page.close();
  });
});
