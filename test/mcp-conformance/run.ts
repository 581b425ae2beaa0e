/**
 * The official conformance suite of the Model Context Protocol against a server of the official SDK, without `portcullis mcp` in
 * front and with it: what passes without it passes with it. Packages are installed into a folder of their own.
 *
 *   npx tsx test/mcp-conformance/run.ts [--write]       MCP_FOLDER: where they are installed
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, temporaryFolder } from "../cli/terminal.ts";
import { freePort } from "../free-port.ts";
import { differences, pageWith, type Row, type Score, scores } from "./scores.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = process.env["MCP_FOLDER"] ?? join(root, "out/mcp");
const page = join(root, "compiler/HOSTS.md");
const REVISIONS = ["2025-11-25", "2026-07-28"];
/** The suite needs a newer Node than the product. */
const PACKAGES = [
  "@modelcontextprotocol/conformance@0.2.0-alpha.12",
  ...["@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2", "node@22.23.3", "zod@4"],
];
const MOST_MS = 300_000;

const TOOLS = [
  ...["simple_text", "image_content", "audio_content", "embedded_resource", "multiple_content_types", "error_handling"],
  ...["tool_with_logging", "tool_with_progress", "input_required_result_elicitation"],
].map((name) => `test_${name}`);

function install(): void {
  if (existsSync(join(folder, "node_modules/@modelcontextprotocol/conformance"))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], {
    ...{ cwd: folder, stdio: "inherit" },
  });
}

/** Everything that the server has is open: what differs is the gateway's doing. */
function policyIn(place: string): string {
  const files = {
    "roles.yaml": "roles: [{ role_id: R }]\n",
    "lanes.yaml": `lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [${TOOLS.join(", ")}] } }]\n`,
    "tool_registry.yaml": `tools:\n${TOOLS.map((name) => `  - { tool_name: ${name}, enabled: true, implementation_status: implemented }\n`).join("")}`,
    "portcullis.yaml": "mcp: { resources: pass, prompts: pass }\n",
  };
  const [sources, out] = [join(place, "sources"), join(place, "out")];
  mkdirSync(sources);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(sources, name), text);
  execFileSync(process.execPath, [join(root, "compiler/bin/portcullis.js"), "build", sources, "-o", out]);
  return join(out, "bundle.tar.gz");
}

function run(url: string, revision: string, output: string): readonly Score[] {
  const suite = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const node = join(folder, "node_modules/node/bin/node");
  let printed: string;
  try {
    const words = [suite, "server", "--url", url, "--requirements", revision, "-o", output];
    printed = execFileSync(node, words, { encoding: "utf8", timeout: MOST_MS, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    // Its exit code says that something failed; the summary says what.
    printed = String((error as { stdout?: unknown }).stdout);
  }
  return scores(printed);
}

/** A program that says when it is ready, at the end of a line that fits. */
async function started(command: readonly string[], ready: RegExp): Promise<ChildProcess> {
  const child = spawn(process.execPath, command, {
    env: { ...process.env, SDK: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      if (ready.test(said)) resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", () => reject(new Error(`${command.join(" ")} has ended: ${said}`)));
  });
  return child;
}

/** Where the suite asks, without the proxy and with it, and what ends all that was started for it. */
interface Ways {
  readonly without: string;
  readonly through: string;
  close(): void;
}

const SERVER = join(root, "test/mcp-conformance/server.mjs");

function proxied(policy: string, ...words: readonly string[]): string[] {
  const portcullis = join(root, "compiler/bin/portcullis.js");
  return [portcullis, "mcp", "--policy", policy, "--role", "R", "--lane", "L", ...words];
}

async function overHttp(policy: string): Promise<Ways> {
  const [port, front] = [await freePort(), await freePort()];
  const upstream = `http://127.0.0.1:${port}/mcp`;
  const server = await started([SERVER, String(port)], /ready\n/);
  const words = proxied(policy, "--listen", `127.0.0.1:${front}`, "--upstream", upstream);
  const gateway = await started(words, /listening on .*\n/);
  return waysOf(upstream, `http://127.0.0.1:${front}/mcp`, [gateway, server]);
}

/** The suite asks over HTTP alone, so a bridge stands before either. */
async function overPipes(policy: string): Promise<Ways> {
  const bridge = join(root, "test/mcp-conformance/bridge.mjs");
  const [port, front] = [await freePort(), await freePort()];
  const plain = [process.execPath, SERVER, "stdio"];
  const without = await started([bridge, String(port), ...plain], /ready\n/);
  const words = [process.execPath, ...proxied(policy, "--", ...plain)];
  const through = await started([bridge, String(front), ...words], /ready\n/);
  return waysOf(`http://127.0.0.1:${port}/mcp`, `http://127.0.0.1:${front}/mcp`, [without, through]);
}

function waysOf(without: string, through: string, children: readonly ChildProcess[]): Ways {
  return { without, through, close: () => children.forEach((child) => void child.kill("SIGTERM")) };
}

install();
const place = temporaryFolder();
try {
  const rows: Row[] = [];
  const policy = policyIn(place);
  for (const over of ["HTTP", "stdio"] as const)
    for (const revision of REVISIONS) {
      // A process that speaks over pipes stays with the revision that it was asked in first.
      const ways = await (over === "HTTP" ? overHttp(policy) : overPipes(policy));
      const results = join(place, over, revision);
      try {
        const without = run(ways.without, revision, join(results, "without"));
        const through = run(ways.through, revision, join(results, "through"));
        const worse = differences(without, through);
        for (const line of worse) process.stdout.write(`${revision} over ${over}: ${line}\n`);
        rows.push({ revision, over, without, through, worse });
        process.stdout.write(
          `${revision} over ${over}: ${without.length} scenarios without the proxy, ${through.length} through it, ${worse.length} worse\n`,
        );
      } finally {
        ways.close();
      }
    }
  if (process.argv.includes("--write")) writeFileSync(page, pageWith(readFileSync(page, "utf8"), rows));
  // A run without scenarios has shown nothing.
  if (rows.some(({ without, worse }) => without.length === 0 || worse.length > 0)) process.exitCode = 1;
} finally {
  removeFolder(place);
}
