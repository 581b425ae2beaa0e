/** What the conformance suite printed, and what of it is worse behind the gateway. */

export interface Score {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
}

export interface Row {
  readonly revision: string;
  readonly without: readonly Score[];
  readonly through: readonly Score[];
  readonly worse: readonly string[];
}

/** The lines `✓ ping: 2 passed, 0 failed` of a summary. */
export function scores(printed: string): readonly Score[] {
  const plain = printed.replace(/\u001b\[[0-9;]*m/g, "");
  const summary = plain.slice(Math.max(plain.indexOf("=== SUMMARY ==="), 0));
  const lines = summary.matchAll(/^\s*\S\s+([\w-]+): (\d+) passed, (\d+) failed$/gm);
  return [...lines].map(([, scenario = "", passed, failed]) => ({
    ...{ scenario, passed: Number(passed), failed: Number(failed) },
  }));
}

/** A scenario that is missing, fails more, or passes less, behind the gateway. */
export function differences(without: readonly Score[], through: readonly Score[]): readonly string[] {
  return without.flatMap(({ scenario, passed, failed }) => {
    const behind = through.find((one) => one.scenario === scenario);
    if (behind === undefined) return [`${scenario} was not run behind the gateway`];
    const isWorse = behind.failed > failed || behind.passed < passed;
    return isWorse
      ? [`${scenario}: ${behind.passed} passed and ${behind.failed} failed, without it ${passed} and ${failed}`]
      : [];
  });
}

const MARK = "<!-- MCP: written by `make agents`; do not edit below. -->";

/** What was tried with the programs themselves, and is no suite. */
const BY_HAND = `Tried by hand on 2026-11-26: tools listed, one called, one denied, each through \`portcullis mcp\`.

| server | client | over | revision |
| --- | --- | --- | --- |
| server-everything, -filesystem and -memory 2026.8.31, -sequential-thinking | SDK 1.32.2 | stdio | 2025-11-25 |
| the same | SDK 2.4.0, which asks for the newest first | stdio | 2025-11-25 |
| a server of the SDK 2.4.0 | SDK 2.4.0 | stdio | 2026-07-28 |
| the same | SDK 1.32.2 | stdio | 2025-11-25 |
| server-everything | SDK 1.32.2, SDK 2.4.0, the inspector's command line | HTTP | 2025-11-25 |
| server-everything behind mcp-remote | SDK 1.32.2 | stdio, then HTTP | 2025-11-25 |
| server-everything | SDK 1.32.2 behind mcp-remote | HTTP | 2025-11-25 |

Not run: the conformance suite over stdio, which it does not speak; servers that ask for OAuth; the transport of revision 2024-11-05 (HTTP with SSE), which is refused.
`;

/** The page with the table at its end. */
export function pageWith(page: string, rows: readonly Row[]): string {
  const before = page.includes(MARK) ? page.slice(0, page.indexOf(MARK)) : `${page.trimEnd()}\n\n`;
  const count = (of: readonly Score[]): string => {
    const whole = of.filter(({ failed }) => failed === 0).length;
    return `${whole} of ${of.length}`;
  };
  const lines = rows.map(
    ({ revision, without, through, worse }) =>
      `| ${revision} | ${count(without)} | ${count(through)} | ${worse.length === 0 ? "none" : worse.join("; ")} |`,
  );
  return `${before}${MARK}

# Servers and clients of the Model Context Protocol

The official conformance suite (\`@modelcontextprotocol/conformance\` 0.2.0-alpha.12, the requirements of each revision and what it runs besides), against a server of the official SDK 2.4.0, directly and through \`portcullis mcp --listen\`: scenarios that pass whole. The server has no tasks, no sampling and no session, and fails what asks for them either way.

| revision | without the gateway | through the gateway | worse through it |
| --- | --- | --- | --- |
${lines.join("\n")}

${BY_HAND}`;
}

/** What stands on the page behind its own part, and is not to be lost. */
export function appendix(page: string): string {
  return page.includes(MARK) ? `\n${page.slice(page.indexOf(MARK))}` : "";
}
