/** Public servers and clients of the Model Context Protocol: where they come from, and what each is asked. */

import { join } from "node:path";

/** Where packages are installed, and a folder of one run. */
export interface Place {
  readonly installed: string;
  readonly scratch: string;
  /** A page on loopback. */
  readonly page: string;
}

export interface PublicServer {
  /** The package, of npm, or of PyPI. */
  readonly package: string;
  readonly from: "npm" | "PyPI";
  /** Words behind its program. */
  args?(place: Place): readonly string[];
  /** Its program's path in the package, or its name among Python's. */
  readonly program: string;
  /** Where there is no network and no browser, its own error is the answer to some. */
  call(place: Place): { readonly name: string; readonly arguments: object };
}

export const SERVERS: readonly PublicServer[] = [
  {
    ...{ package: "@modelcontextprotocol/server-everything", from: "npm", program: "dist/index.js" },
    args: () => ["stdio"],
    call: () => ({ name: "echo", arguments: { message: "hello" } }),
  },
  {
    ...{ package: "@modelcontextprotocol/server-filesystem", from: "npm", program: "dist/index.js" },
    args: ({ scratch }) => [scratch],
    call: ({ scratch }) => ({ name: "list_directory", arguments: { path: scratch } }),
  },
  {
    ...{ package: "@modelcontextprotocol/server-memory", from: "npm", program: "dist/index.js" },
    call: () => ({ name: "read_graph", arguments: {} }),
  },
  {
    ...{ package: "@modelcontextprotocol/server-sequential-thinking", from: "npm", program: "dist/index.js" },
    call: () => ({
      name: "sequentialthinking",
      arguments: { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    }),
  },
  {
    ...{ package: "@modelcontextprotocol/server-puppeteer", from: "npm", program: "dist/index.js" },
    call: () => ({ name: "puppeteer_evaluate", arguments: { script: "1" } }),
  },
  {
    ...{ package: "@playwright/mcp", from: "npm", program: "cli.js" },
    args: () => ["--headless"],
    call: () => ({ name: "browser_close", arguments: {} }),
  },
  {
    ...{ package: "chrome-devtools-mcp", from: "npm", program: "build/src/bin/chrome-devtools-mcp.js" },
    args: () => ["--headless", "--executablePath", "/no/such/browser"],
    call: () => ({ name: "list_pages", arguments: {} }),
  },
  {
    ...{ package: "@upstash/context7-mcp", from: "npm", program: "dist/index.js" },
    call: () => ({ name: "resolve-library-id", arguments: { query: "tables", libraryName: "react" } }),
  },
  {
    ...{ package: "mcp-server-commands", from: "npm", program: "build/index.js" },
    call: () => ({ name: "run_command", arguments: { command: "echo hello" } }),
  },
  {
    ...{ package: "mcp-server-git", from: "PyPI", program: "mcp-server-git" },
    call: ({ scratch }) => ({ name: "git_status", arguments: { repo_path: join(scratch, "repository") } }),
  },
  {
    ...{ package: "mcp-server-time", from: "PyPI", program: "mcp-server-time" },
    call: () => ({ name: "get_current_time", arguments: { timezone: "UTC" } }),
  },
  {
    ...{ package: "mcp-server-fetch", from: "PyPI", program: "mcp-server-fetch" },
    args: () => ["--ignore-robots-txt", "--allow-private-ips"],
    call: ({ page }) => ({ name: "fetch", arguments: { url: page } }),
  },
];

/** The command of a server. */
export function commandOf({ from, package: name, program, args }: PublicServer, place: Place): readonly string[] {
  const words = args?.(place) ?? [];
  if (from === "PyPI") return [join(place.installed, "py/bin", program), ...words];
  return [nodeIn(place.installed), join(place.installed, "node_modules", name, program), ...words];
}

/** Some need a newer Node than the product. */
export function nodeIn(installed: string): string {
  return join(installed, "node_modules/node/bin/node");
}
