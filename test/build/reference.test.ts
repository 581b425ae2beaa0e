/** The reference pages tell what is so: gates as the specification lists them, and every code, builtin and command. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtinsPage, placeOf } from "../../compiler/build/reference/builtins.ts";
import { commandLinePage } from "../../compiler/build/reference/command-line.ts";
import { adapterReferences, decisionReferences, decisionsPage } from "../../compiler/build/reference/decisions.ts";
import { diagnosticsPage } from "../../compiler/build/reference/diagnostics.ts";
import { grammarPage } from "../../compiler/build/reference/grammar.ts";
import { code, prose, table } from "../../compiler/build/reference/markdown.ts";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import { answersOf } from "../../compiler/governance/checks/answers.ts";
import { allCodes } from "../../compiler/governance/checks/index.ts";
import { anchorOf } from "../../compiler/rego/diagnostics/codes.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { builtins } from "../../compiler/rego/syntax/builtins.ts";
import { parseModule } from "../../compiler/rego/syntax/index.ts";
import { DECISION_KINDS } from "../../runtime/index.ts";
import { gates } from "../governance/library/gates.ts";

describe("decisions", () => {
  const references = decisionReferences();

  it("are those of the runtime", () => {
    expect(references.map((r) => r.name).sort()).toEqual([...DECISION_KINDS].sort());
  });

  it.each(references.map((r) => [r.name, r] as const))(
    "%s: gates and reasons are those of the specification",
    (name, reference) => {
      const own = reference.answers.flatMap((answer) => {
        const answers = answer.of === undefined ? [answer] : references.find((r) => r.name === answer.of)?.answers;
        return (answers ?? []).filter((a) => answer.of === undefined || !a.allowed);
      });
      const told = own.map((a) => `${a.gate} ${a.reason}`.replace("'…'", "'<as given>'"));
      expect([...new Set(told)].sort()).toEqual(
        [...((gates as Record<string, readonly string[]>)[name] as readonly string[])].sort(),
      );
    },
  );

  it("deny where nothing else is an answer", () => {
    for (const { otherwise } of references)
      expect(otherwise).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", reason: "no_decision" });
  });

  it("show an open text as open, and stop at what they cannot read", () => {
    const read = (rego: string) => {
      const { module } = parseModule(new SourceFile("m.rego", `package m\n\n${rego}\n`));
      if (module === undefined) throw new Error("not Rego");
      return answersOf(module);
    };
    expect(read('verdict := {"allowed": true, "gate": "G", "reason": input.why} if input.x')).toEqual([
      { allowed: true, gate: "G", reason: "…", details: [], members: [], optional: [], when: ["input.x"] },
    ]);
    const more = 'verdict := {"allowed": false, "gate": "G", "reason": "r", "place": 1} if input.x';
    const less = 'else := {"allowed": false, "gate": "G", "reason": "r"} if input.y';
    expect(read(`${more} ${less}`)).toMatchObject([{ members: ["place"], optional: ["place"] }]);
    expect(() => read("verdict := [1]")).toThrow("an answer is written as Array: [1]");
    expect(() => read("other := 1")).toThrow("no rule `verdict`");
  });
});

/** The anchor of a heading, as GitHub makes it: lower case, letters, digits, `_` and `-`, and `-` for blanks. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** Types that callers hand on and do not look into. One that is exported, or gone, fails. */
const HANDED_ON: Readonly<Record<string, string>> = {
  "compiler.api.md contentOf": "the default of Contents, which tests replace",
  "compiler.api.md Content": "what Contents remembers of a file",
  "compiler.api.md HashName": "a part of Judged, which closeFacts gives and commitJudged takes",
  "compiler.api.md Head": "a part of Judged",
  "compiler.api.md RepositoryPlace": "a part of Judged",
  "compiler.api.md Staged": "a part of Judged",
};

