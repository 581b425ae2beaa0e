/** What the conformance suite printed, and what of it is worse behind the gateway. */

export interface Score {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
}

export interface Row {
  readonly revision: string;
  readonly over: "HTTP" | "stdio";
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

const PROGRAMS = "<!-- Programs: written by `make agents`; do not edit below. -->";

/** The page with the table at its end. */
export function pageWith(page: string, rows: readonly Row[]): string {
  const after = page.includes(PROGRAMS) ? `\n${page.slice(page.indexOf(PROGRAMS))}` : "";
  const before = page.includes(MARK) ? page.slice(0, page.indexOf(MARK)) : `${page.trimEnd()}\n\n`;
  const count = (of: readonly Score[]): string => {
    const whole = of.filter(({ failed }) => failed === 0).length;
    return `${whole} of ${of.length}`;
  };
  const lines = rows.map(
    ({ revision, over, without, through, worse }) =>
      `| ${revision} | ${over} | ${count(without)} | ${count(through)} | ${worse.length === 0 ? "none" : worse.join("; ")} |`,
  );
  return `${before}${MARK}

# Servers and clients of the Model Context Protocol

The official conformance suite (\`@modelcontextprotocol/conformance\` 0.2.0-alpha.12, the requirements of each revision and what it runs besides), against a server of the official SDK 2.4.0, without \`portcullis mcp\` and through it: scenarios that pass whole. The suite asks over HTTP alone; for stdio the same bridge stands in front of the server, and of the proxy with the server behind it. The server has no tasks, no sampling and no session, and fails what asks for them either way.

| revision | over | without the gateway | through the gateway | worse through it |
| --- | --- | --- | --- | --- |
${lines.join("\n")}
${after}`;
}

/** The page with the tables of public servers and clients behind those of the suite. */
export function pageWithPrograms(
  page: string,
  servers: readonly (readonly string[])[],
  clients: readonly (readonly string[])[],
): string {
  const before = page.includes(PROGRAMS) ? page.slice(0, page.indexOf(PROGRAMS)) : `${page.trimEnd()}\n\n`;
  return `${before}${PROGRAMS}

## Public servers

Each server lists its tools, one is called, and one is denied, behind \`portcullis mcp -- SERVER\`, by both of the official SDK's majors. *As without it*: all tools but the denied one are listed, the call ends as it does without the proxy, and the denied call is a denial. There is no network and no browser here, so some servers answer with an error of their own.

${table(["server", "from", "version", "call", "SDK 1", "SDK 2"], servers)}

## Clients

The same with further clients, in front of server-everything.

${table(["client", "version", "over", "through the proxy"], clients)}

Not run: servers that ask for OAuth, or for an account of their own; mcp-server-sqlite, which does not start with the Python SDK 2.
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** What stands on the page behind its own part, and is not to be lost. */
export function appendix(page: string): string {
  return page.includes(MARK) ? `\n${page.slice(page.indexOf(MARK))}` : "";
}