describe("reports of the public surface", () => {
  it("name no type that cannot be imported", () => {
    const folder = new URL("../../generated/reference/api/", import.meta.url);
    const reports = readdirSync(folder).filter((name) => name.endsWith(".api.md"));
    expect(reports.length).toBeGreaterThan(15);
    expect(reports).toContain("compiler.api.md");
    const forgotten = reports.flatMap((name) =>
      [
        ...readFileSync(new URL(name, folder), "utf8").matchAll(
          /^ *\/\/ .*\(ae-forgotten-export\) The symbol "(\w+)"/gm,
        ),
      ].map(([, symbol]) => `${name} ${symbol}`),
    );
    expect(forgotten.sort()).toEqual(Object.keys(HANDED_ON).sort());
  });
});

describe("pages", () => {
  it("diagnostics.md has every code with its explanation", () => {
    const text = diagnosticsPage();
    for (const [name, { explain }] of allCodes) {
      expect(text).toContain(`### ${name}\n`);
      expect(text).toContain(prose(explain));
    }
  });

  it("diagnostics.md has the anchor that SARIF names for every code, and the table of severities links to them", () => {
    const headings = [...diagnosticsPage().matchAll(/^#+ (.*)$/gm)].map(([, text]) => slug(text as string));
    for (const name of allCodes.keys()) expect(headings).toContain(anchorOf(name));
    for (const [, anchor] of diagnosticsPage().matchAll(/\]\(#([^)]*)\)/g)) expect(headings).toContain(anchor);
    expect(new Set(headings).size, "two headings have one anchor").toBe(headings.length);
  });

  it("builtins.md has every builtin once, with who evaluates it", () => {
    const text = builtinsPage("1.2.3");
    for (const name of builtins().keys()) expect(text.split(`\n| ${code(name)} |`)).toHaveLength(2);
    expect(["count", "eq", "io.jwt.decode", "http.send"].map(placeOf)).toEqual([
      "in the module",
      "compiled away",
      "host",
      "unsupported",
    ]);
  });

  it("command-line.md has every command and says what it ends with", async () => {
    const text = await commandLinePage();
    for (const { name } of COMMANDS) expect(text).toContain(`\n## portcullis ${name}\n`);
    for (const section of text.split(/\n## (?=portcullis \w+\n)/).slice(1))
      expect(section).toMatch(/Exit codes:|\| command \|/);
    expect(text).toContain("\n## portcullis exec check\n");
  });

  it("decisions.md has a section for every decision", () => {
    for (const { name } of decisionReferences()) expect(decisionsPage()).toContain(`\n## ${name}\n`);
  });

  it("decisions.md says that each adapter ends with the call decision, or denies", () => {
    for (const { name, answers, otherwise } of adapterReferences()) {
      expect(decisionsPage()).toContain(`\n### ${name}\n`);
      // What a server offers beside tools is no call: the rule answers by itself.
      if (name === "offer") expect(answers.at(-1)).toMatchObject({ allowed: true });
      else expect(answers.at(-1)?.of).toBe("call");
      expect(answers.slice(0, -1).every((answer) => !answer.allowed && answer.of === undefined)).toBe(true);
      expect(otherwise).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", reason: "no_decision" });
    }
  });

  it("a table survives its cells", () => {
    expect(table(["a"], [["x | y"]])).toBe("| a |\n| --- |\n| x \\| y |");
    expect(code("a`b")).toBe("``a`b``");
    expect(prose("<x> `<y>` a_b")).toBe("\\<x\\> `<y>` a\\_b");
  });
});

describe("the page of the grammar", () => {
  it("holds every rule, and loads nothing", () => {
    const page = grammarPage();
    for (const rule of ["moduleStatement", "elseChain", "comprehension", "primary"])
      expect(page).toContain(`"name": "${rule}"`);
    expect(page).toContain("drawDiagramsFromSerializedGrammar");
    expect(page).not.toMatch(/<(?:script|link|img)[^>]*(?:src|href)=/);
    expect(page).not.toContain("unpkg.com");
  });
});
